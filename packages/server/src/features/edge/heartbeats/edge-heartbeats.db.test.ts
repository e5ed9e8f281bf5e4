import { randomUUID } from 'node:crypto'
import { Edge } from '@mandate/contract/edge'
import { edgeFeatures } from '@mandate/contract/words/edge-features'
import { expect, it } from 'vitest'
import { type ApiClient, apiClient } from '../../../testing/api-client.ts'
import {
  actorOf,
  addAgent,
  addKey,
  addPerson,
  createTenant,
  giveEnvironment,
  type TestTenant,
} from '../../../testing/arrange.ts'
import { idAt } from '../../../testing/fill-rows.ts'
import { costOf } from '../../../testing/statement-cost.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { sweepStoppedInstances } from '../instances/sweep-stopped-instances.ts'
import { countVisibleEdges, findEdges } from '../reach/edge-list-queries.ts'

const server = useOwnServer()

async function makeEdge({ owner }: TestTenant, environment_id: string) {
  const { edge, edge_key } = (await owner.api.post('/edges', { name: 'e', environment_id })).body
  return { id: edge.id as string, edge: edge as Edge, api: apiClient(server.url, edge_key) }
}

const heartbeat = (edge: ApiClient, sent: object = {}) =>
  edge.post('/edge/heartbeat', { instance_id: 'i', seq: 1, edge_version: '1.0', agents: [], ...sent })

/** Moves the last heartbeats of an edge into the past. */
async function age(edgeId: string, seconds: number, instanceId?: string) {
  const by = `interval '1 second' * ${seconds}`
  const values = [edgeId, instanceId ?? null]
  await server.owner.query(
    `update edge_instances set seen_at = seen_at - ${by}, closes_at = closes_at - ${by}
     where credential_id = $1 and ($2::text is null or instance_id = $2)`,
    values,
  )
  await server.owner.query(
    'update edges set last_heartbeat_at = (select max(seen_at) from edge_instances where credential_id = $1) where id = $1',
    [edgeId],
  )
}

const intervalSeconds = () => server.services.config.heartbeatSeconds

it('an edge shows its last heartbeat, its version, its agents and when it denies by itself', async () => {
  const tenant = await createTenant(server)
  const { id, edge, api } = await makeEdge(tenant, tenant.development)
  const never = { last_heartbeat_at: null, silent: null, version: null, agents_served: null, closes_at: null }
  expect(edge).toMatchObject(never)
  expect((await tenant.owner.api.get(`/edges/${id}`)).body).toEqual(edge)
  const agents = [await addAgent(server, tenant.id, { environmentId: tenant.development }), randomUUID()]
  await heartbeat(api, { agents: agents.map((agent_id) => ({ agent_id })), closes_after_beats: 5 })
  const { status, body } = await tenant.owner.api.get(`/edges/${id}`)
  expect(status).toBe(200)
  expect(Edge.parse(body)).toEqual(body)
  expect(body).toMatchObject({ silent: false, version: '1.0', agents_served: 1 })
  expect(Date.parse(body.closes_at) - Date.parse(body.last_heartbeat_at)).toBe(5 * intervalSeconds() * 1000)
  expect((await tenant.owner.api.get('/edges')).body.data).toEqual([body])
})

it('closes_at is null for an edge that keeps its policies, and for an edge that does not say', async () => {
  const tenant = await createTenant(server)
  const { id, api } = await makeEdge(tenant, tenant.development)
  const closesAt = async () => (await tenant.owner.api.get(`/edges/${id}`)).body.closes_at
  await heartbeat(api, { seq: 1, closes_after_beats: 5 })
  expect(await closesAt()).not.toBeNull()
  await heartbeat(api, { seq: 2, closes_after_beats: null })
  expect(await closesAt()).toBeNull()
  await heartbeat(api, { seq: 3, closes_after_beats: 5 })
  await heartbeat(api, { seq: 4 })
  expect(await closesAt()).toBeNull()
  for (const closes_after_beats of [0, 1001, 1.5, '5'])
    expect((await heartbeat(api, { seq: 5, closes_after_beats })).status).toBe(400)
})

it('a heartbeat with an older seq changes nothing of the edge', async () => {
  const tenant = await createTenant(server)
  const { id, api } = await makeEdge(tenant, tenant.development)
  await heartbeat(api, { seq: 5 })
  await age(id, 1000)
  await heartbeat(api, { seq: 4, edge_version: '0.9', closes_after_beats: 5 })
  expect((await tenant.owner.api.get(`/edges/${id}`)).body).toMatchObject({
    silent: true,
    version: '1.0',
    closes_at: null,
  })
})

