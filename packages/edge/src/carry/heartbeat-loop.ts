import { setTimeout as pause } from 'node:timers/promises'
import type { Carrier } from './carrier.ts'

/** Beats until stopped: at the interval the control plane tells, sooner after a failure or a change. */
export interface HeartbeatLoop {
  stop(): Promise<void>
}

const firstRetryMs = 500

export function startHeartbeats(carrier: Carrier, intervalMs: () => number): HeartbeatLoop {
  const stopping = new AbortController()
  const { signal } = stopping
  let failures = 0

  async function run(): Promise<void> {
    let waitMs = spread(intervalMs())
    while (!signal.aborted) {
      await pause(waitMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      const outcome = await carrier.beat(signal)
      failures = outcome.heard ? 0 : failures + 1
      if (!outcome.heard) waitMs = spread(Math.min(firstRetryMs * 2 ** Math.min(failures, 20), intervalMs()))
      // What was taken up is told at once, so that no one sees a drift that is over.
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

/** Up to a fifth less: never late, and edges started together drift apart. */
function spread(ms: number): number {
  return ms * (0.8 + 0.2 * Math.random())
}
