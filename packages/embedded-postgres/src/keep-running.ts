import { setTimeout as pause } from 'node:timers/promises'
import type { Embedded } from './start-embedded.ts'

const triesInARow = 5
const shortLifeMs = 10_000
const firstPauseMs = 100
const longestPauseMs = 5_000

type Log = (message: string, extra: Record<string, unknown>) => void

/** A database that is restarted whenever it ends unexpectedly. */
export interface KeptRunning {
  /** Resolves when several restarts in a row have failed. The database is then not restarted again. */
  lost: Promise<void>
  stop(): Promise<void>
}

/**
 * Watches the embedded database. If the database ends unexpectedly, restarts it at the same address. The first restart is
 * immediate. If the database ends again soon after its start, the pauses before the next restarts get longer. While the disk is
 * full, it never stops trying.
 */
export function keepRunning(
  database: Pick<Embedded, 'exited' | 'restart' | 'stop'>,
  log: Log,
  isDiskFull: () => Promise<boolean> = async () => false,
): KeptRunning {
  const stopping = new AbortController()
  const watching = watch(database, stopping.signal, log, isDiskFull)
  return {
    lost: watching.then((outcome) => (outcome === 'given up' ? undefined : new Promise(() => {}))),
    async stop() {
      stopping.abort()
      await database.stop()
      await watching
    },
  }
}

async function watch(
  database: Pick<Embedded, 'exited' | 'restart'>,
  stopped: AbortSignal,
  log: Log,
  isDiskFull: () => Promise<boolean>,
) {
  for (let soon = 0; ; ) {
    const since = Date.now()
    const { code, signal } = await database.exited
    if (stopped.aborted) return 'stopped'
    soon = Date.now() - since < shortLifeMs ? soon + 1 : 0
    log('embedded database ended unexpectedly; restarting it', { code, signal })
    if (soon > 1) await rest(soon - 1, stopped)
    if (!(await startAgain(database, stopped, log, isDiskFull))) return stopped.aborted ? 'stopped' : 'given up'
  }
}

async function startAgain(
  { restart }: Pick<Embedded, 'restart'>,
  stopped: AbortSignal,
  log: Log,
  isDiskFull: () => Promise<boolean>,
): Promise<boolean> {
  for (let tries = 1; !stopped.aborted; tries++) {
    try {
      await restart()
      return true
    } catch (error) {
      log('embedded database could not be restarted', { reason: String(error), tries })
      if (await isDiskFull()) tries = 0
      else if (tries >= triesInARow) return false
      await rest(Math.max(1, tries), stopped)
    }
  }
  return false
}

/**
 * Waits before the next restart. Each pause is twice as long as the one before. Returns early when the database is stopped.
 */
async function rest(times: number, stopped: AbortSignal): Promise<void> {
  const restMs = Math.min(longestPauseMs, firstPauseMs * 2 ** times)
  await pause(restMs, undefined, { signal: stopped }).catch(() => {})
}