it('several instances: the newest gives the version, the last to close counts, and instances that stopped do not count', async () => {
  const tenant = await createTenant(server)
  const { id, api } = await makeEdge(tenant, tenant.development)
  const agent_id = await addAgent(server, tenant.id, { environmentId: tenant.development })
  const say = (instance_id: string, edge_version: string, closes_after_beats: number | null) =>
    heartbeat(api, { instance_id, edge_version, closes_after_beats, agents: [{ agent_id }] })
  await say('a', '1.1', 10)
  await say('b', '1.0', 5)
  await say('stopped', '0.1', null)
  await age(id, 3 * intervalSeconds() + 5, 'stopped')
  await age(id, 5, 'b')
  const { body } = await tenant.owner.api.get(`/edges/${id}`)
  expect(body).toMatchObject({ silent: false, version: '1.1', agents_served: 2 })
  expect(Date.parse(body.closes_at) - Date.parse(body.last_heartbeat_at)).toBe(10 * intervalSeconds() * 1000)
})

it('shows what an edge is too old for, which is everything that an instance did not declare in its last heartbeat', async () => {
  const tenant = await createTenant(server)
  const { id, api } = await makeEdge(tenant, tenant.development)
  const agent_id = await addAgent(server, tenant.id, { environmentId: tenant.development })
  const lacks = async () => (await tenant.owner.api.get(`/edges/${id}`)).body.lacks
  expect(await lacks()).toBeNull()
  let seq = 10
  const say = (instance_id: string, more: object) =>
    heartbeat(api, { instance_id, seq: ++seq, agents: [{ agent_id }], ...more })
  await say('old', {})
  expect(await lacks()).toEqual([...edgeFeatures])
  await say('old', { features: ['of a later version', ...edgeFeatures] })
  expect(await lacks()).toEqual([])
  await say('older', { features: edgeFeatures.filter((feature) => feature !== 'content') })
  expect(await lacks()).toEqual(['content'])
  const { body } = await tenant.owner.api.get('/edges/instances')
  const shown = Object.fromEntries(
    body.data.map((one: { instance_id: string; lacks: string[] }) => [one.instance_id, one.lacks]),
  )
  expect(shown).toEqual({ old: [], older: ['content'] })
  await say('old', {})
  expect((await tenant.owner.api.get('/edges')).body.data).toMatchObject([{ id, lacks: [...edgeFeatures] }])
})

it('instances of one edge that beat at the same time are all stored', async () => {
  const tenant = await createTenant(server)
  const { id, api } = await makeEdge(tenant, tenant.development)
  const agent_id = await addAgent(server, tenant.id, { environmentId: tenant.development })
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => heartbeat(api, { instance_id: `i-${n}`, agents: [{ agent_id }] })),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect((await tenant.owner.api.get(`/edges/${id}`)).body).toMatchObject({ silent: false, agents_served: 20 })
})

it('silent edges come first, then the newest; silent and environment_id filter', async () => {
  const tenant = await createTenant(server)
  const { owner, development, production } = tenant
  const [silentOne, heard, never, silentTwo] = [
    await makeEdge(tenant, development),
    await makeEdge(tenant, development),
    await makeEdge(tenant, development),
    await makeEdge(tenant, production),
  ]
  for (const { api } of [silentOne, heard, silentTwo]) await heartbeat(api)
  for (const { id } of [silentOne, silentTwo]) await age(id, 3 * intervalSeconds() + 1)
  const ids = async (query: string) => (await owner.api.get(`/edges${query}`)).body.data.map((edge: Edge) => edge.id)
  expect(await ids('')).toEqual([silentTwo.id, silentOne.id, never.id, heard.id])
  expect(await ids('?limit=2&offset=1')).toEqual([silentOne.id, never.id])
  expect(await ids('?silent=true')).toEqual([silentTwo.id, silentOne.id])
  expect(await ids('?silent=false')).toEqual([heard.id])
  expect(await ids(`?silent=true&environment_id=${development}`)).toEqual([silentOne.id])
  expect((await owner.api.get('/edges?silent=true')).body.total).toBe(2)
  expect(await ids(`?environment_id=${randomUUID()}`)).toEqual([])
  expect((await owner.api.get('/edges?silent=1')).status).toBe(400)
  expect((await owner.api.get('/edges?environment_id=x')).status).toBe(400)
  await heartbeat(silentOne.api, { seq: 2 })
  expect(await ids('?silent=true')).toEqual([silentTwo.id])
})

