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
  /** created if it does not exist; the cluster is in its subfolder `pg` */
  dataDir: string
  log?: (message: string, extra?: Record<string, unknown>) => void
  /** false gives up durability after a machine crash for speed; for tests only; default true */
  durable?: boolean
  /** more server settings, by their names in PostgreSQL */
  settings?: Record<string, string>
}

export type Embedded = {
  /** the superuser, which owns everything; for migrations and operators */
  ownerUrl: string
  /** the role of the server, which row-level security applies to; neither owner nor superuser */
  appUrl: string
  socketDir: string
  port: number
  readonly pid: number
  /** resolves when PostgreSQL ends for any reason; after a restart, a new promise */
  readonly exited: Promise<ServerExit>
  /** starts PostgreSQL again at the same address after it ended by itself; throws with its last output */
  restart(): Promise<void>
  /** stops PostgreSQL cleanly and frees the data folder; may be called twice */
  stop(): Promise<void>
}

/**
 * Starts the embedded PostgreSQL on `dataDir` and resolves when it accepts connections on a unix socket. Creates the cluster
 * at the first start. Works as root (PostgreSQL then runs as an unprivileged account) and as an ordinary user. First stops a
 * server that a killed process left.
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
      // a folder in the temporary folder of the system would stay forever
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

/** Stops the server when this process exits, if the system does not do that. */
function endWithProcess(server: RunningServer): void {
  const stopAtExit = () => signalServer(server.pid, 'SIGINT')
  process.once('exit', stopAtExit)
  server.exited.then(() => process.removeListener('exit', stopAtExit))
}
