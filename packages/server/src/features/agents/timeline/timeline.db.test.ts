import { beforeAll, describe, expect, it } from 'vitest'
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
import { addEdge } from '../../../testing/arrange-agents.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'

const server = useOwnServer()
let tenant: TestTenant
let owner: ApiClient
let agentId: string
let otherId: string
let policyId: string

beforeAll(async () => {
  tenant = await createTenant(server)
  owner = tenant.owner.api
  policyId = (await owner.post('/policies', { name: 'Files' })).body.id
  const create = async (name: string) =>
    (await owner.post('/agents', { name, environment_id: tenant.development, policy_id: policyId })).body.agent
      .id as string
  agentId = await create('Scribe')
  otherId = await create('Other')
  const { body } = await owner.post(`/agents/${agentId}/reviews`, { kind: 'attestation' })
  const second = await addPerson(server, tenant.id, { role: 'owner' })
  await second.api.post(`/reviews/${body.id}/resolve`, { outcome: 'attested', comment: 'ok' })
  await owner.put(`/policies/${policyId}`, { default_effect: 'allow' })
  const edge = await addEdge(server, tenant.id, tenant.development)
  const agents = [{ agent_id: agentId, policy_id: policyId, policy_version: 2 }]
  expect((await edge.post('/edge/heartbeat', { instance_id: 'i', seq: 1, edge_version: '1', agents })).status).toBe(200)
  await owner.post(`/agents/${agentId}/suspend`)
  await owner.post(`/agents/${agentId}/rotate-key`)
})

const read = (query = '', api = owner, id = agentId) => api.get(`/agents/${id}/timeline?${query}`)
const typesOf = async (query = '', api = owner) =>
  (await read(query, api)).body.data.map(({ type, details }: { type: string; details: { event_type: string } }) => [
    type,
    details.event_type,
  ])

const whole = [
  ['key', 'agent.key_rotated'],
  ['suspension', 'agent.suspended'],
  ['review', 'review.opened'],
  ['drift', 'finding.opened'],
  ['finding', 'finding.opened'],
  ['version', 'policy.updated'],
  ['approval', 'review.resolved'],
  ['review', 'review.opened'],
  ['review', 'review.opened'],
  ['lifecycle', 'agent.created'],
  ['version', 'policy.created'],
]

