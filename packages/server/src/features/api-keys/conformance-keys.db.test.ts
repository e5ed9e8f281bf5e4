import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig } from '../../config.ts'
import { apiClient } from '../../testing/api-client.ts'
import { addAgent, addKey, addPerson, auditEntries, createTenant, giveEnvironment } from '../../testing/arrange.ts'
import { startTestServer, type TestServer } from '../../testing/start-test-server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

it('a change of agent grants applies to the keys of a scoped user at once', async () => {
  const tenant = await createTenant(server)
  const agent = await addAgent(server, tenant.id, { environmentId: tenant.development })
  const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
  const key = await addKey(server, tenant.id, scoped)
  const seen = async () => (await key.api.get('/agents')).body.data.map(({ id }: { id: string }) => id)
  expect(await seen()).toEqual([])
  const body = { resource_type: 'agent', resource_id: agent }
  const grant = (await tenant.owner.api.post(`/users/${scoped.id}/grants`, body)).body
  expect(await seen()).toEqual([agent])
  await tenant.owner.api.delete(`/users/${scoped.id}/grants/${grant.id}`)
  expect(await seen()).toEqual([])
  expect((await key.api.get(`/agents/${agent}`)).status).toBe(404)
})

it('the 101st request of a minute is 429: the rate is 100, shared by the keys of the tenant', async () => {
  const usual = await startTestServer({ apiRatePerMinute: readConfig({}).apiRatePerMinute })
  try {
    const tenant = await createTenant(usual)
    const keys = [await addKey(usual, tenant.id, tenant.owner), await addKey(usual, tenant.id, tenant.owner)]
    const answers = await Promise.all(Array.from({ length: 101 }, (_, n) => keys[n % 2]!.api.get('/tenants')))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(100).fill(200), 429])
    expect((await tenant.owner.api.get('/tenants')).status).toBe(200)
  } finally {
    await usual.stop()
  }
})

it('GET /audit with source=control_plane and the event type finds the events of a key, for owners and managers who see the whole tenant', async () => {
  const tenant = await createTenant(server)
  const { owner, id, development } = tenant
  const made = (await owner.api.post('/api-keys', { name: 'ci' })).body
  await owner.api.patch(`/api-keys/${made.id}/environment`, { environment_id: development })
  await owner.api.delete(`/api-keys/${made.id}`)
  const manager = await addPerson(server, id, { role: 'manager' })
  const scoped = await addPerson(server, id, { role: 'manager', accessScope: 'scoped' })
  await giveEnvironment(server, id, scoped.id, development)
  const blind = [
    await addPerson(server, id, { role: 'member' }),
    await addPerson(server, id, { role: 'viewer' }),
    scoped,
    await addKey(server, id, owner, { environmentId: development }),
  ]
  for (const event of ['api_key.created', 'api_key.environment_changed', 'api_key.revoked']) {
    const path = `/audit?source=control_plane&event_type=${event}`
    for (const { api } of [owner, manager]) {
      const { status, body } = await api.get(path)
      expect([status, body.data.length]).toEqual([200, 1])
      expect(body.data[0]).toMatchObject({
        source: 'control_plane',
        event_type: event,
        resource: { type: 'api_key', id: made.id, name: 'ci' },
        details: { key_prefix: made.key_prefix },
        actor: { user_id: owner.id },
      })
      expect(JSON.stringify(body)).not.toContain(made.raw_key.slice(8))
    }
    for (const { api } of blind) expect((await api.get(path)).body).toEqual({ data: [] })
  }
  expect((await owner.api.get('/audit?source=edge&event_type=api_key.created')).body).toEqual({ data: [] })
})

it('a refused request about a key writes no entry, and neither does the expiry of a key', async () => {
  const tenant = await createTenant(server)
  const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
  const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
  const gone = await addKey(server, tenant.id, tenant.owner, { expiresAt: '2020-01-01T00:00:00.000Z' })
  const refusals = [
    await viewer.api.post('/api-keys', { name: 'k' }),
    await viewer.api.delete(`/api-keys/${bound.id}`),
    await bound.api.post('/api-keys', { name: 'k' }),
    await bound.api.patch(`/api-keys/${bound.id}/environment`, { environment_id: null }),
    await gone.api.post('/api-keys', { name: 'k' }),
    await apiClient(server.url).delete(`/api-keys/${bound.id}`),
  ]
  expect(refusals.map(({ status }) => status)).toEqual([403, 403, 403, 403, 401, 401])
  expect(await auditEntries(server, tenant.id)).toEqual([])
})
