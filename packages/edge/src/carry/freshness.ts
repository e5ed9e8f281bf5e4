/** The two clocks of a machine, in milliseconds: the wall's, which jumps, and the monotonic one, which may stop in sleep. */
export interface Instant {
  wallMs: number
  monotonicMs: number
}

export type Clock = () => Instant

export const systemClock: Clock = () => ({ wallMs: Date.now(), monotonicMs: performance.now() })

/** How far back the wall's clock may have gone over a restart before what is on disk counts as of unknown age. */
const backwardLimitMs = 60_000

/** How old something is: by whichever clock says more, so that no jump makes it younger. */
export function ageMs(since: Instant, now: Instant): number {
  return Math.max(now.wallMs - since.wallMs, now.monotonicMs - since.monotonicMs)
}

/** The instant of something that only the wall's time is known of, from before this process; null when it cannot be told. */
export function recalled(wallMs: number, now: Instant): Instant | null {
  const age = now.wallMs - wallMs
  if (!Number.isFinite(age) || age < -backwardLimitMs) return null
  return { wallMs, monotonicMs: now.monotonicMs - Math.max(age, 0) }
}
