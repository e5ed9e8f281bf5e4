import { rmdir } from 'node:fs/promises'
import { chooseAccount } from './account.ts'
import { prepareBinaries } from './binaries.ts'
import { ensureCluster } from './cluster.ts'
import { connectionUrls } from './credentials.ts'
import { launcherFor } from './launch.ts'
import { makeDataDir } from './layout.ts'
import { lockDataDir } from './owner-lock.ts'
import { disarmStalePid, signalServer, stopLeftover, stopPostmaster } from './postmaster.ts'
import { finishRestore } from './restore.ts'
import { type RunningServer, runServer, type ServerExit } from './run-server.ts'
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
  readonly pid: number
  /** resolves when PostgreSQL ends, whether asked to or not; after a restart, the new one */
  readonly exited: Promise<ServerExit>
  /** starts PostgreSQL again after it ended by itself, at the same address; throws with its last words */
  restart(): Promise<void>
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
    let socketDir = ''
    const run = async () => {
      socketDir = await prepareSocketFolder(layout, account)
      await disarmStalePid(layout)
      const server = await runServer({ launch, postgres: binaries.postgres, layout, socketDir, durable, settings })
      log('embedded database started', { pid: server.pid, socketDir, account: account.kind })
      endWithProcess(server)
      return server
    }
    let server = await run()
    let restarting: Promise<void> = Promise.resolve()
    let stopping: Promise<void> | undefined
    const stop = async () => {
      await restarting.catch(() => {})
      await stopPostmaster(server.pid, server.started)
      // one under the system's temporary files would stay there for ever
      if (socketDir !== layout.run) await rmdir(socketDir).catch(() => {})
      await lock.release()
    }
    return {
      ...connectionUrls(credentials, socketDir),
      socketDir,
      port: socketPort,
      get pid() {
        return server.pid
      },
      get exited() {
        return server.exited
      },
      restart() {
        if (stopping) return Promise.reject(new Error('the embedded database is being stopped'))
        restarting = run().then((next) => {
          server = next
        })
        return restarting
      },
      stop() {
        stopping ??= stop()
        return stopping
      },
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Where nothing ties the server to this process's life, a plain exit still takes it along. */
function endWithProcess(server: RunningServer): void {
  const stopAtExit = () => signalServer(server.pid, 'SIGINT')
  process.once('exit', stopAtExit)
  server.exited.then(() => process.removeListener('exit', stopAtExit))
}
