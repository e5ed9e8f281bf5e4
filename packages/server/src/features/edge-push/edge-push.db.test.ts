import { randomUUID } from 'node:crypto'
import { canonicalJson } from '@mandate/proofs/canonical'
import { signatureHolds } from '@mandate/proofs/signature'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { newId } from '../../db/ids/new-id.ts'
import { type ApiClient, apiClient } from '../../testing/api-client.ts'
import { addAgent, createTenant, type TestTenant } from '../../testing/arrange.ts'
import { addEdge, giveAgentKey } from '../../testing/arrange-agents.ts'
import { type OpenStream, openStream } from '../../testing/open-stream.ts'
import { useOwnServer } from '../../testing/use-test-server.ts'

const server = useOwnServer()
const waitFor = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 60_000 })
const streams: OpenStream[] = []
let tenant: TestTenant
let owner: ApiClient
let edge: ApiClient
let policyId: string
let agentId: string

beforeEach(async () => {
  tenant = await createTenant(server, { gate: 'off' })
  owner = tenant.owner.api
  edge = await addEdge(server, tenant.id, tenant.development)
  policyId = (await owner.post('/policies', { name: 'one', default_effect: 'deny' })).body.id
  agentId = await newAgent()
})
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close()
})

const newAgent = (rest = {}) =>
  addAgent(server, tenant.id, { environmentId: tenant.development, policyId, status: 'active', ...rest })

/** Opens the stream of an instance, and names its agents as an edge does. */
async function openEdge(
  agents: string[],
  {
    api = edge,
    instance = 'one',
    url = server.url,
    fetchFrom = url,
  }: { api?: ApiClient; instance?: string; url?: string; fetchFrom?: string } = {},
): Promise<OpenStream> {
  const stream = await openStream(url, api.credential as string, {
    path: '/edge/stream',
    query: `?instance_id=${instance}`,
  })
  streams.push(stream)
  expect(stream.status).toBe(200)
  if (agents.length > 0) {
    const { status } = await apiClient(fetchFrom, api.credential).post('/edge/profiles', {
      agent_ids: agents,
      instance_id: instance,
    })
    expect(status).toBe(200)
  }
  return stream
}

const savePolicy = (body = {}) => owner.put(`/policies/${policyId}`, { default_effect: 'allow', ...body })
const profiles = async (agent_ids: string[], rest = {}, api = edge) =>
  (await api.post('/edge/profiles', { agent_ids, ...rest })).body
const isAbout = (id: string) => (event: { type: string; data: { agent_id?: string } }) =>
  event.type === 'profile' && event.data.agent_id === id

/** Waits until the stream has everything that was committed before: a change of another agent of the stream is the last event. */
async function settle(stream: OpenStream, marker: string): Promise<void> {
  const { status } = await owner.post(`/agents/${marker}/suspend`)
  expect(status).toBe(200)
  await stream.receives(isAbout(marker))
}

