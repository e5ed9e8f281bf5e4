import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiClient } from '../../../testing/api-client.ts'
import {
  addAgent,
  addPerson,
  auditEntries,
  createTenant,
  type TestPerson,
  type TestTenant,
} from '../../../testing/arrange.ts'
import { addEdge, addPolicy, savePolicy, type TestPolicy } from '../../../testing/arrange-agents.ts'
import { checkRecordEnvironments } from '../../../testing/check-record-environments.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'

const server = useOwnServer()
checkRecordEnvironments(server, ['findings', 'reviews'])
let tenant: TestTenant
let manager: TestPerson
let edge: ApiClient
let policy: TestPolicy
let agentId: string
let seq = 0

beforeEach(async () => {
  tenant = await createTenant(server)
  manager = await addPerson(server, tenant.id, { role: 'manager' })
  edge = await addEdge(server, tenant.id, tenant.development)
  policy = await addPolicy(server, tenant.id)
  agentId = await approvedAgent()
})

async function approvedAgent(): Promise<string> {
  const id = await addAgent(server, tenant.id, { environmentId: tenant.development, policyId: policy.id })
  const { body } = await tenant.owner.api.post(`/agents/${id}/reviews`, { kind: 'attestation' })
  expect((await resolve(body.id, 'attested')).status).toBe(200)
  return id
}

const resolve = (id: string, outcome: string) =>
  manager.api.post(`/reviews/${id}/resolve`, { outcome, comment: 'looked at it' })

const said = (version: number, policy_hash?: string, id = agentId) => ({
  agent_id: id,
  policy_id: policy.id,
  policy_version: version,
  ...(policy_hash && { policy_hash }),
})
const beat = (agents: object[], instance_id = 'one') =>
  edge.post('/edge/heartbeat', { instance_id, seq: ++seq, edge_version: '1', agents })
const save = (effect: string) => savePolicy(server, tenant.id, policy.id, { default_effect: effect })
const findings = async (query = '') => (await manager.api.get(`/findings?agent_id=${agentId}&${query}`)).body.data
const changes = async () => (await manager.api.get('/reviews?kind=change')).body.data
const drift = async () => (await manager.api.get(`/agents/${agentId}`)).body.drift
const entries = async (...types: string[]) =>
  (await auditEntries(server, tenant.id)).filter(({ event_type }) => types.includes(event_type))

