import type { Logger } from 'pino'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { removeAddress, writeAddress } from './address-file.ts'
import { drainInTime } from './drain-in-time.ts'
import { StartFailure } from './failure.ts'
import { firstSteps } from './first-steps.ts'
import { createLogger } from './logger.ts'
import { type RunningServer, startServer } from './start-server.ts'

// A Ctrl-C can reach the process twice, from the terminal and from npm. A second signal within this time is ignored.
const sameSignalMs = 300
// Longer than a normal shutdown can take. It is the sum of the time limits for requests, jobs and the embedded database.
const drainLimitMs = 150_000

/** Runs the server until a stop signal. Exits with 0 after an orderly end, with 1 otherwise. */
export async function runServer(): Promise<void> {
  const started = performance.now()
  let config: Config
  try {
    config = readConfig()
  } catch (error) {
    return fail(error)
  }
  const log = createLogger(config.logLevel)
  const stop = stopSignal(log)
  const failed = unhandledFailure(log)
  let server: RunningServer
  try {
    server = await startServer(config, log)
  } catch (error) {
    return fail(error)
  }
  log.info({ url: server.url, start_ms: Math.round(performance.now() - started) }, 'listening')
  await writeAddress(config.dataDir, server.url, log)
  if (process.stdout.isTTY || server.firstStart) process.stdout.write(firstSteps(config, server))
  const reason = await Promise.race([stop, failed, server.databaseLost.then(() => 'database_lost' as const)])
  if (reason === 'database_lost') {
    log.fatal('the embedded database cannot be restarted; the server exits')
    process.stderr.write(
      `mandate: the embedded database ended and cannot be started again; see ${config.dataDir}/pg.log\n`,
    )
    process.exit(1)
  }
  log.info({ reason }, 'stopping; running requests are finished first')
  await removeAddress(config.dataDir)
  const isClean = await drainInTime(server.drain, log, config.drainSeconds * 1000 + drainLimitMs)
  if (isClean) log.info('stopped')
  process.exit(isClean && reason !== 'unhandled_failure' ? 0 : 1)
}

/**
 * Resolves at the first unhandled error. The state of the process is unknown after that. The server therefore finishes its
 * requests and exits, so that a supervisor can restart it. Later errors are only logged.
 */
function unhandledFailure(log: Logger): Promise<'unhandled_failure'> {
  return new Promise((resolve) => {
    const onFailure = (error: unknown) => {
      log.fatal({ err: error }, 'an error was not handled; the server stops')
      resolve('unhandled_failure')
    }
    process.on('unhandledRejection', onFailure)
    process.on('uncaughtException', onFailure)
  })
}

/** Resolves with the first stop signal. A second one exits immediately. */
function stopSignal(log: Logger): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAt: number | undefined
    const onSignal = (signal: NodeJS.Signals) => {
      if (firstAt === undefined) {
        firstAt = Date.now()
        return resolve(signal)
      }
      if (Date.now() - firstAt < sameSignalMs) return
      log.warn({ signal }, 'second stop signal: the server exits immediately')
      process.exit(1)
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
}

function fail(error: unknown): never {
  const known = error instanceof ConfigError || error instanceof StartFailure
  const text = error instanceof Error ? ((known ? error.message : error.stack) ?? error.message) : String(error)
  process.stderr.write(`mandate: ${text}\n`)
  process.exit(1)
}
