import { rmdir } from 'node:fs/promises'
import { chooseAccount } from './account.ts'
import { finishRestore } from './archive/restore.ts'
import { prepareBinaries } from './binaries.ts'
import { ensureCluster } from './cluster.ts'
import { connectionUrls } from './credentials.ts'
import { launcherFor } from './launch.ts'
import { makeDataDir } from './layout.ts'
import { lockDataDir } from './owner-lock.ts'
import { disarmStalePid, signalServer, stopLeftover, stopPostmaster } from './postmaster.ts'
import { type RunningServer, runServer, type ServerExit } from './run-server.ts'
import { prepareSocketFolder, socketPort } from './socket-folder.ts'

export type EmbeddedOptions = {
  /** the data folder, created if it does not exist; the cluster is in its subfolder `pg` */
  dataDir: string
  log?: (message: string, extra?: Record<string, unknown>) => void
  /** with false, writes are faster but may be lost if the machine crashes; only for tests; default true */
  durable?: boolean
  /** additional PostgreSQL settings, by name */
  settings?: Record<string, string>
}

export type Embedded = {
  /** connects as the superuser, who owns all tables; for migrations and operator commands */
  ownerUrl: string
  /** connects as the role of the server, which is neither owner nor superuser, so row-level security applies to it */
  appUrl: string
  socketDir: string
  port: number
  readonly pid: number
  /** resolves when PostgreSQL ends for any reason; each restart creates a new promise */
  readonly exited: Promise<ServerExit>
  /** starts PostgreSQL again at the same address after it ended unexpectedly; fails with PostgreSQL's last output */
  restart(): Promise<void>
  /** stops PostgreSQL cleanly and releases the lock of the data folder; may be called twice */
  stop(): Promise<void>
}

/**
 * Starts the embedded PostgreSQL on `dataDir`. Resolves when it accepts connections on a unix socket. The first start creates
 * the cluster. An ordinary user and root can both start it; if root starts it, PostgreSQL runs as an unprivileged account. If a
 * killed process left its server running, that server is stopped first.
 * @throws EmbeddedInUse if a live process owns the folder
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
      // A socket folder in the temporary folder of the system would remain forever, so it is removed.
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

/** Stops the PostgreSQL server when this process exits. Needed on systems without `setpriv` (see `launcherFor`). */
function endWithProcess(server: RunningServer): void {
  const stopAtExit = () => signalServer(server.pid, 'SIGINT')
  process.once('exit', stopAtExit)
  server.exited.then(() => process.removeListener('exit', stopAtExit))
}
