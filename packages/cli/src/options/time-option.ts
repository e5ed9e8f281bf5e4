import { usageFailure } from '../invocation/failure.ts'

/** Reads the time of an option, and returns it as ISO 8601 in UTC. @throws Failure for another text */
export function timeFrom(option: string, text: string): string {
  const ms = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms))
    throw usageFailure(`${option} takes a time such as 2026-01-31 or 2026-01-31T09:00:00Z, not ${text}`)
  return new Date(ms).toISOString()
}
