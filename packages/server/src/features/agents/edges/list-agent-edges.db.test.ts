import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../../db/ids/new-id.ts'
import type { ApiClient } from '../../../testing/api-client.ts'
import {
  addAgent,
  addKey,
  addPerson,
  createTenant,
  giveEnvironment,
  grantAgent,
  type TestTenant,
} from '../../../testing/arrange.ts'
import { addEdge, addPolicy, giveAgentKey, savePolicy } from '../../../testing/arrange-agents.ts'
import { beat, silence } from '../../../testing/running-instance.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant
let owner: ApiClient
let edge: ApiClient
let policy: string
let agent: string

beforeEach(async () => {
  tenant = await createTenant(server)
  owner = tenant.owner.api
  edge = await addEdge(server, tenant.id, tenant.development)
  policy = (await addPolicy(server, tenant.id)).id
  agent = await newAgent()
})

const newAgent = (environmentId = tenant.development) =>
  addAgent(server, tenant.id, { environmentId, policyId: policy, status: 'active' })
const edgesOf = async (api = owner, query = '', id = agent) => {
  const { status, body } = await api.get(`/agents/${id}/edges${query}`)
  expect(status).toBe(200)
  return body
}
const states = ({ data }: { data: { instance_id: string; state: string }[] }) =>
  data.map(({ instance_id: instance, state }) => `${instance} ${state}`).sort()

/** Fetches the profile of the agent and confirms that it is in force, as an edge does. */
async function takeProfile(api: ApiClient, instance_id: string, id = agent) {
  const { profile_hash, profile_seq } = (await api.get(`/edge/agents/${id}/mission-profile`)).body
  const confirmations = [{ agent_id: id, profile_hash, profile_seq, at: new Date().toISOString() }]
  const answer = await api.post('/edge/confirmations', { instance_id, confirmations })
  expect(answer).toMatchObject({ status: 202 })
  expect(answer.body.refused ?? []).toEqual([])
  return profile_seq
}

