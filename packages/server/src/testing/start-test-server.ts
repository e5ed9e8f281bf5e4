import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { inject } from 'vitest'
import { closeServices, createServices } from '../boot/create-services.ts'
import { type Config, readConfig } from '../config.ts'
import { routes } from '../features/routes.ts'
import { createApp } from '../http/create-app.ts'
import { newSigningKeyPem } from '../security/signing-key.ts'
import type { Services } from '../services.ts'
import { queryOnce, withDatabase } from './database-urls.ts'

/** The bearer token of `/metrics` on every test server. */
export const testMetricsToken = 'the-token-of-metrics-in-tests'

/** The real application, on a free port of a loopback address, with a database of its own. */
export interface TestServer {
  /** For example `http://127.0.0.1:40123`. */
  url: string
  services: Services
  dataDir: string
  /**
   * Database connections with the role that owns the tables, and without row-level security. Tests use them to create and check
   * data that no endpoint shows.
   */
  owner: pg.Pool
  /** Starts another instance on the same database and with the same secrets. Stop it before the server. */
  startInstance(): Promise<Pick<TestServer, 'url' | 'services' | 'stop'>>
  stop(): Promise<void>
}

export async function startTestServer(overrides: Partial<Config> = {}): Promise<TestServer> {
  const ownerUrl = inject('ownerUrl')
  const database = `test_${randomBytes(8).toString('hex')}`
  // By default PostgreSQL copies block by block, and logs each block. Copying whole files takes less time.
  await queryOnce(ownerUrl, `create database ${database} template mandate_template strategy file_copy`)
  const databaseUrl = withDatabase(ownerUrl, database)
  const dataDir = await mkdtemp(join(tmpdir(), 'mandate-files-'))
  const config: Config = {
    ...readConfig({ LOG_LEVEL: 'error', DATA_DIR: dataDir }),
    authThrottle: false,
    metricsToken: testMetricsToken,
    apiRatePerMinute: 1_000_000,
    sessionRatePerMinute: 1_000_000,
    edgeRatePerMinute: 1_000_000,
    ...overrides,
  }
  const secrets = {
    tokenSecret: randomBytes(32).toString('hex'),
    vaultKey: randomBytes(32).toString('hex'),
    signingKey: newSigningKeyPem(),
    previousSigningKeys: [],
  }
  const startInstance = async () => {
    const services = await createServices(config, secrets, databaseUrl, pino({ level: config.logLevel }))
    const app = createApp(services, routes)
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const stop = async () => {
      await app.close()
      await closeServices(services)
    }
    return { services, url, stop }
  }
  const { services, url, stop } = await startInstance()
  const owner = new pg.Pool({ connectionString: databaseUrl, max: 3 })
  owner.on('error', () => {})
  return {
    url,
    services,
    dataDir,
    owner,
    startInstance,
    async stop() {
      await stop()
      await owner.end()
      await queryOnce(ownerUrl, `drop database if exists ${database} with (force)`)
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
