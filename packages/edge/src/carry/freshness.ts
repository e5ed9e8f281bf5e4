/**
 * One point in time on both clocks of a machine, in milliseconds. The wall clock may jump. The monotonic clock may stop while
 * the machine sleeps.
 */
export interface Instant {
  wallMs: number
  monotonicMs: number
}

export type Clock = () => Instant

export const systemClock: Clock = () => ({ wallMs: Date.now(), monotonicMs: performance.now() })

/** Tolerance for the wall clock across a restart. If the clock went back by more than this, the age of stored confirmations is unknown. */
const backwardLimitMs = 60_000

/**
 * Returns the age of an instant. This is the larger of the ages by the two clocks, so that a clock that jumps back cannot
 * make the age too small.
 */
export function ageMs(since: Instant, now: Instant): number {
  return Math.max(now.wallMs - since.wallMs, now.monotonicMs - since.monotonicMs)
}

/** Converts a wall clock time that an earlier process stored to an instant. Returns null if its age is unknown. */
export function recalled(wallMs: number, now: Instant): Instant | null {
  const age = now.wallMs - wallMs
  if (!Number.isFinite(age) || age < -backwardLimitMs) return null
  return { wallMs, monotonicMs: now.monotonicMs - Math.max(age, 0) }
}
