import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiClient } from '../../../testing/api-client.ts'
import { addAgent, addKey, addPerson, createTenant, grantAgent, type TestTenant } from '../../../testing/arrange.ts'
import { addEdge, addPolicy, savePolicy, type TestPolicy } from '../../../testing/arrange-agents.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant
let owner: ApiClient
let edge: ApiClient
let policy: TestPolicy
let seq = 0

beforeEach(async () => {
  tenant = await createTenant(server)
  owner = tenant.owner.api
  edge = await addEdge(server, tenant.id, tenant.development)
  policy = await addPolicy(server, tenant.id)
})

async function add(name: string, rest = {}): Promise<string> {
  const id = await addAgent(server, tenant.id, { environmentId: tenant.development, policyId: policy.id, ...rest })
  await server.owner.query('update agents set name = $2 where id = $1', [id, name])
  return id
}

const beat = (agentId: string, said: object = {}) =>
  edge.post('/edge/heartbeat', {
    instance_id: 'i',
    seq: ++seq,
    edge_version: '1',
    agents: [{ agent_id: agentId, ...said }],
  })
const runs = (agentId: string, version: number) => beat(agentId, { policy_id: policy.id, policy_version: version })

async function approve(agentId: string) {
  const { body } = await owner.post(`/agents/${agentId}/reviews`, { kind: 'attestation' })
  const manager = await addPerson(server, tenant.id, { role: 'owner' })
  expect((await manager.api.post(`/reviews/${body.id}/resolve`, { outcome: 'attested', comment: 'ok' })).status).toBe(
    200,
  )
}

async function idsOf(query: string, api = owner): Promise<string[]> {
  const { status, body } = await api.get(`/agents?${query}`)
  expect(status, query).toBe(200)
  return body.data.map(({ id }: { id: string }) => id)
}

/** All ids of a list, read in pages of two. */
async function paged(query: string, api = owner): Promise<string[]> {
  const ids: string[] = []
  let token: string | undefined
  do {
    const { status, body } = await api.get(`/agents?${query}&page_size=2${token ? `&page_token=${token}` : ''}`)
    expect(status).toBe(200)
    ids.push(...body.data.map(({ id }: { id: string }) => id))
    token = body.next_page_token
  } while (token)
  return ids
}

describe('GET /agents?sort=', () => {
  it('name: in the order of the names without regard to case, then oldest first, over several pages', async () => {
    const [b, a1, c, a2, under] = [
      await add('beta'),
      await add('Alpha'),
      await add('Gamma'),
      await add('alpha'),
      await add('Übung'),
    ]
    expect(await paged('sort=name')).toEqual([a1, a2, b, c, under])
    expect(await idsOf('sort=name&search=a&page_size=3')).toEqual([a1, a2, b])
  })

  it('attention: highest severity, then newest finding, then name; a closed finding no longer counts', async () => {
    const production = { environmentId: tenant.production }
    const calm = [await add('B'), await add('A')]
    const [older, newer] = [await add('older'), await add('newer')]
    const high = await add('high', production)
    for (const id of [older, newer, high]) await approve(id)
    await savePolicy(server, tenant.id, policy.id, { default_effect: 'allow' })
    const productionEdge = await addEdge(server, tenant.id, tenant.production)
    const said = [{ agent_id: high, policy_id: policy.id, policy_version: 2 }]
    await productionEdge.post('/edge/heartbeat', { instance_id: 'p', seq: 1, edge_version: '1', agents: said })
    await runs(older, 2)
    await runs(newer, 2)
    expect(await paged('sort=attention')).toEqual([high, newer, older, calm[1], calm[0]])
    await savePolicy(server, tenant.id, policy.id, { default_effect: 'deny' })
    await runs(newer, 3)
    expect(await paged('sort=attention')).toEqual([high, older, calm[1], calm[0], newer])
  })

  it('last_heartbeat: latest first, then the agents without one, newest first', async () => {
    const [a, b, silent1, c, silent2] = [await add('a'), await add('b'), await add('s'), await add('c'), await add('s')]
    for (const id of [c, a, b]) await beat(id)
    expect(await paged('sort=last_heartbeat')).toEqual([b, a, c, silent2, silent1])
    await beat(c)
    expect(await paged('sort=last_heartbeat&heartbeat=recent')).toEqual([c, b, a])
  })

  it('any other value gives the newest agent first', async () => {
    const ids = [await add('a'), await add('b')]
    for (const sort of ['newest', 'created_at', '']) expect(await idsOf(`sort=${sort}`)).toEqual(ids.toReversed())
  })

  it('400 for a page token of another order, of another tenant, and for a damaged one', async () => {
    for (const name of ['a', 'b', 'c']) await add(name)
    const other = await createTenant(server)
    const sorts = ['newest', 'attention', 'name', 'last_heartbeat']
    for (const sort of sorts) {
      const { next_page_token: token } = (await owner.get(`/agents?page_size=1&sort=${sort}`)).body
      for (const asked of sorts) {
        const { status, body } = await owner.get(`/agents?sort=${asked}&page_token=${token}`)
        expect([asked, status]).toEqual([asked, asked === sort ? 200 : 400])
        if (status === 400) expect(body.error).toContain('page_token')
      }
      expect((await other.owner.api.get(`/agents?sort=${sort}&page_token=${token}`)).status).toBe(400)
      expect((await owner.get(`/agents?sort=${sort}&page_token=${token.slice(2)}`)).status).toBe(400)
      expect((await owner.get(`/agents?sort=${sort}&page_token=`)).status).toBe(400)
    }
  })

  it('a token does not contain the name of an agent', async () => {
    for (const name of ['secret one', 'secret two']) await add(name)
    const { next_page_token: token } = (await owner.get('/agents?page_size=1&sort=name')).body
    expect(Buffer.from(token, 'base64url').toString()).not.toContain('secret')
    const inner = Buffer.from(token, 'base64url').toString().slice(3)
    expect(Buffer.from(inner, 'base64url').toString()).not.toContain('secret')
  })

  it('a token of the longest name is accepted', async () => {
    const name = '\u0001'.repeat(10) + '😀'.repeat(190)
    const ids = [await add(name), await add(name)]
    const { body } = await owner.get('/agents?page_size=1&sort=name')
    expect(await idsOf(`sort=name&page_token=${body.next_page_token}`)).toEqual([ids[1]])
  })
})

