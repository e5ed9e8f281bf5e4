const earliestMs = Date.parse('0001-01-01T00:00:00.000Z')
const latestMs = Date.parse('9999-12-31T23:59:59.999Z')

export const outOfTimeRange = 'must be a date between the years 1 and 9999'

/** True for a time between the years 1 and 9999, in milliseconds since 1970. ISO 8601 writes other years in a form that PostgreSQL cannot read. */
export const isInTimeRange = (ms: number) => ms >= earliestMs && ms <= latestMs

/** Returns a time as ISO 8601. A time outside the years 1 to 9999 becomes the first or last time of these years. */
export const timeInRange = (ms: number) => new Date(Math.min(Math.max(ms, earliestMs), latestMs)).toISOString()