describe('GET /edge/stream', () => {
  it('tells a saved policy, with the hash and the number that POST /edge/profiles answers', async () => {
    const stream = await openEdge([agentId])
    expect(stream.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    expect(stream.headers['x-accel-buffering']).toBe('no')
    expect(stream.headers['cache-control']).toContain('no-transform')
    expect((await savePolicy()).status).toBe(200)
    const { data } = await stream.receives(isAbout(agentId))
    const [profile] = (await profiles([agentId])).data
    expect(data).toEqual({
      agent_id: agentId,
      profile_hash: profile.profile_hash,
      profile_seq: profile.profile_seq,
    })
    expect(profile.policy.default_effect).toBe('allow')
    expect(profile.profile_seq).toBe(2)
  })

  it('tells nothing of agents whose profile did not change, and nothing when the stream opens', async () => {
    const [other, marker] = [await newAgent({ policyId: null }), await newAgent({ policyId: null })]
    const stream = await openEdge([agentId, other, marker])
    await savePolicy()
    await stream.receives(isAbout(agentId))
    await owner.put(`/tenants/${tenant.id}`, { name: 'Another name' })
    await settle(stream, marker)
    expect(stream.events.map(({ data }) => data.agent_id)).toEqual([agentId, marker])
  })

  it('tells changes of the agents that a heartbeat of the instance named', async () => {
    const stream = await openEdge([])
    const beat = { instance_id: 'one', seq: 1, edge_version: '1', agents: [{ agent_id: agentId }] }
    expect((await edge.post('/edge/heartbeat', beat)).status).toBe(200)
    await owner.post(`/agents/${agentId}/suspend`)
    await stream.receives(isAbout(agentId))
    expect((await profiles([agentId])).data[0].denied_because).toBe('suspended')
  })

  it('tells an agent key what concerns its agent, without further requests', async () => {
    const key = await giveAgentKey(server, tenant.id, agentId)
    const stream = await openEdge([], { api: key })
    await owner.post(`/agents/${agentId}/suspend`)
    await stream.receives(isAbout(agentId))
  })

  it('tells changes of agents that the edge named to another instance of the server', async () => {
    const other = await server.startInstance()
    try {
      const stream = await openEdge([agentId], { fetchFrom: other.url })
      await owner.post(`/agents/${agentId}/suspend`)
      await stream.receives(isAbout(agentId))
    } finally {
      await other.stop()
    }
  })

  it('does not carry agents of another tenant or environment, or an instance of another edge', async () => {
    const stranger = await createTenant(server)
    const foreign = await addAgent(server, stranger.id, { environmentId: stranger.development })
    const elsewhere = await newAgent({ environmentId: tenant.production })
    const marker = await newAgent()
    const stream = await openEdge([foreign, elsewhere, marker])
    const own = await addEdge(server, tenant.id, tenant.development)
    await profiles([agentId], { instance_id: 'one' }, own)
    await stranger.owner.api.post(`/agents/${foreign}/suspend`)
    await owner.post(`/agents/${elsewhere}/suspend`)
    await owner.post(`/agents/${agentId}/suspend`)
    await settle(stream, marker)
    expect(stream.events.map(({ data }) => data.agent_id)).toEqual([marker])
  })

  it('tells an approval that was resolved to the edges that carry the agent', async () => {
    await owner.put(`/policies/${policyId}`, { default_effect: 'require_approval' })
    const [profile] = (await profiles([agentId])).data
    const approval_id = randomUUID()
    const asked = await edge.post('/edge/approvals', {
      approval_id,
      agent_id: agentId,
      tool: 'mcp:files/read',
      args_digest: '0'.repeat(64),
      policy_id: policyId,
      policy_version: profile.policy_version,
      policy_hash: '0'.repeat(64),
      reason: 'r',
    })
    expect(asked.status).toBe(201)
    const stream = await openEdge([agentId])
    const bystander = await openEdge([await newAgent()], { instance: 'two' })
    const resolved = await owner.post(`/approvals/${approval_id}/resolve`, { outcome: 'approved' })
    expect(resolved.status).toBe(200)
    const { data } = await stream.receives(({ type }) => type === 'approval')
    expect(data).toEqual({ approval_id, status: 'approved' })
    expect(bystander.types).not.toContain('approval')
  })

  it('ends when the edge is revoked', async () => {
    const stream = await openEdge([agentId])
    const { rows } = await server.owner.query('select id from edges where tenant_id = $1', [tenant.id])
    expect((await owner.delete(`/edges/${rows[0].id}`)).status).toBe(204)
    await savePolicy()
    await stream.ends()
    expect(stream.events).toEqual([])
  })

  it('ends when the agent key is replaced', async () => {
    const stream = await openEdge([], { api: await giveAgentKey(server, tenant.id, agentId) })
    expect((await owner.post(`/agents/${agentId}/rotate-key`)).status).toBe(200)
    await stream.ends()
    expect(stream.events).toEqual([])
  })

  it('ends when an agent of the stream moves out of the reach of the key', async () => {
    const stream = await openEdge([agentId])
    await server.owner.query('update agents set environment_id = $2 where id = $1', [agentId, tenant.production])
    await savePolicy()
    await stream.ends()
    expect(stream.events).toEqual([])
    expect(await profiles([agentId])).toEqual({ data: [], unchanged: [], remaining: [] })
  })

  it('still tells changes after the connection that listens was killed', async () => {
    const stream = await openEdge([agentId])
    await waitFor(async () => {
      const { rows } = await server.owner.query(
        `select pg_terminate_backend(pid) as killed from pg_stat_activity
         where application_name = 'mandate events' and datname = current_database()`,
      )
      expect(rows.map(({ killed }) => killed)).toContain(true)
    })
    await owner.post(`/agents/${agentId}/suspend`)
    await stream.receives(isAbout(agentId))
  })

  it('ends when the server stops, and another instance continues', async () => {
    const other = await server.startInstance()
    const stream = await openEdge([agentId], { url: other.url })
    await other.stop()
    await stream.ends()
    expect(stream.isBroken).toBe(false)
    const next = await openEdge([agentId])
    await owner.post(`/agents/${agentId}/suspend`)
    await next.receives(isAbout(agentId))
  })

  it('an edge that stops reading does not delay the others', async () => {
    const stuck = await openEdge([agentId], { instance: 'two' })
    stuck.pause()
    const stream = await openEdge([agentId])
    for (const action of ['suspend', 'resume', 'suspend']) {
      const before = stream.events.length
      await owner.post(`/agents/${agentId}/${action}`)
      await waitFor(() => expect(stream.events.length).toBeGreaterThan(before))
    }
  })

  it('429 for the 101st stream of a key, until one is closed', async () => {
    await Promise.all(Array.from({ length: 100 }, () => openEdge([])))
    const refused = await openStream(server.url, edge.credential as string, { path: '/edge/stream' })
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '30'])
    streams.pop()?.close()
    await waitFor(async () => {
      const again = await openStream(server.url, edge.credential as string, { path: '/edge/stream' })
      streams.push(again)
      expect(again.status).toBe(200)
    })
  })

  it('401 for other credentials than the keys of edges and agents', async () => {
    expect((await owner.get('/edge/stream')).status).toBe(401)
  })

  it('gives the agents of a saved policy their numbers in one transaction', async () => {
    const agents = await Promise.all(Array.from({ length: 40 }, () => newAgent()))
    const stream = await openEdge(agents)
    await savePolicy()
    await waitFor(() => expect(stream.events).toHaveLength(40))
    const { rows } = await server.owner.query(
      'select count(distinct xmin::text)::int as transactions from agent_profiles where tenant_id = $1 and agent_id = any($2)',
      [tenant.id, agents],
    )
    expect(rows).toEqual([{ transactions: 1 }])
  })
})

