import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Layout } from './layout.ts'
import { processArguments, processStart } from './process-identity.ts'

/** What a running server writes into its folder about itself. */
export type Postmaster = { pid: number; socketDir: string; ready: boolean }

/** Reads postmaster.pid, whether or not its process lives. Null if the file does not exist or is half written. */
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

/** The server now running on this very cluster, or null. A process that merely has its pid is not taken for it. */
export async function findLivePostmaster(layout: Layout): Promise<Postmaster | null> {
  const found = await readPostmaster(layout)
  return found && isServerOf(layout, found.pid) ? found : null
}

function isServerOf(layout: Layout, pid: number): boolean {
  return processStart(pid) !== null && processArguments(pid).join(' ').includes(` -D ${layout.cluster} `)
}

/**
 * Keeps a pid that another process got after a crash from being mistaken for a server by PostgreSQL itself. The file
 * stays: its other lines let PostgreSQL see whether a lost server's children still hold the cluster. Its own parent's
 * pid, ours, is one it knows to pass over.
 */
export async function disarmStalePid(layout: Layout): Promise<void> {
  const text = await readFile(pidFile(layout), 'utf8').catch(() => null)
  if (text === null || (await findLivePostmaster(layout))) return
  if (!text.includes('\n')) await rm(pidFile(layout))
  else await writeFile(pidFile(layout), text.replace(/^-?\d+/, String(process.pid)))
}

/** Stops the server a killed process left behind, if there is one. Only for who holds the data folder's lock. */
export async function stopLeftover(
  layout: Layout,
  log: (message: string, extra: { pid: number }) => void,
): Promise<void> {
  const leftover = await findLivePostmaster(layout)
  if (!leftover) return
  log('stopping the database a killed process left behind', { pid: leftover.pid })
  await stopPostmaster(leftover.pid)
}

/**
 * Stops a server: at once but cleanly, then without a clean end, then by force. Resolves when the process is gone.
 * `started` names the process meant, should its pid since have gone to another.
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
  throw new Error(`PostgreSQL, process ${pid}, does not end`)
}

/** Sends a signal; that the process has just gone is no error. */
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
