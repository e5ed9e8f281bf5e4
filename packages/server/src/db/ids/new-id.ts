import { v7 } from 'uuid'

const nearMs = 10 * 60_000

let sequence = 0

/** Creates a UUIDv7. Ids are ordered by time, so `order by id desc` returns the newest rows first. */
export function newId(): string {
  return v7()
}

/**
 * Creates a UUIDv7 for a row whose time is `time`. The time in the id differs from `time` by at most 10 minutes, even if the
 * server's clock was changed. Reads rely on this limit when they convert a time range to a range of ids (`id-time.ts`). If
 * `time` is within 10 minutes of the current time, ids sort in the order in which they were created.
 */
export function newIdNear(time: string): string {
  const msecs = Date.parse(time)
  const id = newId()
  if (Math.abs(timeOfId(id) - msecs) <= nearMs) return id
  sequence = (sequence + 1) % 2 ** 32
  return v7({ msecs, seq: sequence })
}

/** Returns the time of a UUIDv7, in milliseconds since 1970. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}