describe('freezes on the stream', () => {
  /** Stores the event that a freeze writes with its audit entry. */
  async function storeFreeze(type: string, agent: string | null, environmentId: string | null): Promise<string> {
    const id = newId()
    await server.owner.query(
      `insert into events (tenant_id, slot, place, xact_id, snapshot, stored_at, id, at, type, audience, is_audited,
         resource_type, resource_id, agent_id, environment_id)
       values ($1, (floor(extract(epoch from now()) / 300)::bigint % 5)::integer, nextval('event_places'), pg_current_xact_id(),
         pg_current_snapshot(), now(), $2, now(), $3, 'agent', true, 'freeze', $4, $5, $6)`,
      [tenant.id, newId(), type, id, agent, environmentId],
    )
    return id
  }

  it('tells each edge of the environment of a frozen agent, signed by the key of mission profiles', async () => {
    const [stream, bystander] = [await openEdge([agentId]), await openEdge([], { instance: 'two' })]
    const elsewhere = await openEdge([], { api: await addEdge(server, tenant.id, tenant.production) })
    const id = await storeFreeze('freeze.started', agentId, tenant.development)
    const { data } = await stream.receives(({ type }) => type === 'freeze')
    expect(data).toEqual({
      id,
      tenant_id: tenant.id,
      scope: 'agent',
      agent_id: agentId,
      drill: false,
      lifted: false,
      at: expect.any(String),
      signature: expect.any(String),
    })
    const { signature, ...signed } = data
    const { keys } = (await apiClient(server.url).get('/edge/signing-key')).body
    expect(signatureHolds(keys[0].public_key_pem, canonicalJson(signed), signature)).toBe(true)
    const lifted = canonicalJson({ ...signed, lifted: true })
    expect(signatureHolds(keys[0].public_key_pem, lifted, signature)).toBe(false)
    await bystander.receives(({ type }) => type === 'freeze')
    expect(elsewhere.events).toEqual([])
  })

  it('names the environment of its freeze, and nothing for the organization', async () => {
    const stream = await openEdge([agentId])
    const own = await openEdge([], { api: await giveAgentKey(server, tenant.id, agentId) })
    const place = await storeFreeze('freeze.started', null, tenant.development)
    const all = await storeFreeze('freeze.lifted', null, null)
    for (const each of [stream, own]) {
      await waitFor(() => expect(each.events).toHaveLength(2))
      const [first, second] = each.events.map(({ data: { at: _, signature: __, ...data } }) => data)
      expect(first).toEqual({
        id: place,
        tenant_id: tenant.id,
        scope: 'environment',
        environment_id: tenant.development,
        drill: false,
        lifted: false,
      })
      expect(second).toEqual({ id: all, tenant_id: tenant.id, scope: 'organization', drill: false, lifted: true })
    }
  })
})

