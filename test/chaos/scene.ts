import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Embedded, startEmbedded } from '../../packages/embedded-postgres/src/start-embedded.ts'
import { newSigningKeyPem } from '../../packages/server/src/security/signing-key.ts'
import { type FaultProxy, startFaultProxy, throughProxy } from '../../packages/server/src/testing/fault-proxy.ts'
import { hasRedis, startRedis } from '../../packages/server/src/testing/redis.ts'
import { register } from '../acceptance/call-api.ts'
import { type RunningMandate, startMandate, temporaryFolder } from '../acceptance/mandate-process.ts'
import { type SlowMailServer, startSlowMailServer } from '../acceptance/slow-mail-server.ts'
import { mayMount, smallDisk } from '../acceptance/small-disk.ts'
import { must, rule } from '../concurrency/world.ts'
import { startWriters, type Target, type Writers } from '../crash/writers.ts'

/** A server under load, and the components that a fault can affect. */
export interface Scene {
  server: RunningMandate
  settings: Record<string, string>
  target: Target
  writers: Writers
  mails: SlowMailServer
  tenantId: string
  /** Database URL of the owner role, without a proxy. */
  ownerUrl(): Promise<string>
  database: FaultProxy | undefined
  redis: FaultProxy | undefined
  disk: string | undefined
}

const load = {
  MANDATE_API_RATE: '1000000000',
  MANDATE_SESSION_RATE: '1000000000',
  MANDATE_EDGE_RATE: '1000000000',
  MANDATE_AUTH_THROTTLE: 'off',
}

/** Starts a server with its embedded database, on a small separate disk if requested. */
export async function embeddedScene(onSmallDisk: boolean): Promise<Scene> {
  const disk = onSmallDisk && mayMount ? await smallDisk() : undefined
  const dataDir = disk ? join(disk, 'data') : await temporaryFolder()
  return await begin({ ...load, DATA_DIR: dataDir }, { disk })
}

/** Starts a server that reaches PostgreSQL, and Redis if available, through proxies. */
export async function proxiedScene(): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-chaos-'))
  const postgres: Embedded = await startEmbedded({ dataDir: folder })
  onTestFinished(async () => {
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  })
  const { target, urlVia } = throughProxy(postgres.ownerUrl)
  const database = await startFaultProxy(target)
  onTestFinished(() => database.close())
  let redis: FaultProxy | undefined
  if (hasRedis) {
    const real = await startRedis()
    redis = await startFaultProxy({ host: '127.0.0.1', port: real.port })
    onTestFinished(() => real.stop())
  }
  const settings = {
    ...load,
    DATA_DIR: await temporaryFolder(),
    DATABASE_URL: urlVia(database.port),
    MANDATE_TOKEN_SECRET: 'a'.repeat(64),
    MANDATE_VAULT_KEY: 'b'.repeat(64),
    MANDATE_SIGNING_KEY: newSigningKeyPem(),
    ...(redis && { REDIS_URL: `redis://127.0.0.1:${redis.port}` }),
  }
  return await begin(settings, { database, redis, ownerUrl: postgres.ownerUrl })
}

interface Parts {
  database?: FaultProxy
  redis?: FaultProxy | undefined
  disk?: string | undefined
  ownerUrl?: string
}

async function begin(given: Record<string, string>, { database, redis, disk, ownerUrl }: Parts): Promise<Scene> {
  const mails = await startSlowMailServer()
  onTestFinished(() => mails.close())
  const settings = { ...given, SMTP_URL: mails.url }
  const server = await startMandate(settings)
  const { tenantId, credential: session } = await register(server)
  const { raw_key: key } = await must(server, 201, 'POST', '/api-keys', { body: { name: 'load' }, credential: session })
  const post = (path: string, body: unknown) => must(server, 201, 'POST', path, { body, credential: key })
  const { data: environments } = await must(server, 200, 'GET', '/environments', { credential: key })
  const environmentId = environments[0].id
  const { edge_key: edgeKey } = await post('/edges', { name: 'edge', environment_id: environmentId })
  const { agent } = await post('/agents', { name: 'deciding', environment_id: environmentId })
  const policies = ['one', 'two', 'three'].map((name) => post('/policies', { name, rules: [rule('first', 0)] }))
  const policyIds = (await Promise.all(policies)).map(({ id }) => id)
  const target: Target = { url: server.url, key, edgeKey, environmentId, agentId: agent.id, policyIds }
  const embeddedUrl = async () => {
    const { connectEmbedded } = await import('../../packages/embedded-postgres/src/connect-embedded.ts')
    const found = await connectEmbedded(given.DATA_DIR ?? '')
    if (!found) throw new Error('no embedded database')
    return found.ownerUrl
  }
  return {
    server,
    settings,
    target,
    writers: startWriters(target),
    mails,
    tenantId,
    ownerUrl: async () => ownerUrl ?? (await embeddedUrl()),
    database,
    redis,
    disk,
  }
}
