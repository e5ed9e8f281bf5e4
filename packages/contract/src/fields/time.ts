const pattern =
  /^(?<date>\d{4}-\d\d-\d\d)(?:T(?<time>\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:Z|(?<sign>[+-])(?<hours>\d\d):(?<minutes>\d\d))?)?$/

const maxOffsetMinutes = 14 * 60

/**
 * Reads a date or a time of ISO 8601. A time without a zone is in UTC, as a date is.
 * @returns milliseconds since 1970; undefined for any other text, and for a day or a time of day that does not exist
 */
export function parseTime(text: string): number | undefined {
  const { date, time = '00:00', sign, hours, minutes } = pattern.exec(text)?.groups ?? {}
  if (date === undefined) return undefined
  const offset = Number(hours ?? 0) * 60 + Number(minutes ?? 0)
  if (offset > maxOffsetMinutes || Number(minutes ?? 0) > 59) return undefined
  const local = new Date(`${date}T${time}Z`)
  // `Date` reads 31 February as 3 March, and 24:00 as the next day.
  if (Number.isNaN(local.getTime()) || !local.toISOString().startsWith(`${date}T${time.slice(0, 5)}`)) return undefined
  return local.getTime() - (sign === '-' ? -offset : offset) * 60_000
}

const dayMs = 24 * 60 * 60_000

/** Reads a day: a date, or the time at which a day begins in UTC. Returns the date; undefined for any other time or text. */
export function parseDay(text: string): string | undefined {
  const ms = parseTime(text)
  return ms === undefined || ms % dayMs !== 0
    ? undefined
    : new Date(ms).toISOString().slice(0, -'T00:00:00.000Z'.length)
}