describe('POST /edge/profiles', () => {
  it('answers the same profiles as GET mission-profile, and leaves out agents out of reach', async () => {
    const [second, elsewhere] = [
      await newAgent({ policyId: null }),
      await newAgent({ environmentId: tenant.production }),
    ]
    const { data, unchanged, remaining } = await profiles([agentId, second, agentId, elsewhere, randomUUID()])
    expect([unchanged, remaining]).toEqual([[], []])
    expect(data.map(({ agent_id }: { agent_id: string }) => agent_id).sort()).toEqual([agentId, second].sort())
    for (const { issued_at: _, signature, ...profile } of data) {
      const single = (await edge.get(`/edge/agents/${profile.agent_id}/mission-profile`)).body
      expect(single).toMatchObject(profile)
      const { keys } = (await apiClient(server.url).get('/edge/signing-key')).body
      expect(signatureHolds(keys[0].public_key_pem, canonicalJson({ ...profile, issued_at: _ }), signature)).toBe(true)
    }
  })

  it('answers an agent key only its agent', async () => {
    const key = await giveAgentKey(server, tenant.id, agentId)
    const { data } = await profiles([agentId, await newAgent()], {}, key)
    expect(data.map(({ agent_id }: { agent_id: string }) => agent_id)).toEqual([agentId])
  })

  it('answers at most 4 MiB of policies, also if their text is not ASCII', async () => {
    const rules = Array.from({ length: 150 }, (_, n) => ({
      name: `rule ${n}`,
      priority: n + 1,
      effect: 'allow',
      match: { tools: [`mcp:files/${n}`], when: [] },
      reason: '\u6f22'.repeat(2_000),
    }))
    const agents: string[] = []
    for (let n = 0; n < 6; n++) {
      const { status, body } = await owner.post('/policies', { name: `long ${n}`, default_effect: 'deny', rules })
      expect(status).toBe(201)
      agents.push(await newAgent({ policyId: body.id }))
    }
    const sent: string[] = []
    for (let left = agents; left.length > 0; ) {
      const { data, remaining } = await profiles(left)
      expect(data.length).toBeGreaterThan(0)
      expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThan(5 * 1024 * 1024)
      sent.push(...data.map(({ agent_id }: { agent_id: string }) => agent_id))
      left = remaining
    }
    expect(sent.sort()).toEqual(agents.sort())
  })

  it('does not send profiles again that the edge knows', async () => {
    const [{ profile_hash }] = (await profiles([agentId])).data
    expect(await profiles([agentId], { known_hashes: [profile_hash] })).toEqual({
      data: [],
      unchanged: [agentId],
      remaining: [],
    })
    await savePolicy()
    expect((await profiles([agentId], { known_hashes: [profile_hash] })).data).toHaveLength(1)
  })

  it('names agents as remaining whose policies do not fit in one answer', async () => {
    const long = 'x'.repeat(1900)
    const rules = Array.from({ length: 300 }, (_, index) => ({
      name: `rule ${index}`,
      priority: index + 1,
      effect: 'deny',
      match: { tools: [`mcp:files/${index}`], when: [] },
      reason: long,
    }))
    const large = (await owner.post('/policies', { name: 'large', default_effect: 'deny', rules })).body.id
    const agents = await Promise.all(Array.from({ length: 10 }, () => newAgent({ policyId: large })))
    const got: string[] = []
    for (let wanted = agents; wanted.length > 0; ) {
      const { data, remaining } = await profiles(wanted)
      expect(data.length).toBeGreaterThan(0)
      expect(data.length).toBeLessThan(10)
      got.push(...data.map(({ agent_id }: { agent_id: string }) => agent_id))
      wanted = remaining
    }
    expect(got.sort()).toEqual(agents.sort())
  })

  it('gives one number to a profile that many requests read at once', async () => {
    const agents = await Promise.all(Array.from({ length: 20 }, () => newAgent()))
    const numbers = async () => {
      const shuffled = () => [...agents].sort(() => Math.random() - 0.5)
      const answers = await Promise.all(Array.from({ length: 10 }, () => profiles(shuffled())))
      return new Set(answers.flatMap(({ data }) => data.map(({ profile_seq: seq }: { profile_seq: number }) => seq)))
    }
    expect(await numbers()).toEqual(new Set([1]))
    await savePolicy()
    expect(await numbers()).toEqual(new Set([2]))
  })

  it('profile_seq never goes back, and names one content, while the policy is saved again and again', async () => {
    const stream = await openEdge([agentId])
    let isSaving = true
    const saving = (async () => {
      for (let round = 0; round < 15; round++) await savePolicy({ description: `round ${round}` })
      isSaving = false
    })()
    const seen = new Map<number, string>()
    const read = async () => {
      for (let last = 0; isSaving; ) {
        const [{ profile_seq, profile_hash }] = (await profiles([agentId])).data
        expect(profile_seq).toBeGreaterThanOrEqual(last)
        expect(seen.get(profile_seq) ?? profile_hash).toBe(profile_hash)
        seen.set(profile_seq, profile_hash)
        last = profile_seq
      }
    }
    await Promise.all([read(), read(), read(), saving])
    const [{ profile_hash }] = (await profiles([agentId])).data
    await stream.receives(({ data }) => data.profile_hash === profile_hash)
    const numbers = stream.events.map(({ data }) => data.profile_seq)
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    for (const { data } of stream.events)
      expect(seen.get(data.profile_seq) ?? data.profile_hash).toBe(data.profile_hash)
  })

  it.each([
    ['no agent', { agent_ids: [] }],
    ['more than 500 agents', { agent_ids: Array.from({ length: 501 }, () => randomUUID()) }],
    ['an invalid hash', { agent_ids: [randomUUID()], known_hashes: ['x'] }],
  ])('400 for %s', async (_, body) => {
    expect((await edge.post('/edge/profiles', body)).status).toBe(400)
  })
})
