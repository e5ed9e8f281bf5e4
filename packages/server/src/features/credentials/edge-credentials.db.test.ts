import { type Credential, EdgeCredential, mostServersOfCredential } from '@mandate/contract/credentials'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApiClient } from '../../testing/api-client.ts'
import { addAgent, auditEntries, createTenant, type TestTenant } from '../../testing/arrange.ts'
import { addEdge, giveAgentKey } from '../../testing/arrange-agents.ts'
import { type OpenStream, openStream } from '../../testing/open-stream.ts'
import { useOwnServer } from '../../testing/use-test-server.ts'

const server = useOwnServer()
const streams: OpenStream[] = []
let tenant: TestTenant
let owner: ApiClient
let edge: ApiClient
beforeEach(async () => {
  tenant = await createTenant(server)
  owner = tenant.owner.api
  edge = await addEdge(server, tenant.id, tenant.development)
})
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close()
})

const secret = 'a-secret-for-edges-only'
const create = async (changed: object = {}): Promise<Credential> => {
  const sent = { name: 'tickets', kind: 'bearer', environment_id: tenant.development, secret, ...changed }
  const { status, body } = await owner.post('/credentials', sent)
  expect(status).toBe(201)
  return body
}
const fetchFor = (name: string, forServer: string, api = edge) =>
  api.get(`/edge/credentials/${name}?server=${forServer}`)
const fetches = async () =>
  (await auditEntries(server, tenant.id)).filter(({ event_type }) => event_type === 'credential.fetched')
const newAgent = () => addAgent(server, tenant.id, { environmentId: tenant.development, status: 'active' })

describe('GET /edge/credentials/{name}', () => {
  it('200 with the secret for an edge key of the environment; nothing may store the answer', async () => {
    const { id, version } = await create({ kind: 'header', config: { header: 'X-Key' } })
    const answer = await fetchFor('tickets', 'jira')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(EdgeCredential.parse(answer.body)).toEqual(answer.body)
    expect(answer.body).toEqual({ name: 'tickets', kind: 'header', config: { header: 'X-Key' }, secret, version })
    const [listed] = (await owner.get('/credentials')).body.data
    expect(listed).toMatchObject({ id, last_used_at: expect.any(String) })
    expect(JSON.stringify(await auditEntries(server, tenant.id))).not.toContain(secret)
  })

  it('404 in another environment and in another tenant; 400 for a malformed name of a credential or server', async () => {
    await create()
    const production = await addEdge(server, tenant.id, tenant.production)
    const other = await createTenant(server)
    const foreign = await addEdge(server, other.id, other.development)
    for (const api of [production, foreign]) expect((await fetchFor('tickets', 'jira', api)).status).toBe(404)
    expect((await fetchFor('unknown', 'jira')).status).toBe(404)
    expect((await fetchFor('No', 'jira')).status).toBe(400)
    expect((await fetchFor('tickets', 'a%2Fb')).status).toBe(400)
    expect(await fetches()).toEqual([])
  })

  it("403 for an agent's own key; 401 for people, API keys and revoked edges", async () => {
    await create()
    const own = await giveAgentKey(server, tenant.id, await newAgent())
    const refused = await fetchFor('tickets', 'jira', own)
    expect(refused).toMatchObject({ status: 403, body: { error: expect.stringContaining('edge key') } })
    expect((await fetchFor('tickets', 'jira', owner)).status).toBe(401)
    const [{ id }] = (await owner.get('/edges')).body.data
    await owner.delete(`/edges/${id}`)
    expect((await fetchFor('tickets', 'jira')).status).toBe(401)
    expect(await fetches()).toEqual([])
  })

  it('200 without the name of a server; the audit trail then names none', async () => {
    const { id } = await create()
    expect((await edge.get('/edge/credentials/tickets')).status).toBe(200)
    expect((await fetches())[0].details).toMatchObject({ server: null })
    expect((await owner.delete(`/credentials/${id}`)).body.error).toContain('a server without a name')
  })

  it('is audited once per edge, server, version and hour, also for fetches at the same time', async () => {
    const { id } = await create()
    await Promise.all(Array.from({ length: 8 }, () => fetchFor('tickets', 'jira')))
    expect(await fetches()).toHaveLength(1)
    await fetchFor('tickets', 'wiki')
    await fetchFor('tickets', 'jira', await addEdge(server, tenant.id, tenant.development))
    expect(await fetches()).toHaveLength(3)
    await owner.post(`/credentials/${id}/rotate`, { secret: 'another' })
    await fetchFor('tickets', 'jira')
    await fetchFor('tickets', 'jira')
    expect(await fetches()).toHaveLength(4)
    await server.owner.query(`update credential_uses set audited_hour = audited_hour - interval '1 hour'`)
    await fetchFor('tickets', 'jira')
    const entries = await fetches()
    expect(entries).toHaveLength(5)
    expect(entries[4]).toMatchObject({ actor_type: 'edge', environment_id: tenant.development, resource_id: id })
    expect(entries[4].details).toMatchObject({ server: 'jira', version: 2 })
  })

  it('403 above the number of servers of one edge; the refusal writes nothing', async () => {
    const { id } = await create()
    await fetchFor('tickets', 'jira')
    await server.owner.query(
      `insert into credential_uses select tenant_id, credential_id, edge_id, 's' || n, version, audited_hour, used_at
       from credential_uses, generate_series(2, $2::int) n where credential_id = $1`,
      [id, mostServersOfCredential],
    )
    expect((await fetchFor('tickets', 'more')).status).toBe(403)
    expect((await fetchFor('tickets', 'jira')).status).toBe(200)
    const count = async () =>
      (await server.owner.query('select count(*)::int as n from credential_uses where credential_id = $1', [id]))
        .rows[0].n
    expect(await count()).toBe(mostServersOfCredential)
    await server.owner.query(
      `update credential_uses set used_at = used_at - interval '25 hours' where server <> 'jira'`,
    )
    expect((await fetchFor('tickets', 'more')).status).toBe(200)
    expect(await count()).toBe(2)
  })

  it('403, not 500, if no vault key opens the secret', async () => {
    const { id } = await create()
    await server.owner.query(`update credentials set secret_sealed = 'x' where id = $1`, [id])
    const { status, body } = await fetchFor('tickets', 'jira')
    expect({ status, body }).toEqual({ status: 403, body: { error: expect.stringContaining('rotate') } })
    expect(await fetches()).toEqual([])
  })
})

