import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiClient, apiClient } from '../../../testing/api-client.ts'
import { addAgent, addKey, auditEntries, createTenant } from '../../../testing/arrange.ts'
import { addEdge, addPolicy, giveAgentKey } from '../../../testing/arrange-agents.ts'
import { useTenant, useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
const tenant = useTenant(server)
let edge: ApiClient

beforeAll(async () => {
  edge = await addEdge(server, tenant.id, tenant.development)
})

const newAgent = (rest = {}) => addAgent(server, tenant.id, { environmentId: tenant.development, ...rest })
const read = async (id: string) => (await tenant.owner.api.get(`/agents/${id}`)).body
const beat = (seq: number, agents: object[], instance_id = 'one', api = edge) =>
  api.post('/edge/heartbeat', { instance_id, seq, edge_version: '1.2.0', agents })

describe('POST /edge/heartbeat', () => {
  it('200 with the interval and the current profile of each agent that is served', async () => {
    const policy = await addPolicy(server, tenant.id)
    const [governed, loose] = [await newAgent({ policyId: policy.id }), await newAgent()]
    const { status, body } = await beat(1, [{ agent_id: loose }, { agent_id: governed }], 'answers')
    expect(status).toBe(200)
    const profileOf = async (id: string) => (await edge.get(`/edge/agents/${id}/mission-profile`)).body
    expect(body).toEqual({
      interval_s: 30,
      agents: [
        {
          agent_id: loose,
          profile_hash: (await profileOf(loose)).profile_hash,
          policy_id: null,
          policy_version: null,
          profile_seq: 1,
        },
        {
          agent_id: governed,
          profile_hash: (await profileOf(governed)).profile_hash,
          policy_id: policy.id,
          policy_version: 1,
          profile_seq: 1,
        },
      ],
    })
  })

  it('the first heartbeat makes a registered agent active and no other agent; a heartbeat writes no audit entry', async () => {
    const ids: Record<string, string> = {}
    for (const status of ['registered', 'active', 'suspended', 'archived']) ids[status] = await newAgent({ status })
    const before = (await auditEntries(server, tenant.id)).length
    await beat(
      1,
      Object.values(ids).map((agent_id) => ({ agent_id })),
      'first',
    )
    const statuses = await Promise.all(Object.values(ids).map(async (id) => (await read(id)).status))
    expect(statuses).toEqual(['active', 'active', 'suspended', 'archived'])
    for (const id of Object.values(ids)) expect((await read(id)).last_heartbeat_at).not.toBeNull()
    expect((await auditEntries(server, tenant.id)).length).toBe(before)
  })

  it('agents that the credential does not serve are left out, and nothing is written for them', async () => {
    const other = await createTenant(server)
    const own = await newAgent()
    const unserved = [
      await newAgent({ environmentId: tenant.production, status: 'registered' }),
      await newAgent({ environmentId: null, source: 'github' }),
      await addAgent(server, other.id, { environmentId: other.development }),
      randomUUID(),
    ]
    const { status, body } = await beat(
      1,
      [...unserved, own].map((agent_id) => ({ agent_id })),
      'served',
    )
    expect(status).toBe(200)
    expect(body.agents.map((agent: { agent_id: string }) => agent.agent_id)).toEqual([own])
    const { rows } = await server.owner.query('select agent_id from agent_runtime where agent_id = any($1)', [unserved])
    expect(rows).toEqual([])
    expect((await read(unserved[0] as string)).status).toBe('registered')
  })

  it('an agent key serves only its agent', async () => {
    const [own, neighbour] = [await newAgent(), await newAgent()]
    const api = await giveAgentKey(server, tenant.id, own)
    const { body } = await beat(1, [{ agent_id: neighbour }, { agent_id: own }], 'own', api)
    expect(body.agents.map((agent: { agent_id: string }) => agent.agent_id)).toEqual([own])
    expect((await read(neighbour)).last_heartbeat_at).toBeNull()
  })

  it('an older seq of an instance changes nothing and gets a response; other instances have their own seq', async () => {
    const policy = await addPolicy(server, tenant.id)
    const id = await newAgent({ status: 'registered' })
    const report = (policy_version: number) => [{ agent_id: id, policy_id: policy.id, policy_version }]
    await beat(10, [], 'seq')
    const ignored = await beat(9, report(1), 'seq')
    expect(ignored).toMatchObject({ status: 200, body: { agents: [{ agent_id: id }] } })
    expect(await read(id)).toMatchObject({ status: 'registered', last_heartbeat_at: null, running_policy: null })
    await beat(11, report(2), 'seq')
    await beat(10, report(3), 'seq')
    expect((await read(id)).running_policy.version).toBe(2)
    await beat(1, report(4), 'another')
    expect((await read(id)).running_policy.version).toBe(4)
  })

  it('a heartbeat that is delivered twice succeeds twice', async () => {
    const id = await newAgent()
    expect((await beat(5, [{ agent_id: id }], 'again')).body).toEqual((await beat(5, [{ agent_id: id }], 'again')).body)
  })

  it('the running policy is stored only if it is reported', async () => {
    const id = await newAgent()
    const policy_id = randomUUID()
    await beat(1, [{ agent_id: id, policy_id, policy_version: 7, policy_hash: 'a'.repeat(64) }], 'running')
    const { running_policy, last_heartbeat_at } = await read(id)
    expect(running_policy).toEqual({
      id: policy_id,
      version: 7,
      reported_at: last_heartbeat_at,
      content_hash: 'a'.repeat(64),
      since: last_heartbeat_at,
      edge: { id: expect.any(String), name: 'edge', version: '1.2.0' },
    })
    await beat(2, [{ agent_id: id }], 'running')
    const later = await read(id)
    expect(later.running_policy).toEqual(running_policy)
    expect(later.last_heartbeat_at > last_heartbeat_at).toBe(true)
  })

  it('`since` is the first of the uninterrupted reports of a version', async () => {
    const [id, policy_id] = [await newAgent(), randomUUID()]
    const said = (policy_version: number) => [{ agent_id: id, policy_id, policy_version }]
    const running = async () => (await read(id)).running_policy
    await beat(1, said(7), 'since')
    const { since } = await running()
    await beat(2, said(7), 'since')
    await beat(3, [{ agent_id: id }], 'since')
    expect((await running()).since).toBe(since)
    expect((await running()).reported_at > since).toBe(true)
    await beat(4, said(8), 'since')
    const changed = await running()
    expect(changed.since).toBe(changed.reported_at)
    await beat(5, said(7), 'since')
    expect((await running()).since > changed.since).toBe(true)
  })

  it('names the edge that reported the running policy, and no edge if the report used the agent key', async () => {
    const [id, policy_id] = [await newAgent(), randomUUID()]
    const own = await giveAgentKey(server, tenant.id, id)
    const report = { agents: [{ agent_id: id, policy_id, policy_version: 1 }], seq: 1 }
    await own.post('/edge/heartbeat', { ...report, instance_id: 'own', edge_version: '3' })
    expect((await read(id)).running_policy.edge).toBeNull()
    await beat(1, report.agents, 'of an edge key')
    expect((await read(id)).running_policy.edge).toMatchObject({ name: 'edge', version: '1.2.0' })
    await own.post('/edge/heartbeat', { agents: [{ agent_id: id }], seq: 2, instance_id: 'own', edge_version: '3' })
    expect((await read(id)).running_policy.edge).toMatchObject({ name: 'edge', version: '1.2.0' })
  })

  it('if an agent is listed twice, the last entry counts', async () => {
    const [id, policy_id] = [await newAgent(), randomUUID()]
    const twice = [1, 2].map((policy_version) => ({ agent_id: id, policy_id, policy_version }))
    const { status, body } = await beat(1, twice, 'twice')
    expect([status, body.agents.length]).toEqual([200, 1])
    expect((await read(id)).running_policy.version).toBe(2)
  })

  it('concurrent heartbeats of many edges about the same agents all succeed', async () => {
    const ids = await Promise.all(Array.from({ length: 40 }, () => newAgent({ status: 'registered' })))
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => {
        const order = n % 2 === 0 ? ids : ids.toReversed()
        return beat(
          1,
          order.map((agent_id) => ({ agent_id })),
          `crowd ${n}`,
        )
      }),
    )
    expect(answers.map(({ status, body }) => [status, body.agents.length])).toEqual(Array(8).fill([200, 40]))
    const { rows } = await server.owner.query('select distinct status from agents where id = any($1)', [ids])
    expect(rows).toEqual([{ status: 'active' }])
  })

  it('200 for a heartbeat without agents; 400 with the field’s name for a malformed one', async () => {
    expect((await beat(1, [], 'none')).body).toEqual({ interval_s: 30, agents: [] })
    const good = { instance_id: 'i', seq: 1, edge_version: '1', agents: [] }
    for (const [field, value] of [
      ['instance_id', ''],
      ['seq', -1],
      ['seq', '1'],
      ['seq', 2 ** 53],
      ['edge_version', 1],
      ['agents', {}],
      ['agents', [{}]],
      ['agents', [{ agent_id: randomUUID(), policy_version: 0 }]],
      ['agents', [{ agent_id: randomUUID(), policy_version: 2 ** 31 }]],
      ['agents', [{ agent_id: randomUUID(), policy_hash: 'xyz' }]],
      ['agents', Array.from({ length: 5001 }, () => ({ agent_id: randomUUID() }))],
    ] as const) {
      const { status, body } = await edge.post('/edge/heartbeat', { ...good, [field]: value })
      expect([status, body.error]).toEqual([400, expect.stringContaining(field)])
    }
  })
})

describe('credentials on edge routes', () => {
  it('401 for a session, an API key, an unknown key and no credential, on every edge route', async () => {
    const id = await newAgent()
    const key = await addKey(server, tenant.id, tenant.owner)
    const callers = [
      tenant.owner.api,
      key.api,
      apiClient(server.url),
      apiClient(server.url, `ek_${'0'.repeat(64)}`),
      apiClient(server.url, `ak_${'0'.repeat(64)}`),
    ]
    for (const api of callers) {
      expect((await api.get(`/edge/agents/${id}/mission-profile`)).status).toBe(401)
      for (const path of ['heartbeat', 'attestations', 'execution-stats', 'decisions']) {
        expect((await api.post(`/edge/${path}`, {})).status, path).toBe(401)
      }
    }
  })

  it('an edge key and an agent key work on no other route', async () => {
    const agentKey = await giveAgentKey(server, tenant.id, await newAgent())
    for (const api of [edge, agentKey]) {
      for (const path of ['/agents', '/edges', '/tenants']) expect((await api.get(path)).status).toBe(401)
    }
  })
})
