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

/**
 * How far the wall clock may go back across a restart, in milliseconds. If it goes back further, the age of a stored time is
 * unknown.
 */
const backwardLimitMs = 60_000

/**
 * Returns the age of an instant: the larger of its age by the wall clock and its age by the monotonic clock. So a clock that
 * jumps back or stops cannot make the age too small.
 */
export function ageMs(since: Instant, now: Instant): number {
  return Math.max(now.wallMs - since.wallMs, now.monotonicMs - since.monotonicMs)
}

/**
 * Converts a wall clock time that an earlier process stored to an instant. Returns null if the time is invalid, or more than a
 * minute in the future: its age is then unknown.
 */
export function recalled(wallMs: number, now: Instant): Instant | null {
  const age = now.wallMs - wallMs
  if (!Number.isFinite(age) || age < -backwardLimitMs) return null
  return { wallMs, monotonicMs: now.monotonicMs - Math.max(age, 0) }
}
