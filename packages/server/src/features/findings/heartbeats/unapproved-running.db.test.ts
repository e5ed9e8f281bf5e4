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
import { addEdge, addPolicy, type TestPolicy } from '../../../testing/arrange-agents.ts'
import { checkRecordEnvironments } from '../../../testing/check-record-environments.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'

const server = useOwnServer()
checkRecordEnvironments(server, ['findings'])
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
  const asked = { name: 'Claims', environment_id: tenant.development, policy_id: policy.id }
  agentId = (await tenant.owner.api.post('/agents', asked)).body.agent.id
})

const running = (id = agentId) => ({ agent_id: id, policy_id: policy.id, policy_version: 1 })
const beat = (agents: object[], instance_id = 'one') =>
  edge.post('/edge/heartbeat', { instance_id, seq: ++seq, edge_version: '1', agents })
const findings = async (query = '') =>
  (await manager.api.get(`/findings?agent_id=${agentId}&type=unapproved_running&${query}`)).body.data
const moveTo = (lifecycle_status: string) =>
  tenant.owner.api.post(`/agents/${agentId}/lifecycle`, { lifecycle_status, reason: 'looked at it' })
const entries = async () =>
  (await auditEntries(server, tenant.id)).filter(({ event_type }) => event_type.startsWith('finding.'))

describe('unapproved_running', () => {
  it('opens when a heartbeat reports a policy running on an agent that is not approved', async () => {
    await beat([{ agent_id: agentId }])
    expect(await findings()).toEqual([])
    await beat([running()])
    expect(await findings()).toEqual([
      {
        id: expect.any(String),
        agent_id: agentId,
        type: 'unapproved_running',
        severity: 'medium',
        status: 'open',
        evidence: {
          lifecycle_status: 'proposed',
          running: { policy_id: policy.id, version: 1, content_hash: policy.hash },
        },
        remediation: expect.stringContaining('approve the agent'),
        opened_at: expect.stringMatching(/Z$/),
        closed_at: null,
      },
    ])
    expect(await entries()).toMatchObject([{ event_type: 'finding.opened', source: 'edge', agent_id: agentId }])
    expect((await manager.api.get(`/agents/${agentId}`)).body.drift).toBeNull()
  })

  it('closes at once when a review or an owner approves the agent', async () => {
    await beat([running()])
    const [review] = (await manager.api.get('/reviews?kind=onboarding')).body.data
    const resolution = { outcome: 'approved', comment: 'looked at it' }
    expect((await manager.api.post(`/reviews/${review.id}/resolve`, resolution)).status).toBe(200)
    expect(await findings()).toMatchObject([{ status: 'closed', closed_at: expect.stringMatching(/Z$/) }])
    await beat([running()])
    expect(await findings('status=open')).toEqual([])
    await moveTo('blocked')
    await beat([running()])
    expect(await findings('status=open')).toMatchObject([{ evidence: { lifecycle_status: 'blocked' } }])
    expect((await moveTo('approved')).status).toBe(200)
    expect(await findings('status=open')).toEqual([])
    expect((await entries()).map(({ event_type, source }) => [event_type, source])).toEqual([
      ['finding.opened', 'edge'],
      ['finding.closed', 'control_plane'],
      ['finding.opened', 'edge'],
      ['finding.closed', 'control_plane'],
    ])
  })

  it('stays open after an attestation, which does not approve the agent', async () => {
    await beat([running()])
    const { body } = await tenant.owner.api.post(`/agents/${agentId}/reviews`, { kind: 'attestation' })
    const resolution = { outcome: 'attested', comment: 'as it runs' }
    expect((await manager.api.post(`/reviews/${body.id}/resolve`, resolution)).status).toBe(200)
    expect((await manager.api.get(`/agents/${agentId}`)).body).toMatchObject({
      lifecycle_status: 'proposed',
      drift: false,
    })
    await beat([running()])
    expect(await findings('status=open')).toHaveLength(1)
  })

  it('does not open for an approved agent without an approval of record', async () => {
    await moveTo('approved')
    await beat([running()])
    expect((await manager.api.get('/findings?type=unapproved_running')).body.total).toBe(0)
  })

  it('closes when the edge reports that the agent no longer runs a policy', async () => {
    await beat([running()])
    await beat([{ agent_id: agentId }])
    expect(await findings()).toMatchObject([{ status: 'closed' }])
    await beat([running()])
    expect(await findings('status=open')).toHaveLength(1)
  })

  it.each([
    ['archived', () => tenant.owner.api.delete(`/agents/${agentId}`)],
    ['suppressed', () => tenant.owner.api.post(`/agents/${agentId}/suppress`)],
  ])('closes with the agent %s, and opens no more', async (_, leave) => {
    await beat([running()])
    expect((await leave()).status).toBe(204)
    expect(await findings()).toMatchObject([{ status: 'closed' }])
    await beat([running()])
    expect(await findings('status=open')).toEqual([])
  })

  it('at most one is open, however many reports and edges; a repeated heartbeat writes nothing', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => beat([running()], `instance-${n}`)))
    await beat([running()])
    expect(await findings()).toHaveLength(1)
    expect(await entries()).toHaveLength(1)
  })

  it('an older heartbeat of an instance opens none', async () => {
    const old = seq
    seq += 5
    await beat([{ agent_id: agentId }])
    seq = old
    await beat([running()])
    seq += 10
    expect(await findings()).toEqual([])
  })

  it('after concurrent heartbeats and lifecycle changes, one more heartbeat makes finding and agent agree', async () => {
    for (let round = 0; round < 8; round++) {
      await Promise.all([
        ...Array.from({ length: 4 }, (_, n) => beat([n % 2 ? running() : { agent_id: agentId }], `racer-${n}`)),
        moveTo(round % 2 ? 'approved' : 'blocked'),
      ])
      await beat([running()])
      expect(await findings('status=open')).toHaveLength(round % 2 ? 0 : 1)
    }
  })

  it('one heartbeat about many agents updates each, with high severity in production', async () => {
    const inProduction = await addEdge(server, tenant.id, tenant.production)
    const proposed = { environmentId: tenant.production, policyId: policy.id, lifecycleStatus: 'proposed' }
    const ids = [await addAgent(server, tenant.id, proposed), await addAgent(server, tenant.id, proposed)]
    const approved = await addAgent(server, tenant.id, { ...proposed, lifecycleStatus: 'approved' })
    const agents = [...ids, approved].map((id) => running(id))
    await inProduction.post('/edge/heartbeat', { instance_id: 'p', seq: 1, edge_version: '1', agents })
    const { data } = (await manager.api.get('/findings?type=unapproved_running')).body
    expect(data.map(({ agent_id }: { agent_id: string }) => agent_id).toSorted()).toEqual(ids.toSorted())
    expect(data).toMatchObject(ids.map(() => ({ severity: 'high' })))
  })
})
