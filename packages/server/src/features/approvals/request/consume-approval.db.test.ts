import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { addAgent, auditEntries } from '../../../testing/arrange.ts'
import { addEdge, addPolicy, giveAgentKey } from '../../../testing/arrange-agents.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import {
  addApprovedCall,
  addPendingCall,
  consume,
  createScene,
  passTime,
  type Scene,
  useOf,
} from '../testing/held-calls.ts'

const server = useTestServer()
let scene: Scene

beforeEach(async () => {
  scene = await createScene(server)
})

const deadlines = async (id: string) =>
  (await server.owner.query('select from approval_deadlines where approval_id = $1', [id])).rowCount

describe('POST /edge/approvals/{approval_id}/consume', () => {
  it('200 once, with an audit entry whose actor is the edge; then 409', async () => {
    const approved = await addApprovedCall(scene)
    expect(await deadlines(approved.id)).toBe(1)
    const { status, body } = await consume(scene.edge, approved)
    expect(status).toBe(200)
    expect(body).toEqual({ ...approved, status: 'consumed', consumed_at: expect.any(String) })
    const again = await consume(scene.edge, approved)
    expect([again.status, again.body.error]).toEqual([409, 'this approval was already consumed'])
    expect(await deadlines(approved.id)).toBe(0)
    const entries = (await auditEntries(server, scene.tenant.id)).filter((entry) => entry.resource_id === approved.id)
    expect(entries.map((entry) => entry.event_type)).toEqual([
      'approval.requested',
      'approval.resolved',
      'approval.consumed',
    ])
    expect(entries.at(-1)).toMatchObject({
      source: 'edge',
      actor_type: 'edge',
      details: { args_digest: approved.args_digest, resolved_by: scene.tenant.owner.id },
    })
  })

  it('409 for a pending, rejected or expired approval, even if it was approved before it expired', async () => {
    const pending = await addPendingCall(scene)
    const rejected = await addPendingCall(scene)
    await scene.tenant.owner.api.post(`/approvals/${rejected.id}/resolve`, { outcome: 'rejected' })
    const expired = await addApprovedCall(scene)
    await passTime(server, expired.id)
    for (const [approval, text] of [
      [pending, 'this approval is still pending'],
      [rejected, 'this approval was rejected'],
      [expired, 'this approval has expired'],
    ] as const) {
      const { status, body } = await consume(scene.edge, approval)
      expect([status, body.error]).toEqual([409, text])
    }
  })

  it.each([
    [
      'other arguments',
      { args_digest: 'c'.repeat(64) },
      'the arguments differ from the approved arguments; request a new approval',
    ],
    [
      'another policy version',
      { policy_version: 4 },
      'the policy version in the request is not the version of this approval; request a new approval',
    ],
    [
      'another policy hash',
      { policy_hash: 'c'.repeat(64) },
      'the policy version in the request is not the version of this approval; request a new approval',
    ],
  ])('409 for %s, and it is there to be used as it was approved', async (_, other, text) => {
    const approved = await addApprovedCall(scene)
    const { status, body } = await consume(scene.edge, approved, other)
    expect([status, body.error]).toEqual([409, text])
    expect((await consume(scene.edge, approved)).status).toBe(200)
  })

  const notInForce =
    'the current policy version of the agent is not the version of this approval; request a new approval'

  it('409 after the policy was saved, even if the edge does not know yet; a restored version has a new number', async () => {
    const approved = await addApprovedCall(scene)
    const { tenant, policy } = scene
    expect((await tenant.owner.api.put(`/policies/${policy.id}`, { default_effect: 'allow' })).status).toBe(200)
    const saved = await consume(scene.edge, approved)
    expect([saved.status, saved.body.error]).toEqual([409, notInForce])
    await tenant.owner.api.post(`/policies/${policy.id}/versions/1/restore`)
    expect((await consume(scene.edge, approved)).body.error).toBe(notInForce)
    expect((await scene.edge.get(`/edge/approvals/${approved.id}`)).body.status).toBe('approved')
  })

  it('409 while the agent has another policy; 200 when it has the version of the approval again', async () => {
    const { tenant, agentId, policy } = scene
    const approved = await addApprovedCall(scene)
    const other = await addPolicy(server, tenant.id)
    const assign = (id: string) => tenant.owner.api.post(`/agents/${agentId}/assign-policy`, { policy_id: id })
    expect((await assign(other.id)).status).toBe(200)
    const { status, body } = await consume(scene.edge, approved)
    expect([status, body.error]).toEqual([409, notInForce])
    await assign(policy.id)
    expect((await consume(scene.edge, approved)).status).toBe(200)
  })

  it('409 for an agent without a policy, and for an approval of a version or content that was never in force', async () => {
    const bare = await createScene(server, { policyId: null })
    const { policy } = scene
    for (const [asking, rest] of [
      [bare, {}],
      [scene, { policy_version: 2 }],
      [scene, { policy_hash: 'd'.repeat(64) }],
    ] as const) {
      const { id } = await addPendingCall({ ...asking, policy }, rest)
      const { body: approved } = await asking.tenant.owner.api.post(`/approvals/${id}/resolve`, { outcome: 'approved' })
      const answer = await consume(asking.edge, approved)
      expect([answer.status, answer.body.error]).toEqual([409, notInForce])
    }
  })

  it('409 for an agent that is not approved under the gate enforce; 200 after it is approved', async () => {
    const proposed = await createScene(server, { lifecycleStatus: 'proposed' })
    const approved = await addApprovedCall(proposed)
    await proposed.tenant.owner.api.put('/governance-gate', { gate: 'enforce' })
    const { status, body } = await consume(proposed.edge, approved)
    expect([status, body.error]).toEqual([
      409,
      'the agent is not allowed to act now; check its status and lifecycle status',
    ])
    const lifecycle = { lifecycle_status: 'approved', reason: 'looked at' }
    await proposed.tenant.owner.api.post(`/agents/${proposed.agentId}/lifecycle`, lifecycle)
    expect((await consume(proposed.edge, approved)).status).toBe(200)
  })

  it('404 for a credential that does not serve the agent, also for reading, before the 400 of a malformed body', async () => {
    const approved = await addApprovedCall(scene)
    const { tenant } = scene
    const neighbour = await addAgent(server, tenant.id, { environmentId: tenant.development })
    const strangers = [
      await addEdge(server, tenant.id, tenant.production),
      await giveAgentKey(server, tenant.id, neighbour),
      (await createScene(server)).edge,
    ]
    const unknown = await scene.edge.get(`/edge/approvals/${randomUUID()}`)
    expect([unknown.status, unknown.body]).toEqual([404, { error: 'approval not found' }])
    for (const stranger of strangers) {
      for (const answer of [
        await stranger.get(`/edge/approvals/${approved.id}`),
        await consume(stranger, approved),
        await stranger.post(`/edge/approvals/${approved.id}/consume`, {}),
      ]) {
        expect([answer.status, answer.body]).toEqual([404, unknown.body])
      }
    }
    const own = await giveAgentKey(server, tenant.id, scene.agentId)
    expect((await own.post(`/edge/approvals/${approved.id}/consume`, {})).status).toBe(400)
    expect((await own.post(`/edge/approvals/${approved.id}/consume`, useOf(approved))).status).toBe(200)
  })
})
