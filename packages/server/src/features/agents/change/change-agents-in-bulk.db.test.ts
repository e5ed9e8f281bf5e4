import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiClient } from '../../../testing/api-client.ts'
import {
  addAgent,
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  grantAgent,
  type TestTenant,
} from '../../../testing/arrange.ts'
import { addPolicy, type TestPolicy } from '../../../testing/arrange-agents.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant
let owner: ApiClient
let policy: TestPolicy
let agents: string[]

beforeEach(async () => {
  tenant = await createTenant(server)
  owner = tenant.owner.api
  policy = await addPolicy(server, tenant.id)
  agents = []
  for (let n = 0; n < 3; n++) agents.push(await addAgent(server, tenant.id, { environmentId: tenant.development }))
})

const assign = (agent_ids: string[], api = owner, policy_id = policy.id) =>
  api.post('/agents/bulk', { action: 'assign_policy', agent_ids, policy_id })
const suppress = (agent_ids: string[], api = owner) => api.post('/agents/bulk', { action: 'suppress', agent_ids })
const read = async (id: string) => (await owner.get(`/agents/${id}`)).body
const entries = async (type: string) =>
  (await auditEntries(server, tenant.id)).filter(({ event_type }) => event_type === type)

describe('POST /agents/bulk', () => {
  it('assigns a policy to each agent, with the audit entries of the single requests', async () => {
    const { status, body } = await assign(agents)
    expect([status, body]).toEqual([200, { data: agents.map((agent_id) => ({ agent_id })) }])
    for (const id of agents)
      expect(await read(id)).toMatchObject({ policy: { id: policy.id }, governance_state: 'governed' })
    const written = await entries('agent.policy_assigned')
    expect(written.map(({ agent_id }) => agent_id).toSorted()).toEqual(agents.toSorted())
    const single = await addAgent(server, tenant.id, { environmentId: tenant.development })
    await owner.post(`/agents/${single}/assign-policy`, { policy_id: policy.id })
    const [alone] = (await entries('agent.policy_assigned')).filter(({ agent_id }) => agent_id === single)
    expect(alone?.details).toEqual(written[0]?.details)
    await assign(agents)
    expect(await entries('agent.policy_assigned')).toHaveLength(4)
  })

  it('an agent that cannot be changed has the error of its single request, and the others are changed', async () => {
    const bound = await addPolicy(server, tenant.id, { environmentId: tenant.development })
    const elsewhere = await addAgent(server, tenant.id, { environmentId: tenant.production })
    const unknown = randomUUID()
    const { status, body } = await assign([agents[0]!, elsewhere, unknown, agents[1]!, agents[0]!], owner, bound.id)
    expect(status).toBe(200)
    const singles = await Promise.all(
      [elsewhere, unknown].map((id) => owner.post(`/agents/${id}/assign-policy`, { policy_id: bound.id })),
    )
    expect(body.data).toEqual([
      { agent_id: agents[0] },
      { agent_id: elsewhere, error: singles[0]?.body.error },
      { agent_id: unknown, error: singles[1]?.body.error },
      { agent_id: agents[1] },
    ])
    expect((await read(elsewhere)).policy).toBeNull()
    expect((await assign(agents, owner, randomUUID())).body.data[0]).toEqual({
      agent_id: agents[0],
      error: 'policy not found',
    })
  })

  it('suppresses agents', async () => {
    expect((await suppress(agents)).body).toEqual({ data: agents.map((agent_id) => ({ agent_id })) })
    for (const id of agents) expect((await read(id)).governance_state).toBe('suppressed')
    expect(await entries('agent.suppressed')).toHaveLength(3)
  })

  it('callers change only agents that they see; a viewer gets 403 and changes nothing', async () => {
    const scoped = await addPerson(server, tenant.id, { role: 'member', accessScope: 'scoped' })
    await grantAgent(server, tenant.id, scoped.id, agents[0]!)
    const missing = { error: 'agent not found' }
    expect((await assign(agents, scoped.api)).body.data).toMatchObject([{ agent_id: agents[0] }, missing, missing])
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    expect((await suppress(agents, bound.api)).body.data).toMatchObject([missing, missing, missing])
    const stranger = await createTenant(server)
    expect((await assign(agents, stranger.owner.api)).body.data).toMatchObject([missing, missing, missing])
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    expect((await assign(agents, viewer.api)).status).toBe(403)
    expect((await read(agents[1]!)).policy).toBeNull()
    expect(await entries('agent.suppressed')).toEqual([])
  })

  it('400 with the name of the field for a bad body', async () => {
    const good = { action: 'suppress', agent_ids: agents }
    const bad: [string, object][] = [
      ['action', { ...good, action: 'archive' }],
      ['action', { agent_ids: agents }],
      ['agent_ids', { ...good, agent_ids: [] }],
      ['agent_ids', { ...good, agent_ids: ['x'] }],
      ['agent_ids', { ...good, agent_ids: Array.from({ length: 201 }, () => randomUUID()) }],
      ['policy_id', { ...good, action: 'assign_policy' }],
    ]
    for (const [field, body] of bad) {
      const answer = await owner.post('/agents/bulk', body)
      expect([field, answer.status]).toEqual([field, 400])
      expect(answer.body.error).toContain(field)
    }
  })

  it('while agents are archived, each agent is changed by both requests or has an error', async () => {
    const answers = await Promise.all([
      assign(agents),
      suppress(agents.toReversed()),
      ...agents.map((id) => owner.delete(`/agents/${id}`)),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 204, 204, 204])
    for (const { agent_id, error } of answers.slice(0, 2).flatMap(({ body }) => body.data)) {
      expect([agent_id, error]).toEqual([agent_id, undefined])
    }
    for (const id of agents) expect(await read(id)).toMatchObject({ status: 'archived', policy: { id: policy.id } })
    expect(await entries('agent.archived')).toHaveLength(3)
  })
})
