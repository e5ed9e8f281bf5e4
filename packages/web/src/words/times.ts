const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const exactFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' })
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const yearFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const clockFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const secondFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

/** The time with its date and time zone, as the reader's system has it. */
export const exactTime = (at: string | number) => exactFormat.format(new Date(at))

/** The day of a time, with its year: "3 Dec 2026". What is not a time is shown as it is. */
export const dayOf = (at: string) => (Number.isNaN(Date.parse(at)) ? at : yearFormat.format(new Date(at)))

/** The time zone of the reader's system, for pages whose times do not name it: "Europe/Oslo". */
export const timeZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone.replace(/^Etc\//, '')

/** The date, with the year if it is not the present year. */
const dateOf = (then: Date, now: number) =>
  (then.getFullYear() === new Date(now).getFullYear() ? dayFormat : yearFormat).format(then)

/** The date and the time of day. */
export function datedTime(at: string, now = Date.now(), clock = clockFormat): string {
  const then = new Date(at)
  return `${dateOf(then, now)}, ${clock.format(then)}`
}

/** The time of day, with the date if it is not today. It does not change while the page is open. */
export function clockTime(at: string, now = Date.now(), clock = clockFormat): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString()
  return isToday ? clock.format(new Date(at)) : datedTime(at, now, clock)
}

/** The time of day with its seconds, with the date if it is not today. */
export const secondsTime = (at: string, now: number) => clockTime(at, now, secondFormat)

/** The time at which numbers of the last minute were counted: "as of 14:02:11". */
export const asOf = (at: string) => `as of ${secondFormat.format(new Date(at))}`

/** The time as a person would say it now: "12 s ago", "14:02", "yesterday", "3 Nov". */
export function relativeTime(at: string | number, now: number): string {
  const then = new Date(at)
  const past = now - then.getTime()
  // The clock of the server may be a little ahead.
  if (past < 0) return past > -minute ? 'now' : `in ${timeLeft(-past)}`
  if (past < hour) return past < 1000 ? 'now' : `${duration(past)} ago`
  const startOfToday = new Date(now).setHours(0, 0, 0, 0)
  if (then.getTime() >= startOfToday) return clockFormat.format(then)
  if (then.getTime() >= startOfToday - day) return `yesterday, ${clockFormat.format(then)}`
  return dateOf(then, now)
}

/** A length of time in at most two units: "48 s", "1 min 48 s", "2 h 10 min", "4 days". */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  if (seconds < 60) return `${seconds} s`
  if (milliseconds < 10 * minute) return twoUnits(seconds, 60, 'min', 's')
  if (milliseconds < hour) return `${Math.floor(seconds / 60)} min`
  if (milliseconds < day) return twoUnits(Math.floor(seconds / 60), 60, 'h', 'min')
  const days = Math.floor(milliseconds / day)
  return days === 1 ? '1 day' : `${days} days`
}

/** How much time is left: "6 s", "7 days". Seconds are rounded up, so the result is never "0 s". Minutes and days are rounded to the nearest one. */
export function timeLeft(milliseconds: number): string {
  if (milliseconds < 10 * minute) return duration(Math.max(1, Math.ceil(milliseconds / 1000)) * 1000)
  const unit = milliseconds < day ? minute : day
  return duration(Math.round(milliseconds / unit) * unit)
}

/** A time in the future: "in 6 s", "in 7 days". After that time the text is that of `relativeTime`, such as "12 s ago". */
export function timeAhead(at: string, now: number): string {
  const left = Date.parse(at) - now
  return left > 0 ? `in ${timeLeft(left)}` : relativeTime(at, now)
}

/** How long ago something was, in one unit: "12 s", "6 min", "3 h", "2 days". */
export function age(at: string, now: number): string {
  const past = Math.max(0, now - Date.parse(at))
  if (past < minute) return `${Math.floor(past / 1000)} s`
  if (past < hour) return `${Math.floor(past / minute)} min`
  if (past < day) return `${Math.floor(past / hour)} h`
  return duration(past)
}

function twoUnits(value: number, perLarge: number, large: string, small: string): string {
  const rest = value % perLarge
  return `${Math.floor(value / perLarge)} ${large}${rest > 0 ? ` ${rest} ${small}` : ''}`
}
