/**
 * One moment by both clocks of a machine, in milliseconds. The wall clock may jump. The monotonic clock may stop during sleep.
 */
export interface Instant {
  wallMs: number
  monotonicMs: number
}

export type Clock = () => Instant

export const systemClock: Clock = () => ({ wallMs: Date.now(), monotonicMs: performance.now() })

/** If the wall clock went back by more than this during a restart, the age of stored confirmations is unknown. */
const backwardLimitMs = 60_000

/** The age of an instant: the larger one of the two clocks, so that a clock that jumps cannot make it smaller. */
export function ageMs(since: Instant, now: Instant): number {
  return Math.max(now.wallMs - since.wallMs, now.monotonicMs - since.monotonicMs)
}

/** The instant for a wall time that an earlier process stored. Null if its age is unknown. */
export function recalled(wallMs: number, now: Instant): Instant | null {
  const age = now.wallMs - wallMs
  if (!Number.isFinite(age) || age < -backwardLimitMs) return null
  return { wallMs, monotonicMs: now.monotonicMs - Math.max(age, 0) }
}