describe('policy drift between approved and running version', () => {
  it('a heartbeat that reports another version than the approved one opens policy_drift_unapproved and a change review', async () => {
    const hash = await save('allow')
    await beat([said(1)])
    expect(await findings()).toEqual([])
    await beat([said(2)])
    expect(await drift()).toBe(true)
    expect(await findings()).toEqual([
      {
        id: expect.any(String),
        agent_id: agentId,
        type: 'policy_drift_unapproved',
        severity: 'medium',
        status: 'open',
        evidence: {
          running: { policy_id: policy.id, version: 2, content_hash: hash },
          approved: { policy_id: policy.id, version: 1, content_hash: policy.hash },
        },
        remediation: expect.stringContaining('approve the change review'),
        opened_at: expect.stringMatching(/Z$/),
        closed_at: null,
      },
    ])
    expect(await changes()).toMatchObject([
      { agent_id: agentId, kind: 'change', status: 'pending', assigned_role: 'manager', requested_by: null },
    ])
    expect(await entries('finding.opened', 'review.opened')).toMatchObject([
      { event_type: 'review.opened', source: 'control_plane' },
      { event_type: 'finding.opened', source: 'edge', actor_type: 'edge', agent_id: agentId },
      { event_type: 'review.opened', source: 'edge', agent_id: agentId },
    ])
    expect((await manager.api.get(`/agents/${agentId}/execution-coverage`)).body.findings).toHaveLength(1)
  })

  it('an agent that runs another policy drifts, even if the content is the same', async () => {
    const other = await addPolicy(server, tenant.id)
    await beat([{ agent_id: agentId, policy_id: other.id, policy_version: 1 }])
    expect(await findings('status=open')).toHaveLength(1)
  })

  it('at most one finding is open, however often and by however many edges the drift is reported', async () => {
    await save('allow')
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => beat([said(2)], `instance-${n}`)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    await beat([said(2)])
    expect(await findings()).toHaveLength(1)
    expect(await changes()).toHaveLength(1)
    expect(await entries('finding.opened')).toHaveLength(1)
  })

  it('approving the change review sets the running version as approved, not a newer version in force', async () => {
    const running = await save('allow')
    await beat([said(2)])
    await save('require_approval')
    const [review] = await changes()
    expect((await resolve(review.id, 'approved')).status).toBe(200)
    expect((await manager.api.get(`/agents/${agentId}`)).body).toMatchObject({
      drift: false,
      approved_policy: { id: policy.id, version: 2 },
    })
    const { rows } = await server.owner.query('select approved_hash from agents where id = $1', [agentId])
    expect(rows[0].approved_hash).toBe(running)
    expect(await findings()).toMatchObject([{ status: 'closed' }])
    await beat([said(2)])
    expect(await findings('status=open')).toEqual([])
  })

  it('after the approved version is restored, the next heartbeat closes the finding and supersedes its review', async () => {
    await save('allow')
    await beat([said(2)])
    const restored = await manager.api.post(`/policies/${policy.id}/versions/1/restore`)
    expect(restored.status).toBe(200)
    expect(await findings()).toMatchObject([{ status: 'open' }])
    await beat([said(3)])
    expect(await drift()).toBe(false)
    expect(await findings()).toMatchObject([{ status: 'closed', closed_at: expect.stringMatching(/Z$/) }])
    expect(await changes()).toMatchObject([{ status: 'superseded', resolved_by: null }])
    expect(await entries('finding.closed')).toMatchObject([{ source: 'edge', agent_id: agentId }])
    await save('allow')
    await beat([said(4)])
    expect((await findings()).map(({ status }: { status: string }) => status)).toEqual(['open', 'closed'])
  })

  it('a missing approval or report is no drift, and closes no open finding', async () => {
    const unapproved = await addAgent(server, tenant.id, { environmentId: tenant.development, policyId: policy.id })
    await save('allow')
    await beat([said(2, undefined, unapproved), { agent_id: agentId }])
    expect((await manager.api.get('/findings')).body.total).toBe(0)
    await beat([said(2)])
    await beat([{ agent_id: agentId }])
    await beat([said(99)])
    expect(await drift()).toBeNull()
    expect(await findings()).toMatchObject([{ status: 'open' }])
    const [review] = await changes()
    expect((await resolve(review.id, 'approved')).status).toBe(409)
  })

  it('a change review is about the running version it was opened for; another running version supersedes it', async () => {
    await save('allow')
    await beat([said(2)])
    const [first] = await changes()
    const hash = await save('require_approval')
    await beat([said(3)])
    expect((await resolve(first.id, 'approved')).status).toBe(409)
    expect(await findings()).toMatchObject([{ status: 'open', evidence: { running: { content_hash: hash } } }])
    expect((await changes()).map(({ status }: { status: string }) => status)).toEqual(['pending', 'superseded'])
  })

  it('rejecting the change review blocks the agent, and the drift finding stays open', async () => {
    await save('allow')
    await beat([said(2)])
    const [review] = await changes()
    await resolve(review.id, 'rejected')
    await beat([said(2)])
    expect((await manager.api.get(`/agents/${agentId}`)).body.lifecycle_status).toBe('blocked')
    expect(await findings('type=policy_drift_unapproved')).toMatchObject([{ status: 'open' }])
    expect(await changes()).toHaveLength(1)
  })

  it('one heartbeat about many agents updates the findings of each; an older heartbeat updates none', async () => {
    const ids = [agentId, await approvedAgent(), await approvedAgent()]
    await save('allow')
    const old = seq
    seq += 5
    await beat(ids.map((id) => said(1, undefined, id)))
    seq = old
    await beat(ids.map((id) => said(2, undefined, id)))
    expect((await manager.api.get('/findings')).body.total).toBe(0)
    seq += 10
    await beat(ids.map((id) => said(2, undefined, id)))
    expect((await manager.api.get('/findings?type=policy_drift_unapproved&status=open')).body.total).toBe(3)
  })

  it('after concurrent heartbeats of two versions and resolutions, one more heartbeat makes findings and drift agree', async () => {
    await save('allow')
    for (let round = 0; round < 8; round++) {
      const pending = (await changes()).filter(({ status }: { status: string }) => status === 'pending')
      await Promise.all([
        ...Array.from({ length: 6 }, (_, n) => beat([said(n % 2 ? 1 : 2)], `racer-${n}`)),
        ...pending.map(({ id }: { id: string }) => resolve(id, 'approved')),
      ])
      await beat([said(round % 2 ? 1 : 2)])
      const open = await findings('status=open')
      expect(open.length).toBe((await drift()) ? 1 : 0)
    }
  })
})

describe('GET /findings', () => {
  it('shows the findings on agents that the caller sees, and no others', async () => {
    await save('allow')
    await beat([said(2)])
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    const stranger = (await createTenant(server)).owner
    for (const by of [scoped, stranger]) {
      expect((await by.api.get(`/findings?agent_id=${agentId}`)).body).toMatchObject({ data: [], total: 0 })
    }
    expect((await manager.api.get('/findings?status=closed')).body.total).toBe(0)
    expect((await manager.api.get('/findings?type=coverage_gap')).body.total).toBe(0)
    for (const query of ['status=pending', 'type=nonsense', 'agent_id=1']) {
      expect((await manager.api.get(`/findings?${query}`)).status).toBe(400)
    }
  })
})
