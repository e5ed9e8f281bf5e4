import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ApiClient } from '../../../testing/api-client.ts'
import {
  addAgent,
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  grantAgent,
  type TestPerson,
} from '../../../testing/arrange.ts'
import { addPolicy } from '../../../testing/arrange-agents.ts'
import { useTenant, useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
const tenant = useTenant(server)
let viewer: TestPerson
let member: TestPerson
let manager: TestPerson
let scoped: TestPerson
let agentId: string

beforeAll(async () => {
  viewer = await addPerson(server, tenant.id, { role: 'viewer' })
  member = await addPerson(server, tenant.id, { role: 'member' })
  manager = await addPerson(server, tenant.id, { role: 'manager' })
  scoped = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
  agentId = await addAgent(server, tenant.id, { environmentId: tenant.development })
})

const entriesOf = async (id: string) =>
  (await auditEntries(server, tenant.id))
    .filter((entry) => entry.agent_id === id)
    .map(({ event_type, details }) => [event_type, details])

const newAgent = (rest = {}) => addAgent(server, tenant.id, { environmentId: tenant.development, ...rest })

type Call = (api: ApiClient, id: string) => Promise<{ status: number; body: unknown }>
const calls: Record<string, Call> = {
  'GET /agents/{id}': (api, id) => api.get(`/agents/${id}`),
  'GET /agents/{id}/execution-coverage': (api, id) => api.get(`/agents/${id}/execution-coverage`),
  'PUT /agents/{id}': (api, id) => api.put(`/agents/${id}`, { name: 'renamed' }),
  'DELETE /agents/{id}': (api, id) => api.delete(`/agents/${id}`),
  'POST assign-policy': (api, id) => api.post(`/agents/${id}/assign-policy`, { policy_id: randomUUID() }),
  'POST lifecycle': (api, id) => api.post(`/agents/${id}/lifecycle`, { lifecycle_status: 'blocked', reason: 'r' }),
  'POST suspend': (api, id) => api.post(`/agents/${id}/suspend`),
  'POST resume': (api, id) => api.post(`/agents/${id}/resume`),
  'POST rotate-key': (api, id) => api.post(`/agents/${id}/rotate-key`),
}

describe('an agent the caller cannot see', () => {
  it.each(Object.entries(calls))(
    '%s is 404 with the same bytes for an unknown agent, an agent of another tenant and an invisible one; nothing is written',
    async (_, call) => {
      const other = await createTenant(server)
      const foreign = await addAgent(server, other.id, { environmentId: other.development })
      const unseen = await newAgent()
      const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
      const before = (await auditEntries(server, tenant.id)).length
      const answers = [
        await call(tenant.owner.api, randomUUID()),
        await call(tenant.owner.api, foreign),
        await call(scoped.api, unseen),
        await call(bound.api, unseen),
      ]
      for (const { status, body } of answers) {
        expect(status).toBe(404)
        expect(JSON.stringify(body)).toBe('{"error":"agent not found"}')
      }
      expect((await auditEntries(server, tenant.id)).length).toBe(before)
      expect((await call(tenant.owner.api, 'nonsense')).status).toBe(400)
    },
  )

  it('404 comes before the 400 of a malformed body', async () => {
    const unseen = await newAgent()
    for (const [method, path] of [
      ['put', ''],
      ['post', '/assign-policy'],
      ['post', '/lifecycle'],
    ] as const) {
      expect((await scoped.api[method](`/agents/${unseen}${path}`, { name: 7 })).status).toBe(404)
    }
  })
})

describe('a viewer changes nothing', () => {
  const writes = Object.entries(calls).filter(([name]) => !name.startsWith('GET'))
  it.each(writes)('%s is 403', async (_, call) => {
    expect((await call(viewer.api, agentId)).status).toBe(403)
  })

  it.each(['POST lifecycle', 'POST suspend', 'POST resume', 'POST rotate-key'])(
    '%s is also 403 for a member',
    async (name) => {
      expect((await calls[name]?.(member.api, agentId))?.status).toBe(403)
    },
  )

  it('execution-coverage is readable by every role', async () => {
    for (const { api } of [viewer, member, manager, tenant.owner]) {
      expect((await api.get(`/agents/${agentId}/execution-coverage`)).status).toBe(200)
    }
  })
})

describe('PUT /agents/{id}', () => {
  it('200: an omitted field is left unchanged', async () => {
    const id = await newAgent()
    const before = (await member.api.put(`/agents/${id}`, { description: 'd', tools: ['a'], metadata: { k: 'v' } }))
      .body
    const { status, body } = await member.api.put(`/agents/${id}`, { model: 'm', owner_user_id: member.id })
    expect(status).toBe(200)
    expect(body).toEqual({
      ...before,
      model: 'm',
      owner_user_id: member.id,
      updated_at: body.updated_at,
      execution_coverage: { ...before.execution_coverage, computed_at: expect.any(String) },
    })
    expect(await entriesOf(id)).toEqual([
      ['agent.updated', { fields: ['description', 'tools', 'metadata'] }],
      [
        'agent.updated',
        {
          fields: ['model', 'owner_user_id'],
          old_owner_user_id: null,
          old_owner_name: null,
          new_owner_user_id: member.id,
          new_owner_name: member.email,
        },
      ],
    ])
    await member.api.put(`/agents/${id}`, { owner_user_id: manager.id })
    expect((await entriesOf(id)).at(-1)).toMatchObject([
      'agent.updated',
      { old_owner_user_id: member.id, old_owner_name: member.email, new_owner_user_id: manager.id },
    ])
  })

  it('200 and nothing is written if no value differs or no field is sent', async () => {
    const id = await newAgent()
    const { body: before } = await member.api.put(`/agents/${id}`, { metadata: { b: '1', a: '2' }, tools: ['t'] })
    for (const same of [{}, { name: before.name }, { metadata: { a: '2', b: '1' }, tools: ['t'] }]) {
      expect((await member.api.put(`/agents/${id}`, same)).body.updated_at).toBe(before.updated_at)
    }
    expect(await entriesOf(id)).toHaveLength(1)
  })

  it('environment_id, policy_id, status and lifecycle_status cannot be changed by it', async () => {
    const id = await newAgent({ lifecycleStatus: 'proposed' })
    const sent = {
      environment_id: tenant.production,
      policy_id: randomUUID(),
      status: 'active',
      lifecycle_status: 'approved',
    }
    const { body } = await member.api.put(`/agents/${id}`, sent)
    expect(body).toMatchObject({ status: 'registered', lifecycle_status: 'proposed', policy: null })
    expect(body.environment.id).toBe(tenant.development)
  })
})

describe('DELETE /agents/{id}', () => {
  it('204: the agent is archived, from any status, and stays readable; a second call is 204 and writes nothing', async () => {
    for (const status of ['registered', 'active', 'suspended']) {
      const id = await newAgent({ status })
      expect((await member.api.delete(`/agents/${id}`)).status).toBe(204)
      expect((await member.api.get(`/agents/${id}`)).body.status).toBe('archived')
      expect((await member.api.delete(`/agents/${id}`)).status).toBe(204)
      expect(await entriesOf(id)).toEqual([['agent.archived', { previous_state: status }]])
    }
  })
})

describe('POST /agents/{id}/assign-policy', () => {
  it.each(['discovered', 'governed', 'suppressed'])(
    '200: a %s agent becomes governed under the policy',
    async (governanceState) => {
      const id = await newAgent({ governanceState })
      const policy = await addPolicy(server, tenant.id, { environmentId: tenant.development, overrideMode: 'monitor' })
      const { status, body } = await member.api.post(`/agents/${id}/assign-policy`, { policy_id: policy.id })
      expect(status).toBe(200)
      expect(body).toMatchObject({
        governance_state: 'governed',
        governance_mode: 'monitor',
        policy: { id: policy.id, version: 1 },
      })
      expect(await entriesOf(id)).toMatchObject([
        ['agent.policy_assigned', { old_policy_id: null, new_policy_id: policy.id, previous_state: governanceState }],
      ])
      expect((await member.api.post(`/agents/${id}/assign-policy`, { policy_id: policy.id })).status).toBe(200)
      expect(await entriesOf(id)).toHaveLength(1)
    },
  )

  it('200: a governed agent gets another policy, of its environment or of all environments', async () => {
    const first = await addPolicy(server, tenant.id, { environmentId: tenant.development })
    const second = await addPolicy(server, tenant.id)
    const id = await newAgent({ policyId: first.id })
    const { body } = await member.api.post(`/agents/${id}/assign-policy`, { policy_id: second.id })
    expect(body.policy.id).toBe(second.id)
    expect(await entriesOf(id)).toMatchObject([['agent.policy_assigned', { old_policy_id: first.id }]])
  })

  it('is not plan-gated', async () => {
    const { id, owner, development } = await createTenant(server, { plan: 'free' })
    const agent = await addAgent(server, id, { environmentId: development })
    const policy = await addPolicy(server, id)
    expect((await owner.api.post(`/agents/${agent}/assign-policy`, { policy_id: policy.id })).status).toBe(200)
  })

  it('404 for an unknown policy and a policy of another tenant; 400 for a malformed id and for a runtime agent if the policy is of another environment', async () => {
    const id = await newAgent()
    const foreign = await addPolicy(server, (await createTenant(server)).id)
    const elsewhere = await addPolicy(server, tenant.id, { environmentId: tenant.production })
    const assign = (policy_id: unknown) => member.api.post(`/agents/${id}/assign-policy`, { policy_id })
    for (const unknown of [foreign.id, randomUUID()]) {
      expect(await assign(unknown)).toMatchObject({ status: 404, body: { error: 'policy not found' } })
    }
    expect((await assign(elsewhere.id)).status).toBe(400)
    expect((await assign('nonsense')).status).toBe(400)
    expect(await entriesOf(id)).toEqual([])
  })

  it('an agent of a connected platform gets a policy of any environment', async () => {
    const id = await newAgent({ source: 'github', environmentId: null, governanceState: 'discovered' })
    const policy = await addPolicy(server, tenant.id, { environmentId: tenant.production, overrideMode: 'enforce' })
    const { status, body } = await member.api.post(`/agents/${id}/assign-policy`, { policy_id: policy.id })
    expect(status).toBe(200)
    expect(body).toMatchObject({ governance_state: 'governed', governance_mode: 'enforce', environment: null })
  })
})

describe('POST /agents/{id}/lifecycle', () => {
  const move = (api: ApiClient, id: string, lifecycle_status: unknown, reason: unknown = 'because') =>
    api.post(`/agents/${id}/lifecycle`, { lifecycle_status, reason })

  it('200: the status changes, audited with actor, previous status and reason', async () => {
    const id = await newAgent({ lifecycleStatus: 'proposed' })
    const { status, body } = await move(manager.api, id, 'blocked', 'leaks data')
    expect([status, body.lifecycle_status]).toEqual([200, 'blocked'])
    const entries = (await auditEntries(server, tenant.id)).filter((entry) => entry.agent_id === id)
    expect(entries).toMatchObject([
      {
        event_type: 'agent.lifecycle.changed',
        actor_user_id: manager.id,
        details: { previous_state: 'proposed', new_state: 'blocked', reason: 'leaks data' },
        environment_id: tenant.development,
      },
    ])
  })

  it('only an owner changes the status to approved, without an approval of record: 403 for a manager and for a bound key, even an owner’s', async () => {
    const id = await newAgent({ lifecycleStatus: 'proposed' })
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const tenantWide = await addKey(server, tenant.id, tenant.owner)
    expect((await move(manager.api, id, 'approved')).status).toBe(403)
    expect(await move(bound.api, id, 'approved')).toMatchObject({
      status: 403,
      body: { error: 'an API key bound to an environment cannot take an action reserved for owners' },
    })
    expect(await entriesOf(id)).toEqual([])
    const { status, body } = await move(tenantWide.api, id, 'approved')
    expect(status).toBe(200)
    expect(body).toMatchObject({ lifecycle_status: 'approved', approved_policy: null, drift: null })
  })

  it('changes the status outside the review queue: it opens no review and leaves pending reviews open', async () => {
    const asked = { name: 'waits', environment_id: tenant.development }
    const { id } = (await member.api.post('/agents', asked)).body.agent
    const reviewsOf = async () =>
      (await server.owner.query('select * from reviews where agent_id = $1', [id])).rows as object[]
    const before = await reviewsOf()
    expect(before).toMatchObject([{ kind: 'onboarding', status: 'pending' }])
    for (const state of ['blocked', 'approved']) expect((await move(tenant.owner.api, id, state)).status).toBe(200)
    expect(await reviewsOf()).toEqual(before)
  })

  it('an owner’s bound key changes an agent of its environment as a manager does', async () => {
    const id = await newAgent({ lifecycleStatus: 'approved' })
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    expect((await move(bound.api, id, 'retired')).status).toBe(200)
  })

  it('200 and nothing is written if the status is already set, also for a manager who asks for approved', async () => {
    const id = await newAgent({ lifecycleStatus: 'approved' })
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    for (const api of [manager.api, bound.api, tenant.owner.api]) {
      const { status, body } = await move(api, id, 'approved')
      expect([status, body.id, body.lifecycle_status]).toEqual([200, id, 'approved'])
    }
    expect(await entriesOf(id)).toEqual([])
  })

  it('400 without a reason, with an empty reason and with an unknown status; 403 comes first', async () => {
    const id = await newAgent({ lifecycleStatus: 'proposed' })
    expect((await manager.api.post(`/agents/${id}/lifecycle`, { lifecycle_status: 'blocked' })).status).toBe(400)
    expect((await move(manager.api, id, 'blocked', '')).status).toBe(400)
    const wrong = await move(manager.api, id, 'allowed')
    expect(wrong.status).toBe(400)
    expect(wrong.body.error).toContain('lifecycle_status')
    expect((await move(manager.api, id, 'approved', '')).status).toBe(403)
    expect((await move(member.api, id, 'blocked', '')).status).toBe(403)
    expect((await move(tenant.owner.api, id, 'approved', '')).status).toBe(400)
  })

  it('two concurrent changes are both in the trail, one after the other', async () => {
    const id = await newAgent({ lifecycleStatus: 'proposed' })
    await Promise.all([move(manager.api, id, 'blocked'), move(tenant.owner.api, id, 'retired')])
    const [first, second] = (await entriesOf(id)).map(([, details]) => details)
    expect(first.previous_state).toBe('proposed')
    expect(second.previous_state).toBe(first.new_state)
  })
})

describe('POST /agents/{id}/suppress', () => {
  it('204: the agent leaves the default discovery queue; a second call is 204 and writes nothing', async () => {
    const id = await newAgent({ governanceState: 'discovered' })
    for (let n = 0; n < 2; n++) expect((await member.api.post(`/agents/${id}/suppress`)).status).toBe(204)
    expect((await member.api.get(`/agents/${id}`)).body.governance_state).toBe('suppressed')
    const { body } = await member.api.get('/agents?governance_state=discovered')
    expect(body.data.map((agent: { id: string }) => agent.id)).not.toContain(id)
    expect(await entriesOf(id)).toEqual([['agent.suppressed', { previous_state: 'discovered' }]])
  })

  it('204 for a caller with full access, also for an unknown agent and for an agent of another tenant, which does not change', async () => {
    const other = await createTenant(server)
    const foreign = await addAgent(server, other.id, { governanceState: 'discovered' })
    for (const id of [foreign, randomUUID()]) {
      const { status, body } = await member.api.post(`/agents/${id}/suppress`)
      expect([status, body]).toEqual([204, undefined])
    }
    expect((await other.owner.api.get(`/agents/${foreign}`)).body.governance_state).toBe('discovered')
    expect(await auditEntries(server, other.id)).toEqual([])
  })

  it('404 for a scoped caller, for any agent that they cannot see', async () => {
    const other = await createTenant(server)
    const [granted, unseen] = [await newAgent(), await newAgent()]
    await grantAgent(server, tenant.id, scoped.id, granted)
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    for (const api of [scoped.api, bound.api]) {
      for (const id of [unseen, await addAgent(server, other.id), randomUUID()]) {
        expect(await api.post(`/agents/${id}/suppress`)).toMatchObject({
          status: 404,
          body: { error: 'agent not found' },
        })
      }
    }
    expect((await scoped.api.post(`/agents/${granted}/suppress`)).status).toBe(204)
    expect((await viewer.api.post(`/agents/${granted}/suppress`)).status).toBe(403)
  })
})

describe('POST /agents/{id}/suspend, /resume and /rotate-key', () => {
  it('200: suspend sets suspended and resume sets active, each with one audit entry', async () => {
    const id = await newAgent({ status: 'registered' })
    const call = async (verb: string) => (await manager.api.post(`/agents/${id}/${verb}`)).body.status
    expect([await call('suspend'), await call('suspend')]).toEqual(['suspended', 'suspended'])
    expect([await call('resume'), await call('resume')]).toEqual(['active', 'active'])
    expect((await entriesOf(id)).map(([event]) => event)).toEqual(['agent.suspended', 'agent.resumed'])
  })

  it('200: the audit entry has the reason; a reason over 2,000 characters changes nothing', async () => {
    const id = await newAgent({ status: 'active' })
    const suspend = async (reason: string) => (await manager.api.post(`/agents/${id}/suspend`, { reason })).status
    expect([await suspend('x'.repeat(2001)), await suspend('')]).toEqual([400, 400])
    expect(await entriesOf(id)).toEqual([])
    expect(await suspend('It sent mails')).toBe(200)
    expect((await manager.api.post(`/agents/${id}/resume`, { reason: 'Repaired' })).status).toBe(200)
    expect(await entriesOf(id)).toEqual([
      ['agent.suspended', { previous_state: 'active', reason: 'It sent mails' }],
      ['agent.resumed', { previous_state: 'suspended', reason: 'Repaired' }],
    ])
  })

  it('200: resuming an agent that was never suspended changes nothing', async () => {
    const id = await newAgent({ status: 'registered' })
    expect((await manager.api.post(`/agents/${id}/resume`)).body.status).toBe('registered')
    expect(await entriesOf(id)).toEqual([])
  })

  it('409 for an archived agent, which cannot be resumed, and for the key of an agent of a connected platform', async () => {
    const archived = await newAgent({ status: 'archived' })
    const saas = await newAgent({ source: 'm365', environmentId: null })
    for (const path of [`${archived}/suspend`, `${archived}/resume`, `${archived}/rotate-key`, `${saas}/rotate-key`]) {
      expect((await manager.api.post(`/agents/${path}`)).status, path).toBe(409)
    }
    expect((await manager.api.get(`/agents/${archived}`)).body.status).toBe('archived')
  })
})
