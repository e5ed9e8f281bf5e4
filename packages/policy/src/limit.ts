import { isRecord } from '@mandate/contract/fields/is-record'
import { mostUses, mostWindowS } from '@mandate/contract/words/policy-words'
import type { Effect, RuleLimit, RuleUses } from './types.ts'

/** An `allow` rule that matched a call, and whose limit does not let it decide. */
export type OverLimit = {
  rule_id: string
  /** How often the agent used the rule within the window. Null if it is not known. */
  uses: number | null
  reason: string
}

/** The limit of a malformed document. No call is within it. */
const closed: RuleLimit = { count: 0, window_s: 1 }

/** Returns the limit of a rule, or null if it has none. Only `allow` rules have limits. Never throws. */
export function limitOf(limit: unknown, effect: Effect): RuleLimit | null {
  if (effect !== 'allow' || limit === undefined || limit === null) return null
  if (!isRecord(limit) || !isCount(limit.count, mostUses) || !isCount(limit.window_s, mostWindowS)) return closed
  return { count: limit.count, window_s: limit.window_s }
}

/** Whether the value is a whole number from 1 to `most`. */
export function isCount(value: unknown, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most
}

/** Returns why the limit of a rule does not let the rule decide a call. Null if the rule may decide the call. */
export function overLimit(
  { id, name, limit }: { id: string; name: string; limit: RuleLimit | null },
  uses: RuleUses | undefined,
): OverLimit | null {
  if (limit === null) return null
  const count = uses?.get(id) ?? null
  if (count !== null && count < limit.count) return null
  const rule = name === '' ? 'a rule without a name' : `the rule ${JSON.stringify(name)}`
  const reason =
    count === null
      ? `it is not known how often ${rule} was used, and it allows calls ${limitText(limit)}`
      : `the limit of ${rule} is used up: ${limitText(limit)}`
  return { rule_id: id, uses: count, reason }
}

const units = [
  { unit: 'hour', seconds: 3600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
] as const

/** The limit in words, such as `at most 10 times in 1 hour`. */
export function limitText({ count, window_s }: RuleLimit): string {
  const { unit, seconds } = units.find((one) => window_s % one.seconds === 0) ?? units[2]
  const length = window_s / seconds
  return `at most ${count === 1 ? 'once' : `${count} times`} in ${length} ${unit}${length === 1 ? '' : 's'}`
}
