import { parseTime } from '@mandate/contract/fields/time'
import { isInTimeRange } from '@mandate/contract/fields/time-range'
import { usageFailure } from '../invocation/failure.ts'
import { timeExamples } from './time-examples.ts'

/** Reads the time of an option, and returns it as ISO 8601 in UTC. @throws Failure for another text */
export function timeFrom(option: string, text: string): string {
  const ms = parseTime(text)
  if (ms === undefined || !isInTimeRange(ms))
    throw usageFailure(`${option} takes a time such as ${timeExamples}; not ${text}`)
  return new Date(ms).toISOString()
}
