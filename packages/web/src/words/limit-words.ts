import type { Schema } from '@mandate/sdk'

export type RuleLimit = Schema<'RuleLimit'>

/** The units of a window, the longest first. */
export const windowUnits = [
  { unit: 'hours', one: 'hour', seconds: 3600 },
  { unit: 'minutes', one: 'minute', seconds: 60 },
  { unit: 'seconds', one: 'second', seconds: 1 },
] as const
export type WindowUnit = (typeof windowUnits)[number]['unit']

/** A window in the longest unit that gives a whole number: 2 hours, 90 minutes. */
export function windowParts(seconds: number): { length: number; unit: WindowUnit; one: string } {
  const { unit, one, seconds: each } = windowUnits.find((unit) => seconds % unit.seconds === 0) ?? windowUnits[2]
  return { length: seconds / each, unit, one }
}

export const secondsOf = (length: number, unit: WindowUnit) =>
  length * (windowUnits.find((one) => one.unit === unit)?.seconds ?? 1)

/** "at most 10 times in 1 hour", as edges and simulations say it. */
export function limitText({ count, window_s }: RuleLimit): string {
  const { length, unit, one } = windowParts(window_s)
  return `at most ${count === 1 ? 'once' : `${count} times`} in ${length} ${length === 1 ? one : unit}`
}
