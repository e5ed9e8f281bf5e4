import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { beforeEach, describe, expect, it } from 'vitest'
import { closeServices, createServices } from '../../boot/create-services.ts'
import { readConfig } from '../../config.ts'
import { routes } from '../../features/routes.ts'
import { newSigningKeyPem } from '../../security/signing-key.ts'
import { type ApiAnswer, apiClient } from '../../testing/api-client.ts'
import { addKey, addPerson, createTenant, type TestTenant } from '../../testing/arrange.ts'
import { useTestServer } from '../../testing/use-test-server.ts'
import { createApp } from '../create-app.ts'

const limit = 8
const server = useTestServer(() => ({ apiRatePerMinute: limit, sessionRatePerMinute: limit }))
let tenant: TestTenant

beforeEach(async () => {
  tenant = await createTenant(server)
})

const rateOf = ({ headers }: ApiAnswer) => ({
  limit: headers.get('ratelimit-limit'),
  remaining: headers.get('ratelimit-remaining'),
  reset: Number(headers.get('ratelimit-reset')),
})
const remainingOf = (answer: ApiAnswer) => Number(rateOf(answer).remaining)

describe('the rate of API keys', () => {
  it('is 100 requests per minute by default', () => {
    expect(readConfig({}).apiRatePerMinute).toBe(100)
  })

  it('is shared by all keys of a tenant and not with other tenants', async () => {
    const member = await addPerson(server, tenant.id)
    const keys = [
      await addKey(server, tenant.id, tenant.owner),
      await addKey(server, tenant.id, member, { environmentId: tenant.development }),
    ]
    const answers = await Promise.all(Array.from({ length: limit + 4 }, (_, use) => keys[use % 2]!.api.get('/tenants')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(limit)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(4)
    const other = await createTenant(server)
    const foreign = await addKey(server, other.id, other.owner)
    expect(remainingOf(await foreign.api.get('/tenants'))).toBe(limit - 1)
  })

  it('429 has the body {error, code: 429}, Retry-After and the rate headers, and comes before scope, path and body checks', async () => {
    const key = await addKey(server, tenant.id, tenant.owner, { scopes: ['tenants:read'] })
    for (let use = 0; use < limit; use++) await key.api.get('/tenants')
    for (const answer of [
      await key.api.get('/tenants'),
      await key.api.get('/environments/nonsense'),
      await key.api.post('/api-keys', '{broken'),
    ]) {
      expect(answer.status).toBe(429)
      expect(answer.body).toEqual({ error: expect.any(String), code: 429 })
      const rate = rateOf(answer)
      expect(rate).toMatchObject({ limit: String(limit), remaining: '0' })
      expect(rate.reset).toBeGreaterThanOrEqual(1)
      expect(rate.reset).toBeLessThanOrEqual(60)
      expect(answer.headers.get('retry-after')).toBe(String(rate.reset))
    }
  })

  it('RateLimit-Limit, -Remaining and -Reset are on every response to an API key, also 4xx, and each request counts once', async () => {
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const narrow = await addKey(server, tenant.id, tenant.owner, { scopes: ['agents:read'] })
    const answers: [number, ApiAnswer][] = [
      [200, await key.api.get('/tenants')],
      [403, await narrow.api.get('/tenants')],
      [400, await key.api.get('/environments/nonsense')],
      [404, await key.api.get(`/environments/${tenant.production}`)],
      [400, await key.api.post('/api-keys', '{broken')],
      [415, await key.api.post('/api-keys', '{}', { 'content-type': 'text/plain' })],
      [413, await key.api.post('/api-keys', { name: 'x'.repeat(2 ** 21) })],
    ]
    answers.forEach(([status, answer], at) => {
      expect(answer.status).toBe(status)
      expect(rateOf(answer)).toMatchObject({ limit: String(limit), remaining: String(limit - 1 - at) })
    })
  })

  it('requests refused with 401 are not counted', async () => {
    const key = await addKey(server, tenant.id, tenant.owner, { expiresAt: '2020-01-01T00:00:00.000Z' })
    const refused = await key.api.get('/tenants')
    expect(refused.status).toBe(401)
    expect(refused.headers.get('ratelimit-limit')).toBeNull()
    const live = await addKey(server, tenant.id, tenant.owner)
    expect(remainingOf(await live.api.get('/tenants'))).toBe(limit - 1)
  })

  it('a revoked key that sends only headers and closes the connection does not use up its tenant’s rate', async () => {
    const key = await addKey(server, tenant.id, tenant.owner)
    const live = await addKey(server, tenant.id, tenant.owner)
    const newAgent = { name: 'made', environment_id: tenant.development }
    for (let made = 0; made < 2; made++) expect((await key.api.post('/agents', newAgent)).status).toBe(201)
    await server.owner.query('update api_keys set revoked_at = now() where id = $1', [key.id])
    for (let request = 0; request < limit; request++) await sendHeadersAndHangUp('/api/v1/agents', key.raw)
    expect(remainingOf(await live.api.get('/tenants'))).toBe(limit - 3)
  })
})

/**
 * Sends headers that announce a body of 99 bytes, but sends no body. Closes the connection when the server has had time to read
 * the headers.
 */
async function sendHeadersAndHangUp(path: string, credential: string): Promise<void> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${credential}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n`,
  )
  await Promise.race([once(socket, 'data'), sleep(200)])
  socket.destroy()
}

describe('the rate of sessions', () => {
  it('is counted per person: requests of API keys and of other people do not count', async () => {
    const key = await addKey(server, tenant.id, tenant.owner)
    for (let use = 0; use <= limit; use++) await key.api.get('/tenants')
    expect((await key.api.get('/tenants')).status).toBe(429)
    const person = await addPerson(server, tenant.id)
    for (let use = 0; use < limit; use++) expect((await person.api.get('/tenants')).status).toBe(200)
    const over = await person.api.get('/tenants')
    expect(over).toMatchObject({ status: 429, body: { code: 429 } })
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect((await tenant.owner.api.get('/tenants')).status).toBe(200)
  })
})

const redisUrl = process.env.TEST_REDIS_URL
describe.skipIf(!redisUrl)('two instances with one Redis (runs when TEST_REDIS_URL is set)', () => {
  it('share one count for a tenant’s keys', async () => {
    const urlOfDatabase = String(server.owner.options.connectionString)
    const instances = await Promise.all([1, 2].map(() => startInstance(urlOfDatabase)))
    try {
      const key = await addKey(server, tenant.id, tenant.owner)
      const clients = instances.map(({ url }) => apiClient(url, key.raw))
      const answers = await Promise.all(
        Array.from({ length: limit * 2 }, (_, use) => clients[use % 2]!.get('/tenants')),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(limit)
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(limit)
    } finally {
      await Promise.all(instances.map((instance) => instance.stop()))
    }
  })
})

async function startInstance(databaseUrl: string) {
  const secrets = {
    tokenSecret: randomBytes(32).toString('hex'),
    vaultKey: randomBytes(32).toString('hex'),
    signingKey: newSigningKeyPem(),
    previousSigningKeys: [],
  }
  const config = { ...server.services.config, redisUrl }
  const services = await createServices(config, secrets, databaseUrl, pino({ level: 'error' }))
  const app = createApp(services, routes)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    url,
    async stop() {
      await app.close()
      await closeServices(services)
    },
  }
}