describe('GET /agents: filters', () => {
  it('drift follows heartbeats, saves and approvals', async () => {
    const [agent, unknown] = [await add('a'), await add('b')]
    const states = async () => [await idsOf('drift=true'), await idsOf('drift=false'), await idsOf('drift=unknown')]
    expect(await states()).toEqual([[], [], [unknown, agent]])
    await approve(agent)
    await runs(agent, 1)
    expect(await states()).toEqual([[], [agent], [unknown]])
    await savePolicy(server, tenant.id, policy.id, { default_effect: 'allow' })
    await runs(agent, 2)
    expect(await states()).toEqual([[agent], [], [unknown]])
    const { body } = await owner.get(`/reviews?agent_id=${agent}&status=pending`)
    await owner.post(`/reviews/${body.data[0].id}/resolve`, { outcome: 'approved', comment: 'ok' })
    expect(await states()).toEqual([[], [agent], [unknown]])
    const { rows } = await server.owner.query(
      'select id, drift_state, heard from agents where tenant_id = $1 order by id',
      [tenant.id],
    )
    expect(rows).toEqual([
      { id: agent, drift_state: 'false', heard: true },
      { id: unknown, drift_state: 'unknown', heard: false },
    ])
  })

  it('heartbeat: recent up to three intervals ago, late after them, never before the first', async () => {
    const [recent, late, never] = [await add('a'), await add('b'), await add('c')]
    await beat(recent)
    await beat(late)
    const move = `update agent_runtime set last_heartbeat_at = last_heartbeat_at - interval '91 seconds' where agent_id = $1`
    await server.owner.query(move, [late])
    expect(await idsOf('heartbeat=recent')).toEqual([recent])
    expect(await idsOf('heartbeat=late')).toEqual([late])
    expect(await idsOf('heartbeat=never')).toEqual([never])
  })

  it('environment, policy, owner and framework', async () => {
    const other = await addPolicy(server, tenant.id)
    const a = await add('a', { policyId: other.id })
    const b = await add('b', { environmentId: tenant.production })
    await owner.put(`/agents/${b}`, { owner_user_id: tenant.owner.id, framework: 'LangGraph' })
    expect(await idsOf(`environment_id=${tenant.production}`)).toEqual([b])
    expect(await idsOf(`policy_id=${other.id}`)).toEqual([a])
    expect(await idsOf(`owner_user_id=${tenant.owner.id}`)).toEqual([b])
    expect(await idsOf('owner_user_id=none')).toEqual([a])
    expect(await idsOf('framework=LangGraph')).toEqual([b])
    expect(await idsOf('framework=')).toEqual([a])
    expect(await idsOf('framework=langgraph')).toEqual([])
    expect(await idsOf(`environment_id=${tenant.production}&policy_id=${other.id}`)).toEqual([])
    for (const name of ['environment_id', 'policy_id', 'owner_user_id']) {
      expect(await idsOf(`${name}=${randomUUID()}`)).toEqual([])
    }
  })

  it('400 with the name of the filter for an unknown value', async () => {
    const bad = ['environment_id=x', 'policy_id=none', 'owner_user_id=me', 'drift=maybe', 'drift=', 'heartbeat=soon']
    for (const query of [...bad, `framework=${'x'.repeat(201)}`, 'drift=true&drift=false', 'framework=%00']) {
      const { status, body } = await owner.get(`/agents?${query}`)
      expect([query, status]).toEqual([query, 400])
      expect(body.error).toContain(query.split('=')[0])
    }
  })

  it.each(['newest', 'attention', 'name', 'last_heartbeat'])(
    'callers see only their part in the order %s, also if a filter names another part',
    async (sort) => {
      const here = await add('here')
      const there = await add('there', { environmentId: tenant.production })
      const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
      const nobody = await addPerson(server, tenant.id, { accessScope: 'scoped' })
      await grantAgent(server, tenant.id, scoped.id, here)
      const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
      for (const { api } of [scoped, bound]) {
        expect(await paged(`sort=${sort}`, api)).toEqual([here])
        expect(await paged(`sort=${sort}&environment_id=${tenant.production}`, api)).toEqual([])
        expect(await paged(`sort=${sort}&environment_id=${tenant.development}`, api)).toEqual([here])
        expect(await paged(`sort=${sort}&policy_id=${policy.id}&heartbeat=never`, api)).toEqual([here])
      }
      expect(await paged(`sort=${sort}`, nobody.api)).toEqual([])
      expect((await paged(`sort=${sort}`)).toSorted()).toEqual([here, there].toSorted())
    },
  )
})
