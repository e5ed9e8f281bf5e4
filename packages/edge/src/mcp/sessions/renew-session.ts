import { setTimeout as pause } from 'node:timers/promises'

/** When a tool server that has an older secret is restarted. */
export interface RenewalTiming {
  /** How long the edge waits for a moment without an open request, while further requests pass. */
  readonly calmMs: number
  /** After this time the server is restarted, and open requests fail. Between the two, further requests wait. */
  readonly latestMs: number
}

export const usualRenewal: RenewalTiming = { calmMs: 10_000, latestMs: 60_000 }
const lookMs = 20

/** What is renewed: a session, or a server without sessions. */
export interface Renewable {
  /** True if no request waits for an answer of the server. */
  readonly isCalm: boolean
  /** True if it ends anyway. */
  readonly isEnding: boolean
}

/**
 * Waits until no request is open, at the latest until `latestMs`. Calls `hold` after `calmMs`, from when on no further request may be sent, and
 * right before it resolves.
 */
export async function waitForCalm(
  one: Renewable,
  hold: () => void,
  { calmMs, latestMs }: RenewalTiming,
): Promise<void> {
  const startMs = performance.now()
  for (;;) {
    const waitedMs = performance.now() - startMs
    if (one.isCalm || one.isEnding || waitedMs >= latestMs) break
    if (waitedMs >= calmMs) hold()
    await pause(Math.min(lookMs, Math.max(1, latestMs - waitedMs)))
  }
  hold()
}
