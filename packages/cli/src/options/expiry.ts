import { parseTime } from '@mandate/contract/fields/time'
import { isInTimeRange } from '@mandate/contract/fields/time-range'
import { usageFailure } from '../invocation/failure.ts'
import { timeExamples } from './time-examples.ts'

const unitMs = { h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Parses a date, or a duration such as `90d`, to an ISO 8601 time. @param now Unix time in ms @throws Failure for any other text */
export function timeOf(text: string, now: number): string {
  const [, count, unit] = /^(\d{1,5})([hdw])$/.exec(text) ?? []
  if (count && unit) return new Date(now + Number(count) * unitMs[unit as keyof typeof unitMs]).toISOString()
  const ms = parseTime(text)
  if (ms === undefined || !isInTimeRange(ms))
    throw usageFailure(`--expires takes a time such as ${timeExamples}; or 90d, 12h, 4w; not ${text}`)
  return new Date(ms).toISOString()
}
