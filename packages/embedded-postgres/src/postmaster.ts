import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Layout } from './layout.ts'
import { processArguments, processStart } from './process-identity.ts'

/** What a running server writes about itself into its folder. */
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

/** The server that runs on exactly this cluster, or null. Ignores another process with the same pid. */
export async function findLivePostmaster(layout: Layout): Promise<Postmaster | null> {
  const found = await readPostmaster(layout)
  return found && isServerOf(layout, found.pid) ? found : null
}

function isServerOf(layout: Layout, pid: number): boolean {
  return processStart(pid) !== null && processArguments(pid).join(' ').includes(` -D ${layout.cluster} `)
}

/**
 * Replaces the pid of a crashed server, which another process may have now, so that PostgreSQL does not take that process for
 * a server. Keeps the file, because its other lines let PostgreSQL detect that children of the lost server still use the
 * cluster. The new pid is that of this process. PostgreSQL ignores the pid of its own parent.
 */
export async function disarmStalePid(layout: Layout): Promise<void> {
  const text = await readFile(pidFile(layout), 'utf8').catch(() => null)
  if (text === null || (await findLivePostmaster(layout))) return
  if (!text.includes('\n')) await rm(pidFile(layout))
  else await writeFile(pidFile(layout), text.replace(/^-?\d+/, String(process.pid)))
}

/** Stops the server that a killed process left, if there is one. The caller must hold the lock of the data folder. */
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
 * Stops a server: first by a fast shutdown, then by an immediate one, then by SIGKILL. Resolves when the process has ended.
 * `started` identifies the process if its pid was reused.
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
  throw new Error(`PostgreSQL, process ${pid}, does not stop`)
}

/** Sends a signal. Ignores that the process has ended. */
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
