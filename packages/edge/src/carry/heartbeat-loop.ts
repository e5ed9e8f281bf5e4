import { setTimeout as pause } from 'node:timers/promises'
import type { Carrier } from './carrier.ts'

/**
 * Sends heartbeats until stopped, at the interval that the control plane sets. Waits less after a failed heartbeat or after a
 * profile change.
 */
export interface HeartbeatLoop {
  stop(): Promise<void>
}

const firstRetryMs = 500

/** @param wasHeard whether the control plane answered the heartbeat before */
export function startHeartbeats(carrier: Carrier, intervalMs: () => number, wasHeard: boolean): HeartbeatLoop {
  const stopping = new AbortController()
  const { signal } = stopping
  let failures = wasHeard ? 0 : 1
  const retryMs = () => spread(Math.min(firstRetryMs * 2 ** Math.min(failures, 20), intervalMs()))

  async function run(): Promise<void> {
    let waitMs = wasHeard ? spread(intervalMs()) : retryMs()
    while (!signal.aborted) {
      await pause(waitMs, undefined, { signal }).catch(() => {})
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
