import { rmdir } from 'node:fs/promises'
import { chooseAccount } from './account.ts'
import { prepareBinaries } from './binaries.ts'
import { ensureCluster } from './cluster.ts'
import { connectionUrls } from './credentials.ts'
import { finishRestore } from './finish-restore.ts'
import { launcherFor } from './launch.ts'
import { makeDataDir } from './layout.ts'
import { lockDataDir } from './owner-lock.ts'
import { disarmStalePid, signalServer, stopLeftover, stopPostmaster } from './postmaster.ts'
import { processStart } from './process-identity.ts'
import { runServer, type ServerExit } from './run-server.ts'
import { prepareSocketFolder, socketPort } from './socket-folder.ts'

export type EmbeddedOptions = {
  /** made when missing; the cluster stands in its subfolder `pg` */
  dataDir: string
  log?: (message: string, extra?: Record<string, unknown>) => void
  /** false trades safety against a machine's crash for speed: for tests only. Default true */
  durable?: boolean
  /** more server settings, by PostgreSQL's own names */
  settings?: Record<string, string>
}

export type Embedded = {
  /** superuser, owner of everything: migrations and operators */
  ownerUrl: string
  /** the server's own role: no owner, no superuser, row-level security holds it */
  appUrl: string
  socketDir: string
  port: number
  pid: number
  /** resolves when PostgreSQL ends, whether asked to or not */
  exited: Promise<ServerExit>
  /** stops PostgreSQL cleanly and frees the data folder; may be called twice */
  stop(): Promise<void>
}

/**
 * Starts the embedded PostgreSQL on `dataDir`, making the cluster on first use, and resolves when it takes connections on
 * a unix socket. Works as root (PostgreSQL then runs as an unprivileged account) and as an ordinary user. A server left
 * behind by a killed process is stopped first. Throws EmbeddedInUse when a live process owns the folder.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { durable = true, settings = {}, log = () => {} } = options
  const layout = await makeDataDir(options.dataDir)
  const lock = await lockDataDir(layout.dataDir)
  try {
    await stopLeftover(layout, log)
    await finishRestore(layout)
    const account = await chooseAccount(layout.dataDir)
    const binaries = await prepareBinaries(account, layout.binaries)
    const launch = launcherFor(account)
    const { credentials, created } = await ensureCluster({ layout, account, binaries, launch, durable })
    if (created) log('embedded database created', { dataDir: layout.dataDir })
    const socketDir = await prepareSocketFolder(layout, account)
    await disarmStalePid(layout)
    const server = await runServer({ launch, postgres: binaries.postgres, layout, socketDir, durable, settings })
    log('embedded database started', { pid: server.pid, socketDir, account: account.kind })
    const stop = stopOnce(server, async () => {
      // one under the system's temporary files would stay there for ever
      if (socketDir !== layout.run) await rmdir(socketDir).catch(() => {})
      await lock.release()
    })
    return { ...connectionUrls(credentials, socketDir), socketDir, port: socketPort, ...server, stop }
  } catch (error) {
    await lock.release()
    throw error
  }
}

function stopOnce(
  server: { pid: number; exited: Promise<ServerExit> },
  release: () => Promise<void>,
): () => Promise<void> {
  // where nothing ties the server to this process's life, a plain exit still takes it along
  const stopAtExit = () => signalServer(server.pid, 'SIGINT')
  process.once('exit', stopAtExit)
  server.exited.then(() => process.removeListener('exit', stopAtExit))
  const started = processStart(server.pid)
  let stopping: Promise<void> | undefined
  return () => {
    stopping ??= stopPostmaster(server.pid, started).then(release)
    return stopping
  }
}
