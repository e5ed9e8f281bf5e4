import { parseDay, parseTime } from '@mandate/contract/fields/time'
import { isInTimeRange } from '@mandate/contract/fields/time-range'
import { usageFailure } from '../invocation/failure.ts'
import { dayExamples, timeExamples } from './time-examples.ts'

/** Reads the time of an option, and returns it as ISO 8601 in UTC. @throws Failure for another text */
export function timeFrom(option: string, text: string): string {
  const ms = parseTime(text)
  if (ms === undefined || !isInTimeRange(ms))
    throw usageFailure(`${option} takes a time such as ${timeExamples}; not ${text}`)
  return new Date(ms).toISOString()
}

/** Reads the day of an option, and returns its date. @throws Failure for another text, and for a time within a day */
function dayFrom(option: string, text: string): string {
  const day = parseDay(text)
  if (day === undefined || !isInTimeRange(parseTime(text)!))
    throw usageFailure(`${option} takes a day in UTC such as ${dayExamples}; not ${text}`)
  return day
}

/** The days of `--from` and `--to`, if they are given. */
export const daysFrom = ({ from, to }: { from?: string; to?: string }) => ({
  from: from === undefined ? undefined : dayFrom('--from', from),
  to: to === undefined ? undefined : dayFrom('--to', to),
})
