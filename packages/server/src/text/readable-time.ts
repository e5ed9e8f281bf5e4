// This file does not use `Intl`. A report page contains thousands of timestamps, and each call of `Intl` takes a tenth of a
// millisecond.
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Formats an ISO 8601 time as `22 Nov 2026, 07:38 UTC`. */
export function readableTime(at: string): string {
  return `${dayOf(at)} ${new Date(at).getUTCFullYear()}, ${timeOf(at)}`
}

/** Formats an ISO 8601 time as `22 Nov 2026, 07:38:05 UTC`, for records that are proof. */
export function exactTime(at: string): string {
  return `${dayOf(at)} ${new Date(at).getUTCFullYear()}, ${new Date(at).toISOString().slice(11, 19)} UTC`
}

/** Formats the deadline `at` as `22 Nov, 07:38 UTC (in 15 minutes)`. `at` and `now` are ISO 8601 times. */
export function readableDeadline(at: string, now: string): string {
  return `${dayOf(at)}, ${timeOf(at)} (in ${duration(Date.parse(at) - Date.parse(now))})`
}

function dayOf(at: string): string {
  const date = new Date(at)
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]}`
}

const timeOf = (at: string) => `${new Date(at).toISOString().slice(11, 16)} UTC`

function duration(milliseconds: number): string {
  const minutes = Math.max(1, Math.round(milliseconds / 60_000))
  const hours = Math.round(minutes / 60)
  if (minutes < 90) return counted(minutes, 'minute')
  return hours < 48 ? counted(hours, 'hour') : counted(Math.round(hours / 24), 'day')
}

const counted = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`