describe('DELETE /credentials/{credential_id}', () => {
  it('409 names the servers of the last 24 hours; with force 204; without a use 204', async () => {
    const { id } = await create()
    await fetchFor('tickets', 'wiki')
    await fetchFor('tickets', 'jira')
    const refused = await owner.delete(`/credentials/${id}`)
    expect(refused).toMatchObject({ status: 409, body: { error: expect.stringContaining('jira, wiki') } })
    await server.owner.query(`update credential_uses set used_at = used_at - interval '25 hours' where server = 'jira'`)
    expect((await owner.delete(`/credentials/${id}`)).body.error).not.toContain('jira')
    expect((await owner.delete(`/credentials/${id}?force=false`)).status).toBe(409)
    expect((await owner.delete(`/credentials/${id}?force=yes`)).status).toBe(400)
    expect((await owner.delete(`/credentials/${id}?force=true`)).status).toBe(204)
    expect((await owner.delete(`/credentials/${id}?force=true`)).status).toBe(404)
    expect((await fetchFor('tickets', 'jira')).status).toBe(404)
    const unused = await create({ name: 'unused' })
    expect((await owner.delete(`/credentials/${unused.id}`)).status).toBe(204)
    const types = (await auditEntries(server, tenant.id)).map(({ event_type }) => event_type)
    expect(types.filter((type) => type === 'credential.deleted')).toHaveLength(2)
  })

  it('a credential that is created again continues the versions', async () => {
    const { id } = await create()
    await owner.post(`/credentials/${id}/rotate`, { secret: 'two' })
    await owner.delete(`/credentials/${id}`)
    expect((await create()).version).toBe(3)
    const renamed = await create({ name: 'renamed' })
    await owner.delete(`/credentials/${(await owner.get('/credentials')).body.data[1].id}`)
    expect((await owner.put(`/credentials/${renamed.id}`, { name: 'tickets' })).body.version).toBe(4)
  })

  it('at the same time as a fetch: the fetch comes first and the deletion is refused, or the fetch gets 404', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await create({ name: `race-${round}` })
      const [fetched, deleted] = await Promise.all([
        fetchFor(`race-${round}`, 'jira'),
        owner.delete(`/credentials/${id}`),
      ])
      expect([`200 409`, `404 204`]).toContain(`${fetched.status} ${deleted.status}`)
    }
  })
})

describe('what edges are told', () => {
  const beat = async (api: ApiClient, agents: string[] = []) =>
    (
      await api.post('/edge/heartbeat', {
        instance_id: 'one',
        seq: 1,
        edge_version: '1',
        agents: agents.map((agent_id) => ({ agent_id })),
      })
    ).body.credentials

  it('heartbeat answers name the versions in the environment to an edge key, and nothing to the own key of an agent', async () => {
    const agentId = await newAgent()
    const own = await giveAgentKey(server, tenant.id, agentId)
    for (const agents of [[], [agentId]]) expect(await beat(edge, agents)).toBeUndefined()
    const { id } = await create()
    await create({ name: 'elsewhere', environment_id: tenant.production })
    for (const agents of [[], [agentId]]) expect(await beat(edge, agents)).toEqual([{ name: 'tickets', version: 1 }])
    await owner.post(`/credentials/${id}/rotate`, { secret: 'two' })
    expect(await beat(edge, [agentId])).toEqual([{ name: 'tickets', version: 2 }])
    expect(await beat(own, [agentId])).toBeUndefined()
    await owner.delete(`/credentials/${id}`)
    for (const agents of [[], [agentId]]) expect(await beat(edge, agents)).toEqual([])
  })

  it('streams of the edges of the environment tell each change; other streams tell nothing', async () => {
    const own = await giveAgentKey(server, tenant.id, await newAgent())
    const production = await addEdge(server, tenant.id, tenant.production)
    const [mine, agents, others] = await Promise.all(
      [edge, own, production].map((api) =>
        openStream(server.url, api.credential as string, { path: '/edge/stream', query: '?instance_id=one' }),
      ),
    )
    streams.push(...([mine, agents, others] as OpenStream[]))
    const { id } = await create()
    await owner.post(`/credentials/${id}/rotate`, { secret: 'two' })
    await owner.put(`/credentials/${id}`, { name: 'other' })
    await owner.delete(`/credentials/${id}`)
    await mine?.receives(({ data }) => data.name === 'other' && data.version === null)
    expect(mine?.events.map(({ type, data }) => [type, data])).toEqual([
      ['credential', { name: 'tickets', version: 1 }],
      ['credential', { name: 'tickets', version: 2 }],
      ['credential', { name: 'tickets', version: null }],
      ['credential', { name: 'other', version: 1 }],
      ['credential', { name: 'other', version: null }],
    ])
    await create({ name: 'elsewhere', environment_id: tenant.production })
    await others?.receives(({ data }) => data.name === 'elsewhere')
    expect(others?.events).toHaveLength(1)
    expect(agents?.events).toEqual([])
  })
})
