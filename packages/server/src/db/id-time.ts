const toleranceMs = 15 * 60_000

/**
 * The lowest UUIDv7 that a row written at `time` or later can have. Allows a difference of 15 minutes between the time in an id and the
 * row's time: rows carry the start time of their request, and clocks are corrected.
 */
export const lowestIdFrom = (time: string): string => lowestIdAt(Date.parse(time) - toleranceMs)

/** An id that is higher than the id of every row written before `time`, with the same tolerance. */
export const lowestIdAfter = (time: string): string => lowestIdAt(Date.parse(time) + toleranceMs)

function lowestIdAt(ms: number): string {
  const hex = Math.min(Math.max(ms, 0), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
