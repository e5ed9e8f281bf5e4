import { setTimeout as pause } from 'node:timers/promises'
import type { Carrier } from './carrier.ts'

/**
 * Sends heartbeats until stopped, at the interval that the control plane sets. Waits less after a failed heartbeat or after a
 * profile change.
 */
export interface HeartbeatLoop {
  /** Sends the next heartbeat within this time, at a random moment. */
  beatWithin(ms: number): void
  stop(): Promise<void>
}

const firstRetryMs = 500

/** @param wasHeard whether the control plane answered the heartbeat before */
export function startHeartbeats(carrier: Carrier, intervalMs: () => number, wasHeard: boolean): HeartbeatLoop {
  const stopping = new AbortController()
  const { signal } = stopping
  let failures = wasHeard ? 0 : 1
  const retryMs = () => spread(Math.min(firstRetryMs * 2 ** Math.min(failures, 20), intervalMs()))
  let hurry = new AbortController()
  let hurryMs = 0

  /** Waits until the next heartbeat is due. */
  async function wait(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: AbortSignal.any([signal, hurry.signal]) }).catch(() => {})
    if (!hurry.signal.aborted) return
    hurry = new AbortController()
    await pause(hurryMs * Math.random(), undefined, { signal }).catch(() => {})
  }

  async function run(): Promise<void> {
    let waitMs = wasHeard ? spread(intervalMs()) : retryMs()
    while (!signal.aborted) {
      await wait(waitMs)
      if (signal.aborted) return
      const outcome = await carrier.beat(signal)
      failures = outcome.heard ? 0 : failures + 1
      if (!outcome.heard) waitMs = retryMs()
      // Reports a new profile at once. Otherwise the control plane would still show the edge as outdated.
      else waitMs = outcome.changed ? 0 : spread(intervalMs())
    }
  }

  const running = run()
  return {
    beatWithin(ms) {
      hurryMs = ms
      hurry.abort()
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** Shortens a wait by up to 20 %, so that edges that started together do not send at the same time. */
function spread(ms: number): number {
  return ms * (0.8 + 0.2 * Math.random())
}