it('a scoped user sees edges of their environments without a number of agents; a bound key sees its environment', async () => {
  const tenant = await createTenant(server)
  const { id: tenantId, owner, development, production } = tenant
  const { id, api } = await makeEdge(tenant, development)
  const agent_id = await addAgent(server, tenantId, { environmentId: development })
  await heartbeat(api, { agents: [{ agent_id }] })
  const scoped = await addPerson(server, tenantId, { accessScope: 'scoped' })
  expect((await scoped.api.get(`/edges/${id}`)).status).toBe(404)
  await giveEnvironment(server, tenantId, scoped.id, development)
  const seen = (await scoped.api.get(`/edges/${id}`)).body
  expect(seen).toMatchObject({ id, silent: false, agents_served: null })
  expect((await scoped.api.get('/edges')).body).toMatchObject({ data: [seen], total: 1 })
  expect((await scoped.api.get(`/edges?environment_id=${production}`)).body).toMatchObject({ data: [], total: 0 })
  const made = await scoped.api.post('/edges', { name: 'e', environment_id: development })
  expect((await scoped.api.get(`/edges/${made.body.edge.id}`)).body).toEqual(made.body.edge)
  const bound = await addKey(server, tenantId, owner, { environmentId: development })
  expect((await bound.api.get(`/edges/${id}`)).body).toMatchObject({ agents_served: 1 })
  const elsewhere = await addKey(server, tenantId, owner, { environmentId: production })
  expect((await elsewhere.api.get(`/edges/${id}`)).status).toBe(404)
  expect((await elsewhere.api.get('/edges')).body.data).toEqual([])
  expect((await (await createTenant(server)).owner.api.get(`/edges/${id}`)).status).toBe(404)
  await owner.api.delete(`/edges/${id}`)
  expect((await owner.api.get(`/edges/${id}`)).status).toBe(404)
})

it('a list of 5,000 edges reads each edge once, and only the instances of its page', async () => {
  const { id: tenantId, owner, development } = await createTenant(server)
  await server.owner.query(
    `insert into edges (tenant_id, id, name, environment_id, key_hash, key_prefix, created_at, last_heartbeat_at)
     select $1::uuid, ${idAt('n')}, 'edge ' || n, $2, sha256(n::text::bytea), 'ek_00000', now(), now() - n * interval '1 second'
     from generate_series(1::bigint, 5000::bigint) n`,
    [tenantId, development],
  )
  await server.owner.query(
    `insert into edge_instances (tenant_id, credential_id, instance_id, seq, edge_version, seen_at)
     select tenant_id, id, 'i-' || k, 1, '1', last_heartbeat_at from edges cross join generate_series(1, 3) k where tenant_id = $1`,
    [tenantId],
  )
  await server.owner.query('analyze edges, edge_instances')
  const actor = actorOf({ id: tenantId, owner })
  const quiet = { seconds: 90, silentBefore: new Date(Date.now() - 90_000).toISOString() }
  const filters = { silent: undefined, environmentId: undefined }
  for (const mode of ['custom', 'generic'] as const) {
    const { buffers, plans } = await costOf(
      server,
      tenantId,
      (sql) => findEdges(sql, actor, filters, quiet, { limit: 50, offset: 0 }),
      mode,
    )
    expect(buffers, JSON.stringify(plans)).toBeLessThan(1500)
  }
  const counts = await countVisibleEdges(server.services.db.reader(tenantId), actor, quiet)
  expect(counts.total).toBe(5000)
  expect(counts.silent).toBeGreaterThan(4900)
})

it('instances that stopped more than a day ago are deleted; a silent edge keeps those of its last day', async () => {
  const tenant = await createTenant(server)
  const [busy, silent] = [await makeEdge(tenant, tenant.development), await makeEdge(tenant, tenant.development)]
  for (const { api } of [busy, silent]) {
    await heartbeat(api, { instance_id: 'running', edge_version: '2' })
    await heartbeat(api, { instance_id: 'stopped', edge_version: '1' })
  }
  await age(busy.id, 90_000, 'stopped')
  await age(silent.id, 90_000)
  await age(silent.id, 90_000, 'stopped')
  await sweepStoppedInstances(server.services.db, new Date())
  const { rows } = await server.owner.query(
    'select credential_id, instance_id from edge_instances where tenant_id = $1 order by credential_id',
    [tenant.id],
  )
  expect(rows).toEqual([
    { credential_id: busy.id, instance_id: 'running' },
    { credential_id: silent.id, instance_id: 'running' },
  ])
  expect((await tenant.owner.api.get(`/edges/${silent.id}`)).body).toMatchObject({ silent: true, version: '2' })
})
