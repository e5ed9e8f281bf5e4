import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'

/** Runs `drain` with a time limit. Returns false if it failed or took longer than `limitMs`. Never throws. */
export async function drainInTime(drain: () => Promise<void>, log: Logger, limitMs: number): Promise<boolean> {
  const drained = drain().then(
    () => 'clean' as const,
    (error) => {
      log.fatal({ err: error }, 'the server could not stop cleanly')
      return 'failed' as const
    },
  )
  const end = await Promise.race([drained, pause(limitMs, 'late' as const, { ref: false })])
  if (end === 'late') log.fatal({ limit_ms: limitMs }, 'the server did not stop in time; the process exits now')
  return end === 'clean'
}