describe('GET /agents/{id}/timeline', () => {
  it('has what happened to the agent and the versions of its policy, newest first', async () => {
    const { status, body } = await read()
    expect(status).toBe(200)
    expect((await typesOf()).toSorted()).toEqual(whole.toSorted())
    const times = body.data.map(({ at }: { at: string }) => at)
    expect(times).toEqual(times.toSorted().reverse())
    expect(body.data[0]).toEqual({
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      type: 'key',
      actor: { type: 'person', id: tenant.owner.id, name: tenant.owner.email },
      resource: { type: 'agent', id: agentId, name: 'Scribe' },
      details: { event_type: 'agent.key_rotated' },
    })
    const drift = body.data.find(({ type }: { type: string }) => type === 'drift')
    expect(drift.actor).toEqual({ type: 'edge', id: null, name: 'edge' })
  })

  it('type takes several types, repeated or with commas; 400 for an unknown one', async () => {
    expect(await typesOf('type=suspension,key')).toEqual([whole[0], whole[1]])
    expect(await typesOf('type=key&type=suspension')).toEqual([whole[0], whole[1]])
    expect(await typesOf('type=version')).toEqual([whole[5], whole[10]])
    expect((await read('type=calls')).status).toBe(400)
  })

  it('pages have each event once; 400 for a cursor of another agent and for a damaged one', async () => {
    const seen: string[] = []
    let cursor = ''
    do {
      const { body } = await read(`limit=2${cursor && `&cursor=${cursor}`}`)
      seen.push(...body.data.map(({ details }: { details: { event_type: string } }) => details.event_type))
      cursor = body.next_cursor ?? ''
      if (cursor) expect((await read(`cursor=${cursor}`, owner, otherId)).status).toBe(400)
    } while (cursor)
    expect(seen).toHaveLength(whole.length)
    expect((await read('cursor=abc')).status).toBe(400)
  })

  it('from is included and to is not; 400 if to is before from', async () => {
    const { body } = await read('type=suspension')
    const { at } = body.data[0]
    const later = new Date(Date.parse(at) + 1).toISOString()
    expect(await typesOf(`type=suspension&from=${at}&to=${later}`)).toEqual([whole[1]])
    expect(await typesOf(`type=suspension&to=${at}`)).toEqual([])
    const { status, body: refused } = await read(`from=${later}&to=${at}`)
    expect([status, refused.error]).toEqual([400, 'to must not be before from'])
    expect((await read('from=yesterday')).status).toBe(400)
  })

  it('404 for an agent that the caller does not see; a granted agent and the own environment are seen', async () => {
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    expect((await read('', scoped.api)).status).toBe(404)
    await grantAgent(server, tenant.id, scoped.id, agentId)
    expect((await typesOf('', scoped.api)).toSorted()).toEqual(whole.toSorted())
    const here = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    expect((await typesOf('type=suspension,drift', here.api)).length).toBe(2)
    const elsewhere = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    expect((await read('', elsewhere.api)).status).toBe(404)
    expect((await read('', (await createTenant(server)).owner.api)).status).toBe(404)
  })

  it('has the freezes of the environment and of the organization that the caller sees, without counts of what the caller may not see', async () => {
    const other = await createTenant(server)
    const { api } = other.owner
    const environment_id = other.development
    const id = await addAgent(server, other.id, { environmentId: environment_id })
    await addAgent(server, other.id, { environmentId: environment_id })
    const granted = await addPerson(server, other.id, { accessScope: 'scoped' })
    const inside = await addPerson(server, other.id, { accessScope: 'scoped' })
    await giveEnvironment(server, other.id, inside.id, environment_id)
    for (const { id: userId } of [granted, inside]) await grantAgent(server, other.id, userId, id)
    const bound = await addKey(server, other.id, other.owner, { environmentId: environment_id })
    const whole = await api.post('/freezes', { scope: 'organization', reason: 'leak' })
    expect(whole.status).toBe(201)
    expect(
      (await api.post('/freezes', { scope: 'environment', environment_id, reason: 'x', drill: true })).status,
    ).toBe(201)
    expect((await api.post(`/freezes/${whole.body.id}/lift`, { reason: 'over' })).status).toBe(200)
    const events = async (reader: ApiClient) =>
      (await read('type=freeze', reader, id)).body.data.map(
        ({ details: { event_type, scope, agents, edges } }: { details: Record<string, unknown> }) =>
          [event_type, scope, agents, edges === undefined ? undefined : 'edges'].join(' '),
      )
    const all = [
      'freeze.lifted organization  edges',
      'freeze.drilled environment 2 edges',
      'freeze.started organization 2 edges',
    ]
    const [lifted, , started] = ['freeze.lifted organization  ', '', 'freeze.started organization  ']
    expect(await events(api)).toEqual(all)
    expect(await events(bound.api)).toEqual([lifted, all[1], started])
    expect(await events(inside.api)).toEqual([lifted, 'freeze.drilled environment  ', started])
    expect(await events(granted.api)).toEqual([lifted, started])
  })

  it('a request tests a limited number of entries, and the pages have the events behind them', async () => {
    await server.owner.query(
      `insert into audit_entries (tenant_id, id, source, event_type, category, actor_type, actor_name, actor_email, resource_type,
         resource_id, resource_name, agent_id, details, request_id, ip, user_agent, created_at)
       select $1, ('ff000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'edge', 'approval.requested', 'agent', 'edge', '', '',
         'approval', null, '', $2, '{}', '', '', '', now() from generate_series(1, 5500) n`,
      [tenant.id, otherId],
    )
    const first = await read('', owner, otherId)
    expect(first.body.data).toEqual([])
    const second = await read(`cursor=${first.body.next_cursor}`, owner, otherId)
    expect(second.body.data.map(({ type }: { type: string }) => type).toSorted()).toEqual([
      'lifecycle',
      'review',
      'version',
      'version',
    ])
    expect(second.body).not.toHaveProperty('next_cursor')
  })
})
