import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { authenticateAtUpgrade, macMigration } from '../audit/authenticate-waiting.ts'
import { type Sealer, startSealer } from '../audit/start-sealer.ts'
import { type Config, localUrl } from '../config.ts'
import { migrate } from '../db/schema/migrate.ts'
import { findGapsInSecondWall } from '../db/schema/second-wall.ts'
import { recordMissingHistories } from '../features/policies/versions/record-missing-histories.ts'
import { routes } from '../features/routes.ts'
import { createApp } from '../http/create-app.ts'
import { startWorker, type Worker } from '../jobs/start-worker.ts'
import { entryKeysOf } from '../security/entry-keys.ts'
import type { Services } from '../services.ts'
import { checkSecrets } from './check-secrets.ts'
import { closeServices, createServices } from './create-services.ts'
import { explainFailure } from './explain-failure.ts'
import { StartFailure } from './failure.ts'
import { loadMetricsToken } from './metrics-token.ts'
import { isNewDatabase, openDatabase } from './open-database.ts'
import { warningOfOtherInstances } from './other-instances.ts'
import { loadSecrets } from './secrets.ts'

const inFlightLimitMs = 30_000

export interface RunningServer {
  /** The address that the server listens on, such as `http://127.0.0.1:8080`. */
  url: string
  /** True if the database was empty before this start. */
  firstStart: boolean
  /** Resolves if the embedded database has ended and cannot be restarted. The server can no longer work then. */
  databaseLost: Promise<void>
  /**
   * Stops the server. Readiness is switched off, then no new connections are accepted, then running requests and jobs finish,
   * and then the database stops.
   */
  drain(): Promise<void>
}

/**
 * Starts all parts of the server. The server accepts no requests until all checks have passed. If a step fails, the earlier
 * steps are undone.
 */
export async function startServer(config: Config, log: Logger): Promise<RunningServer> {
  const undo: (() => Promise<unknown>)[] = []
  const unwind = async () => {
    for (const step of undo.reverse()) await step()
  }
  try {
    const database = await openDatabase(config, log)
    undo.push(() => database.stop())
    let firstStart = false
    const secrets = await loadSecrets(config, () => isNewDatabase(database.ownerUrl))
    const entryKeys = entryKeysOf(secrets.vaultKey, config.previousVaultKeys)
    const migrated = await migrate(database.ownerUrl, {
      steps: { [macMigration]: (owner) => authenticateAtUpgrade(owner, entryKeys) },
    })
    if (migrated.length > 0) {
      firstStart = migrated.some((file) => file.startsWith('0001'))
      log.info({ files: migrated }, 'database migrated')
    }
    const replaced = await checkSecrets(database.ownerUrl, secrets, config)
    if (replaced.length > 0) log.warn({ secrets: replaced }, 'this instance replaced secrets of the installation')
    const services = await createServices(config, secrets, database.appUrl, log)
    undo.push(() => closeServices(services))
    await checkSecondWall(services)
    // A policy without versions can only exist after a migration from an older schema.
    if (migrated.length > 0) await recordMissingHistories(services.db)
    const onOthers = warningOfOtherInstances(config, log)
    const worker = await startWorker(services, database.ownerUrl, { isAlone: !config.databaseUrl, onOthers })
    undo.push(() => worker.stop())
    const sealer = startSealer(services)
    undo.push(() => sealer.close())
    config.metricsToken = await loadMetricsToken(config)
    const app = createApp(services, routes)
    const port = await listen(app, config)
    config.publicUrl = config.publicUrl.replace(/:0$/, `:${port}`)
    const drain = () => drainAll({ services, app, worker, sealer, stopDatabase: database.stop })
    return { url: localUrl(config.host, port), firstStart, databaseLost: database.lost, drain }
  } catch (error) {
    await unwind().catch((failure) =>
      log.warn({ err: failure }, 'after the failed start, a part of the server could not be stopped cleanly'),
    )
    throw explainFailure(error, config)
  }
}

type App = ReturnType<typeof createApp>

async function checkSecondWall({ db }: Services): Promise<void> {
  const gaps = await findGapsInSecondWall(db.global)
  if (gaps.length === 0) return
  throw new StartFailure(`row-level security is incomplete:\n${gaps.map((gap) => `  - ${gap}`).join('\n')}`)
}

async function listen(app: App, { host, port }: Config): Promise<number> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    throw explainListen(error as NodeJS.ErrnoException, host, port)
  }
  const address = app.server.address()
  return typeof address === 'object' && address ? address.port : port
}

function explainListen(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: `port ${port} on ${host} is in use by another process; stop that, or set PORT`,
    EACCES: `port ${port} on ${host} needs more rights than this process has; set PORT to 1024 or above`,
    EADDRNOTAVAIL: `${host} is not an address of this machine; set HOST`,
    ENOTFOUND: `${host} is not an address of this machine; set HOST`,
  }
  const reason = reasons[error.code ?? '']
  return reason ? new StartFailure(reason) : error
}

interface Running {
  services: Services
  app: App
  worker: Worker
  sealer: Sealer
  stopDatabase(): Promise<void>
}

async function drainAll({ services, app, worker, sealer, stopDatabase }: Running): Promise<void> {
  // From now on, `/readyz` returns 503, and each response asks the client to close its connection. New connections are still
  // accepted for some time, because a load balancer needs time to notice the change. A connection is closed only with a
  // response: if it were closed between two requests, the second request could be lost.
  services.lifecycle.draining = true
  await pause(services.config.drainSeconds * 1000)
  const abortTimer = setTimeout(() => {
    services.log.warn('requests did not end in time and are aborted')
    app.server.closeAllConnections()
  }, inFlightLimitMs)
  // `app.close()` waits for idle keep-alive connections, so they are closed here.
  const closingIdle = setInterval(() => app.server.closeIdleConnections(), 50)
  await app.close()
  clearInterval(closingIdle)
  clearTimeout(abortTimer)
  await worker.stop()
  await sealer.close()
  await closeServices(services)
  await stopDatabase()
}
