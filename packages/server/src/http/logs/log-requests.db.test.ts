import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { routes } from '../../features/routes.ts'
import { apiClient } from '../../testing/api-client.ts'
import { addKey, addPerson, createTenant, type TestTenant } from '../../testing/arrange.ts'
import { addEdge } from '../../testing/arrange-agents.ts'
import { startTestServer, type TestServer } from '../../testing/start-test-server.ts'
import { createApp } from '../create-app.ts'

let server: TestServer
let tenant: TestTenant
let url: string
let stopApp: () => Promise<void>
const lines: Record<string, unknown>[] = []

beforeAll(async () => {
  server = await startTestServer()
  tenant = await createTenant(server)
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) })
  const app = createApp({ ...server.services, log }, routes)
  url = await app.listen({ port: 0, host: '127.0.0.1' })
  stopApp = () => app.close()
})
afterAll(async () => {
  await stopApp()
  await server.stop()
})
beforeEach(() => {
  lines.length = 0
})

/** Returns the log line of the only request. */
async function theLine(): Promise<Record<string, unknown>> {
  for (let turn = 0; turn < 500 && !lines.some(({ msg }) => msg === 'request'); turn += 1) await pause(10)
  const requests = lines.filter(({ msg }) => msg === 'request')
  expect(requests).toHaveLength(1)
  return requests[0] as Record<string, unknown>
}

const withAgent = (agent: string) => ({ 'user-agent': agent })

describe('the log line of a request names caller and client', () => {
  it('a person, by user id', async () => {
    await apiClient(url, tenant.owner.accessToken).get('/tenants', withAgent('curl/8.5.0'))
    expect(await theLine()).toMatchObject({
      status: 200,
      ip: '127.0.0.1',
      user_agent: 'curl/8.5.0',
      caller: { kind: 'person', tenant_id: tenant.id, id: tenant.owner.id },
    })
  })

  it('an API key, by its id and its user; a refused call has the reason', async () => {
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    const key = await addKey(server, tenant.id, viewer)
    expect((await apiClient(url, key.raw).post('/api-keys', { name: 'x' })).status).toBe(403)
    expect(await theLine()).toMatchObject({
      status: 403,
      caller: { kind: 'api_key', tenant_id: tenant.id, id: key.id, user_id: viewer.id },
      refusal: 'viewers cannot create, change or revoke API keys',
    })
  })

  it('an edge, by its id', async () => {
    const edge = await addEdge(server, tenant.id, tenant.development)
    expect((await edge.get('/users')).status).toBe(401)
    const { rows } = await server.owner.query('select id from edges where tenant_id = $1', [tenant.id])
    const raw = `ek_${'0'.repeat(64)}`
    await apiClient(url, raw).post('/edge/heartbeat', {})
    expect(await theLine()).toMatchObject({ status: 401, refusal: 'invalid API key' })
    expect(rows).toHaveLength(1)
  })

  it('no caller for a refused credential, and never the credential, the query or the body', async () => {
    const secret = `mk_${'a1'.repeat(32)}`
    await apiClient(url, secret).post('/api-keys?secret=query', { name: 'secret body' }, withAgent(secret))
    const line = await theLine()
    expect(line).not.toHaveProperty('caller')
    expect(line).toMatchObject({ status: 401, refusal: 'invalid API key', user_agent: 'other' })
    expect(JSON.stringify(lines)).not.toMatch(/a1a1a1|secret/)
  })
})

describe('a request that its client aborts is logged as aborted', () => {
  const bearer = () => `Authorization: Bearer ${tenant.owner.accessToken}`

  async function abort(text: string) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    await new Promise<void>((resolve) => socket.once('connect', resolve))
    socket.write(text)
    await pause(100)
    socket.destroy()
  }

  it.each([
    ['within its body', () => ['POST /api/v1/api-keys HTTP/1.1', bearer(), 'Content-Length: 100']],
    ['within the body of a public route', () => ['POST /api/v1/auth/sign-in HTTP/1.1', 'Content-Length: 100']],
    ['within a chunked body', () => ['POST /api/v1/api-keys HTTP/1.1', bearer(), 'Transfer-Encoding: chunked']],
  ])('%s: no error, no stack, no 5xx in the metrics', async (_where, headers) => {
    const before = await server.services.metrics.expose()
    await abort([...headers(), 'Host: x', 'Content-Type: application/json', '', '1\r\n{'].join('\r\n'))
    expect(await theLine()).toMatchObject({ level: 30, status: 499, aborted: true })
    expect(lines.filter(({ level }) => Number(level) > 30)).toEqual([])
    expect(JSON.stringify(lines)).not.toContain('stack')
    const fivehundreds = (text: string) => text.match(/status="5\d\d"\} \d+/g) ?? []
    expect(fivehundreds(await server.services.metrics.expose())).toEqual(fivehundreds(before))
  })

  it('during its handling', async () => {
    const forgotten = JSON.stringify({ email: 'nobody@example.net' })
    await abort(
      `POST /api/v1/auth/password/forgot HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${forgotten.length}\r\n\r\n${forgotten}`,
    )
    expect(await theLine()).toMatchObject({ level: 30, status: 499, aborted: true })
    expect(lines.filter(({ level }) => Number(level) > 30)).toEqual([])
  })
})
