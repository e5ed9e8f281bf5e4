import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Layout } from './layout.ts'
import { processArguments, processStart } from './process-identity.ts'

/** The data that a running server writes about itself into the file postmaster.pid of its cluster. */
export type Postmaster = { pid: number; socketDir: string; ready: boolean }

/**
 * Reads postmaster.pid. Does not check whether its process is alive. Returns null if the file does not exist or is incomplete.
 */
export async function readPostmaster(layout: Layout): Promise<Postmaster | null> {
  const text = await readFile(pidFile(layout), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  const lines = text?.split('\n') ?? []
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0) return null
  return { pid, socketDir: lines[4] ?? '', ready: lines[7]?.trim() === 'ready' }
}

/**
 * Returns the server that runs on exactly this cluster, or null. A different process that reuses the server's pid does not
 * count.
 */
export async function findLivePostmaster(layout: Layout): Promise<Postmaster | null> {
  const found = await readPostmaster(layout)
  return found && isServerOf(layout, found.pid) ? found : null
}

function isServerOf(layout: Layout, pid: number): boolean {
  return processStart(pid) !== null && processArguments(pid).join(' ').includes(` -D ${layout.cluster} `)
}

/**
 * Replaces the pid in the postmaster.pid of a crashed server with the pid of this process. Another process may use the old pid
 * now, and PostgreSQL would assume that the other process is its server. PostgreSQL ignores the pid of its own parent process.
 * The file itself is kept, because PostgreSQL needs its other lines to detect whether children of the crashed server still use
 * the cluster.
 */
export async function disarmStalePid(layout: Layout): Promise<void> {
  const text = await readFile(pidFile(layout), 'utf8').catch(() => null)
  if (text === null || (await findLivePostmaster(layout))) return
  if (!text.includes('\n')) await rm(pidFile(layout))
  else await writeFile(pidFile(layout), text.replace(/^-?\d+/, String(process.pid)))
}

/**
 * Stops a PostgreSQL server that still runs although the Mandate process that started it was killed. Does nothing if there is
 * no such server. The caller must hold the lock of the data folder.
 */
export async function stopLeftover(
  layout: Layout,
  log: (message: string, extra: { pid: number }) => void,
): Promise<void> {
  const leftover = await findLivePostmaster(layout)
  if (!leftover) return
  log('stopping an embedded database that a killed process left running', { pid: leftover.pid })
  await stopPostmaster(leftover.pid)
}

/**
 * Stops a server with a fast shutdown. If that does not end it, uses an immediate shutdown, and finally SIGKILL. Resolves when
 * the process has ended. Sends no signal to another process that has the same pid later, because the start time of that process
 * differs from `started` (see `processStart`).
 */
export async function stopPostmaster(pid: number, started = processStart(pid)): Promise<void> {
  for (const [signal, patienceMs] of [
    ['SIGINT', 30_000],
    ['SIGQUIT', 10_000],
    ['SIGKILL', 10_000],
  ] as const) {
    if (started === null || processStart(pid) !== started) return
    signalServer(pid, signal)
    const deadline = Date.now() + patienceMs
    while (Date.now() < deadline) {
      if (processStart(pid) !== started) return
      await pause(10)
    }
  }
  throw new Error(`PostgreSQL (process ${pid}) is still running after SIGKILL; wait until it has ended, then try again`)
}

/** Sends a signal. Does nothing if the process has already ended. */
export function signalServer(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function pidFile(layout: Layout): string {
  return join(layout.cluster, 'postmaster.pid')
}