describe('GET /agents/{agent_id}/edges', () => {
  it('lists the running instances that carry the agent, and counts those with its newest profile', async () => {
    const own = await giveAgentKey(server, tenant.id, agent)
    const other = await newAgent()
    await beat(edge, 'a', agent, other)
    await beat(edge, 'b', agent)
    await beat(edge, 'without', other)
    await beat(own, 'own', agent)
    expect(await edgesOf()).toMatchObject({
      profile_seq: null,
      suspended_at: null,
      edges: { total: 3, confirmed: 0, waiting: 3, unreachable: 0 },
    })
    const seq = await takeProfile(edge, 'a')
    await takeProfile(own, 'own')
    const body = await edgesOf()
    expect(states(body)).toEqual(['a confirmed', 'b waiting', 'own confirmed'])
    expect(body).toMatchObject({
      profile_seq: seq,
      edges: { total: 3, confirmed: 2, waiting: 1, unreachable: 0 },
    })
    const [a] = body.data.filter((row: { instance_id: string }) => row.instance_id === 'a')
    expect(a).toEqual({
      edge: { id: expect.any(String), name: expect.any(String) },
      agent: null,
      environment: { id: tenant.development, name: 'Development', slug: 'development' },
      instance_id: 'a',
      state: 'confirmed',
      after_ms: null,
      last_heartbeat_at: expect.any(String),
      closes_at: null,
      agents: 2,
      kid: null,
      profile_seq: seq,
      confirmed_at: expect.any(String),
    })
    expect(body.data.find((row: { instance_id: string }) => row.instance_id === 'own')).toMatchObject({
      edge: null,
      agent: { id: agent },
    })
  })

  it('an instance waits again after its policy was saved, until it confirms the new profile', async () => {
    await beat(edge, 'a', agent)
    const seq = await takeProfile(edge, 'a')
    await savePolicy(server, tenant.id, policy, { default_effect: 'allow' })
    expect(await edgesOf()).toMatchObject({
      profile_seq: null,
      edges: { total: 1, confirmed: 0, waiting: 1 },
      data: [{ state: 'waiting', profile_seq: seq }],
    })
    expect(await takeProfile(edge, 'a')).toBe(seq + 1)
    expect(await edgesOf()).toMatchObject({ profile_seq: seq + 1, edges: { confirmed: 1, waiting: 0 } })
  })

  it('a suspension is confirmed by profiles since then, also if the agent changed meanwhile', async () => {
    for (const instance of ['a', 'b', 'c']) await beat(edge, instance, agent)
    for (const instance of ['a', 'b', 'c']) await takeProfile(edge, instance)
    await silence(server, tenant.id, 'c')
    await beat(edge, 'a', agent)
    expect((await owner.post(`/agents/${agent}/suspend`, { reason: 'a key leaked' })).status).toBe(200)
    const before = await edgesOf()
    expect(before.suspended_at).toEqual(expect.any(String))
    expect(states(before)).toContain('a waiting')
    await takeProfile(edge, 'a')
    expect((await owner.put(`/agents/${agent}`, { name: 'renamed' })).status).toBe(200)
    await beat(edge, 'late', agent)
    await takeProfile(edge, 'late')
    const { data, edges } = await edgesOf()
    expect(states({ data })).toEqual(['a confirmed', 'b waiting', 'late confirmed'])
    expect(edges).toEqual({ total: 3, confirmed: 2, waiting: 1, unreachable: 0 })
    const after = Object.fromEntries(
      data.map((row: { instance_id: string; after_ms: number | null }) => [row.instance_id, row.after_ms]),
    )
    expect(after).toEqual({ a: expect.any(Number), b: null, late: null })
    await owner.post(`/agents/${agent}/resume`, {})
    expect(await edgesOf()).toMatchObject({ suspended_at: null, edges: { confirmed: 0 } })
  })

  it('a silent instance is unreachable if it did not confirm, and stays confirmed if it did', async () => {
    const other = await addEdge(server, tenant.id, tenant.development)
    await beat(edge, 'a', agent)
    await beat(other, 'b', agent)
    await takeProfile(edge, 'a')
    await silence(server, tenant.id, 'a')
    await silence(server, tenant.id, 'b')
    const body = await edgesOf()
    expect(states(body)).toEqual(['a confirmed', 'b unreachable'])
    expect(body.edges).toEqual({ total: 2, confirmed: 1, waiting: 0, unreachable: 1 })
  })

  it('pages, and filters by state; the counts stay those of all instances', async () => {
    for (const instance of ['a', 'b', 'c', 'd']) await beat(edge, instance, agent)
    await takeProfile(edge, 'b')
    const names: string[] = []
    let token: string | undefined
    do {
      const body = await edgesOf(owner, `?page_size=1&include=names${token ? `&page_token=${token}` : ''}`)
      expect(body.edges?.total).toBe(token ? undefined : 4)
      names.push(...body.data.map((row: { instance_id: string }) => row.instance_id))
      token = body.next_page_token
    } while (token)
    expect(names).toEqual(['a', 'b', 'c', 'd'])
    const waiting = await edgesOf(owner, '?state=waiting')
    expect(states(waiting)).toEqual(['a waiting', 'c waiting', 'd waiting'])
    expect(waiting.edges).toEqual({ total: 4, confirmed: 1, waiting: 3, unreachable: 0 })
    expect(states(await edgesOf(owner, '?state=confirmed'))).toEqual(['b confirmed'])
    const { next_page_token: foreign } = await edgesOf(owner, '?page_size=1')
    const another = await newAgent()
    for (const [id, query] of [
      [agent, 'state=x'],
      [agent, 'page_token=x'],
      [another, `page_token=${foreign}`],
    ])
      expect((await owner.get(`/agents/${id}/edges?${query}`)).status, query).toBe(400)
  })

  it('404 for an agent that the caller does not see; readers see the instances that they see elsewhere', async () => {
    const own = await giveAgentKey(server, tenant.id, agent)
    await beat(edge, 'a', agent)
    await beat(own, 'own', agent)
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const elsewhere = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    const readOnly = await addKey(server, tenant.id, tenant.owner, { scopes: ['agents:read'] })
    const ofEdges = await addKey(server, tenant.id, tenant.owner, { scopes: ['edges:read'] })
    const other = await createTenant(server)
    const statusOf = async (api: ApiClient, id = agent) => (await api.get(`/agents/${id}/edges`)).status
    for (const api of [other.owner.api, scoped.api, elsewhere.api]) expect(await statusOf(api)).toBe(404)
    expect(await statusOf(owner, newId())).toBe(404)
    expect(await statusOf(ofEdges.api)).toBe(403)
    expect(await statusOf(edge)).toBe(401)
    for (const { api } of [viewer, bound, readOnly])
      expect(await edgesOf(api)).toMatchObject({ edges: { total: 2 }, data: [{ agents: 1 }, { agents: 1 }] })
    await grantAgent(server, tenant.id, scoped.id, agent)
    expect(states(await edgesOf(scoped.api))).toEqual(['own waiting'])
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    const seen = await edgesOf(scoped.api)
    expect(states(seen)).toEqual(['a waiting', 'own waiting'])
    expect(seen).toMatchObject({ edges: { total: 2 }, data: [{ agents: null }, { agents: null }] })
    const both = await addKey(server, tenant.id, scoped, { environmentId: tenant.development })
    expect((await edgesOf(both.api)).edges.total).toBe(2)
  })
})
