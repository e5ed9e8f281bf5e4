import { v7 } from 'uuid'

const nearMs = 10 * 60_000

let sequence = 0

/** A UUIDv7: time-ordered, so that newest first is `order by id desc`. */
export function newId(): string {
  return v7()
}

/**
 * A UUIDv7 whose time is at most 10 minutes from `time`, whatever the clock says: reads turn a span of time into a span of ids
 * (`id-time.ts`). Ids near the present are in the order in which they were made.
 */
export function newIdNear(time: string): string {
  const msecs = Date.parse(time)
  const id = newId()
  if (Math.abs(timeOfId(id) - msecs) <= nearMs) return id
  sequence = (sequence + 1) % 2 ** 32
  return v7({ msecs, seq: sequence })
}

/** The time in a UUIDv7, in milliseconds of the Unix epoch. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}
