const toleranceMs = 15 * 60_000

/**
 * Returns a UUIDv7 that is not higher than the id of any row created at `time` or later. The time in an id and the creation
 * time of its row may differ by up to 15 minutes. The creation time is the start time of the request, and the clock may be
 * adjusted.
 */
export const lowestIdFrom = (time: string): string => lowestIdAt(Date.parse(time) - toleranceMs)

/**
 * Returns an id that is higher than the ids of all rows whose time is before `time`. It is an id of the time 15 minutes after
 * `time`, because the time in an id and the time of its row may differ by that much.
 */
export const lowestIdAfter = (time: string): string => lowestIdAt(Date.parse(time) + toleranceMs)

/** Returns the lowest UUIDv7 whose own time is `time` or later. The time of a row may differ from the time in its id. */
export const lowestIdAtTime = (time: string): string => lowestIdAt(Date.parse(time))

function lowestIdAt(ms: number): string {
  const hex = Math.min(Math.max(ms, 0), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
