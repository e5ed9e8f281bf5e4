import type { ChildProcess } from 'node:child_process'
import { open, rename, stat } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { Launcher } from './launch.ts'
import type { Layout } from './layout.ts'
import { readPostmaster } from './postmaster.ts'
import { processStart } from './process-identity.ts'
import { socketPort } from './socket-folder.ts'
import { UnusableDataFolder } from './unusable-data-folder.ts'

const largestLogBytes = 5 * 1024 * 1024
const orphansLimitMs = 20_000
const startLimitMs = 10 * 60_000 // Limit for the start. It is long, because recovery after a crash can take a long time.

export type ServerExit = { code: number | null; signal: NodeJS.Signals | null }
/** `started` is the start of the process. It distinguishes the process from a later one with the same pid. */
export type RunningServer = { pid: number; started: string | null; exited: Promise<ServerExit> }

type ServerOptions = {
  launch: Launcher
  postgres: string
  layout: Layout
  socketDir: string
  durable: boolean
  settings: Record<string, string>
}

/**
 * Starts the server on an existing cluster. Resolves when the server accepts connections.
 * @throws with the server's last output if it does not start
 */
export async function runServer(options: ServerOptions): Promise<RunningServer> {
  for (const deadline = Date.now() + orphansLimitMs; ; await pause(100)) {
    const outcome = await tryServer(options)
    if ('pid' in outcome) return outcome
    // Children of a killed server may need a moment to exit. PostgreSQL does not open the cluster until they have exited.
    const orphansRemain = outcome.lastWords.includes('pre-existing shared memory block')
    if (orphansRemain && Date.now() < deadline) continue
    throw new UnusableDataFolder(`PostgreSQL did not start on ${options.layout.cluster}: ${outcome.lastWords}`)
  }
}

async function tryServer(options: ServerOptions): Promise<RunningServer | { lastWords: string }> {
  const { layout } = options
  const logged = (await stat(layout.log).catch(() => null))?.size ?? 0
  if (logged > largestLogBytes) await rename(layout.log, `${layout.log}.1`)
  const log = await open(layout.log, 'a+', 0o600)
  try {
    const logStart = (await log.stat()).size
    const settings = Object.entries(settingsFor(options)).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const child = options.launch(options.postgres, ['-D', layout.cluster, ...settings], { output: log.fd })
    child.unref()
    const exited = exitOf(child)
    if (await untilReady(layout, child, exited)) return { pid: child.pid!, started: processStart(child.pid!), exited }
    child.kill('SIGQUIT')
    const printed = Buffer.alloc((await log.stat()).size - logStart)
    await log.read(printed, 0, printed.length, logStart)
    return { lastWords: printed.toString().trim().split('\n').slice(-8).join('\n') }
  } finally {
    await log.close()
  }
}

async function untilReady(layout: Layout, child: ChildProcess, exited: Promise<ServerExit>): Promise<boolean> {
  let gone = false
  const deadline = Date.now() + startLimitMs
  exited.then(() => {
    gone = true
  })
  while (!gone && Date.now() < deadline) {
    const found = await readPostmaster(layout)
    if (found?.pid === child.pid && found?.ready) return true
    await pause(5)
  }
  return false
}

/** Resolves when the process ends. Also resolves if the process could not be started. */
function exitOf(child: ChildProcess): Promise<ServerExit> {
  return new Promise((resolve) => {
    child.once('error', () => resolve({ code: null, signal: null }))
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
}

function settingsFor(options: { socketDir: string; durable: boolean; settings: Record<string, string> }) {
  const careless = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
  return {
    listen_addresses: '',
    // A list. Without quotes, PostgreSQL would split the path at a comma.
    unix_socket_directories: `"${options.socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    port: String(socketPort),
    timezone: 'UTC',
    // Vacuum often. Until a vacuum, the first read of a rare value scans all rows that had the value before.
    autovacuum_naptime: '15s',
    log_timezone: 'UTC',
    // PostgreSQL must not log failed statements, because their text may contain personal data. The caller logs the errors.
    log_min_messages: 'log',
    log_checkpoints: 'off',
    ...(options.durable ? {} : careless),
    ...options.settings,
  }
}
