import { randomUUID } from 'node:crypto'
import { Edge } from '@mandate/contract/edge'
import { beforeAll, describe, expect, it } from 'vitest'
import { digest } from '../../../security/credentials.ts'
import { apiClient } from '../../../testing/api-client.ts'
import {
  addAgent,
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  giveEnvironment,
  type TestTenant,
} from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant

describe('POST /edges', () => {
  beforeAll(async () => {
    tenant = await createTenant(server)
  })

  it('201 with the edge and its key once; the key serves the agents of its environment, and only its digest is stored', async () => {
    const member = await addPerson(server, tenant.id)
    const sent = { name: 'gateway', environment_id: tenant.development }
    const { status, body } = await member.api.post('/edges', sent)
    expect(status).toBe(201)
    expect(Object.keys(body)).toEqual(['edge', 'edge_key'])
    expect(Edge.parse(body.edge)).toEqual(body.edge)
    expect(body.edge).toMatchObject({ ...sent, key_prefix: body.edge_key.slice(0, 8), created_by: member.id })
    expect(body.edge_key).toMatch(/^ek_[0-9a-f]{64}$/)
    const agent = await addAgent(server, tenant.id, { environmentId: tenant.development })
    const edge = apiClient(server.url, body.edge_key)
    expect((await edge.get(`/edge/agents/${agent}/mission-profile`)).status).toBe(200)
    const { rows } = await server.owner.query('select * from edges where id = $1', [body.edge.id])
    expect(rows[0].key_hash).toEqual(digest(body.edge_key))
    const entries = await auditEntries(server, tenant.id)
    expect(entries).toMatchObject([
      { event_type: 'edge.created', resource_id: body.edge.id, details: { key_prefix: body.edge.key_prefix } },
    ])
    expect(JSON.stringify(entries)).not.toContain(body.edge_key.slice(8))
  })

  it('403 for a viewer; with an environment-bound key only for its own environment', async () => {
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const create = (environment_id: string) => ({ name: 'e', environment_id })
    expect((await viewer.api.post('/edges', create(tenant.development))).status).toBe(403)
    expect((await key.api.post('/edges', create(tenant.production))).status).toBe(403)
    expect((await key.api.post('/edges', { environment_id: tenant.production })).status).toBe(403)
    expect((await key.api.post('/edges', create(tenant.development))).status).toBe(201)
  })

  it('a scoped member creates an edge in an environment they have access to; any other environment is 404', async () => {
    const member = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    await giveEnvironment(server, tenant.id, member.id, tenant.development)
    const create = (environment_id: string) => member.api.post('/edges', { name: 'e', environment_id })
    expect((await create(tenant.development)).status).toBe(201)
    expect((await create(tenant.production)).status).toBe(404)
    expect((await create(randomUUID())).status).toBe(404)
  })

  it('400 for an unknown environment, an environment of another tenant, and a blank name', async () => {
    const other = await createTenant(server)
    for (const body of [
      { name: 'e', environment_id: randomUUID() },
      { name: 'e', environment_id: other.development },
      { name: ' ', environment_id: tenant.development },
      { name: 'e' },
    ]) {
      expect((await tenant.owner.api.post('/edges', body)).status).toBe(400)
    }
  })
})

describe('GET /edges and DELETE /edges/{id}', () => {
  it('200 lists the edges that are not revoked, newest first, in the environments the caller works in', async () => {
    const { id, owner, development, production } = await createTenant(server)
    const make = async (environment_id: string) =>
      (await owner.api.post('/edges', { name: 'e', environment_id })).body.edge
    const [first, second] = [await make(development), await make(production)]
    expect((await owner.api.get('/edges')).body).toEqual({ data: [second, first], total: 2, limit: 50, offset: 0 })
    expect((await owner.api.get('/edges?limit=1&offset=1')).body).toMatchObject({ data: [first], total: 2 })
    const scoped = await addPerson(server, id, { role: 'viewer', accessScope: 'scoped' })
    expect((await scoped.api.get('/edges')).body).toMatchObject({ data: [], total: 0 })
    await giveEnvironment(server, id, scoped.id, development)
    expect((await scoped.api.get('/edges')).body).toMatchObject({ data: [first], total: 1 })
    const bound = await addKey(server, id, owner, { environmentId: production })
    expect((await bound.api.get('/edges')).body).toMatchObject({ data: [second], total: 1 })
    expect((await (await createTenant(server)).owner.api.get('/edges')).body.data).toEqual([])
  })

  it('204: the key stops at once and the edge leaves the list; a second call is 404', async () => {
    const { id, owner, development } = await createTenant(server)
    const { edge, edge_key } = (await owner.api.post('/edges', { name: 'e', environment_id: development })).body
    const beat = () =>
      apiClient(server.url, edge_key).post('/edge/heartbeat', {
        instance_id: 'i',
        seq: 1,
        edge_version: '1',
        agents: [],
      })
    expect((await beat()).status).toBe(200)
    expect((await owner.api.delete(`/edges/${edge.id}`)).status).toBe(204)
    expect(await beat()).toMatchObject({ status: 401, body: { error: 'invalid API key', code: 401 } })
    expect((await owner.api.get('/edges')).body.data).toEqual([])
    expect((await owner.api.delete(`/edges/${edge.id}`)).status).toBe(404)
    expect((await auditEntries(server, id)).map((entry) => entry.event_type)).toEqual(['edge.created', 'edge.revoked'])
  })

  it('403 for a viewer; 404 for an edge of another tenant or of an environment the caller does not see, and for an unknown id', async () => {
    const { id, owner, development, production } = await createTenant(server)
    const { edge } = (await owner.api.post('/edges', { name: 'e', environment_id: development })).body
    const viewer = await addPerson(server, id, { role: 'viewer' })
    const scoped = await addPerson(server, id, { role: 'manager', accessScope: 'scoped' })
    const bound = await addKey(server, id, owner, { environmentId: production })
    const stranger = await createTenant(server)
    expect((await viewer.api.delete(`/edges/${edge.id}`)).status).toBe(403)
    for (const api of [scoped.api, bound.api, stranger.owner.api]) {
      expect(await api.delete(`/edges/${edge.id}`)).toMatchObject({ status: 404, body: { error: 'edge not found' } })
    }
    expect((await owner.api.delete(`/edges/${randomUUID()}`)).status).toBe(404)
    expect((await owner.api.delete('/edges/nonsense')).status).toBe(400)
    expect((await owner.api.get('/edges')).body.total).toBe(1)
  })
})
