import { beforeAll, describe, expect, it, vi } from 'vitest'
import { addPerson, auditEntries } from '../../../testing/arrange.ts'
import { addEdge, addPolicy, giveAgentKey } from '../../../testing/arrange-agents.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { expireOverdueApprovals } from '../expiry/expire-approvals.ts'
import { addApprovedCall, addPendingCall, consume, createScene, newRequest, type Scene } from '../testing/held-calls.ts'

const rounds = 20
const server = useOwnServer()
let scene: Scene

beforeAll(async () => {
  scene = await createScene(server)
})

/**
 * Returns the audit events of an approval in order, without the event of its request. An expiry is returned with the status that
 * the approval had before.
 */
async function historyOf(id: string): Promise<string[]> {
  return (await auditEntries(server, scene.tenant.id))
    .filter((entry) => entry.resource_id === id)
    .map(({ event_type, details }) => (details.previous_state ? `expired when ${details.previous_state}` : event_type))
    .slice(1)
}

const statusOf = async (id: string) => (await scene.edge.get(`/edge/approvals/${id}`)).body.status

/** Runs the job as if it were tomorrow, so that every open approval is overdue. */
const sweepTomorrow = () =>
  expireOverdueApprovals(server.services, new Date(Date.now() + 24 * 60 * 60_000).toISOString())

describe('concurrent requests', () => {
  it('two people resolve: one outcome is stored, the other person gets 409', async () => {
    const manager = await addPerson(server, scene.tenant.id, { role: 'manager' })
    for (let round = 0; round < rounds; round++) {
      const { id } = await addPendingCall(scene)
      const [yes, no] = await Promise.all([
        manager.api.post(`/approvals/${id}/resolve`, { outcome: 'approved' }),
        scene.tenant.owner.api.post(`/approvals/${id}/resolve`, { outcome: 'rejected' }),
      ])
      expect([yes.status, no.status].sort()).toEqual([200, 409])
      expect(await statusOf(id)).toBe(yes.status === 200 ? 'approved' : 'rejected')
      expect(await historyOf(id)).toEqual(['approval.resolved'])
    }
  })

  it('two edges and the agent itself consume: exactly one gets 200', async () => {
    const others = [
      await addEdge(server, scene.tenant.id, scene.tenant.development),
      await giveAgentKey(server, scene.tenant.id, scene.agentId),
    ]
    for (let round = 0; round < rounds; round++) {
      const approved = await addApprovedCall(scene)
      const answers = await Promise.all([scene.edge, ...others, scene.edge].map((edge) => consume(edge, approved)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
      expect(await historyOf(approved.id)).toEqual(['approval.resolved', 'approval.consumed'])
    }
  })

  it('an edge consumes and the approval expires: it is consumed or expired, never both', async () => {
    for (let round = 0; round < rounds; round++) {
      const approved = await addApprovedCall(scene)
      const [{ status }] = await Promise.all([consume(scene.edge, approved), sweepTomorrow()])
      expect(await historyOf(approved.id)).toEqual([
        'approval.resolved',
        status === 200 ? 'approval.consumed' : 'expired when approved',
      ])
      expect(await statusOf(approved.id)).toBe(status === 200 ? 'consumed' : 'expired')
    }
  })

  it('a person resolves and the approval expires: an expired approval is not resolved', async () => {
    for (let round = 0; round < rounds; round++) {
      const { id } = await addPendingCall(scene)
      const resolve = scene.tenant.owner.api.post(`/approvals/${id}/resolve`, { outcome: 'approved' })
      const [{ status }] = await Promise.all([resolve, sweepTomorrow()])
      const history = await historyOf(id)
      if (status === 200) expect(['', 'expired when approved']).toContain(history.slice(1).join())
      expect(history[0]).toBe(status === 200 ? 'approval.resolved' : 'expired when pending')
      expect(history.length).toBeLessThanOrEqual(status === 200 ? 2 : 1)
    }
  })

  it('an edge consumes and the agent is suspended: it is consumed or expired, never both', async () => {
    const { tenant, agentId, edge } = scene
    for (let round = 0; round < rounds; round++) {
      const approved = await addApprovedCall(scene)
      const suspend = tenant.owner.api.post(`/agents/${agentId}/suspend`)
      const [{ status }] = await Promise.all([consume(edge, approved), suspend])
      expect((await historyOf(approved.id)).slice(1)).toEqual([
        status === 200 ? 'approval.consumed' : 'expired when approved',
      ])
      await tenant.owner.api.post(`/agents/${agentId}/resume`)
    }
  })

  it('an edge consumes and the policy is saved: an approval is only consumed before the save', async () => {
    const { tenant, agentId, edge } = scene
    for (let round = 0; round < rounds; round++) {
      const policy = await addPolicy(server, tenant.id)
      await tenant.owner.api.post(`/agents/${agentId}/assign-policy`, { policy_id: policy.id })
      const approved = await addApprovedCall({ ...scene, policy })
      const save = tenant.owner.api.put(`/policies/${policy.id}`, { default_effect: 'deny' })
      const [{ status }, saved] = await Promise.all([consume(edge, approved), save])
      expect(saved.status).toBe(200)
      const trail = await auditEntries(server, tenant.id)
      const at = (event: string) =>
        trail.findIndex(
          ({ event_type, resource_id }) => event_type === event && [approved.id, policy.id].includes(resource_id),
        )
      if (status === 200) expect(at('approval.consumed')).toBeLessThan(at('policy.updated'))
      expect(at('approval.consumed') === -1).toBe(status === 409)
    }
  })

  it('an agent requests approvals and is suspended: no approval is pending afterwards', async () => {
    const { tenant, agentId, edge } = scene
    for (let round = 0; round < rounds; round++) {
      const ask = edge.post('/edge/approvals', newRequest(agentId))
      await Promise.all([ask, tenant.owner.api.post(`/agents/${agentId}/suspend`)])
      const { body } = await tenant.owner.api.get(`/approvals?status=pending&agent_id=${agentId}`)
      expect(body.total).toBe(0)
      await tenant.owner.api.post(`/agents/${agentId}/resume`)
    }
  })
})

describe('requests that wait for a lock', () => {
  /**
   * Changes an approval's row in an open transaction and sends a request, which waits for the lock on the row. Then commits, so
   * that the request continues with the changed row.
   */
  async function whileItWaits(
    id: string,
    send: () => Promise<{ status: number; body: { error?: string } }>,
    change: string,
  ) {
    const client = await server.owner.connect()
    try {
      await client.query('begin')
      await client.query(change, [id])
      const answer = send()
      await vi.waitFor(async () => {
        const { rowCount } = await server.owner.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        expect(rowCount).toBe(1)
      })
      await client.query('commit')
      const { status, body } = await answer
      return [status, body.error]
    } finally {
      client.release()
    }
  }

  it('a consumption that waited for an expiry is refused', async () => {
    const approved = await addApprovedCall(scene)
    const expire = `update approvals set status = 'expired' where id = $1`
    const answer = await whileItWaits(approved.id, () => consume(scene.edge, approved), expire)
    expect(answer).toEqual([409, 'this approval has expired'])
  })

  it('a consumption that waited for another is refused', async () => {
    const approved = await addApprovedCall(scene)
    const use = `update approvals set status = 'consumed', consumed_at = now() where id = $1`
    const answer = await whileItWaits(approved.id, () => consume(scene.edge, approved), use)
    expect(answer).toEqual([409, 'this approval was already consumed'])
  })

  it('a consumption that waited for a save of the policy is refused', async () => {
    const fresh = await createScene(server)
    const approved = await addApprovedCall(fresh)
    const save = 'update policies set version = version + 1 where id = $1'
    const answer = await whileItWaits(fresh.policy.id, () => consume(fresh.edge, approved), save)
    expect(answer).toEqual([
      409,
      'the current policy version of the agent is not the version of this approval; request a new approval',
    ])
  })

  it('a consumption that waited for another policy to be assigned is refused', async () => {
    const fresh = await createScene(server)
    const approved = await addApprovedCall(fresh)
    const assign = 'update agents set policy_id = null where id = $1'
    const answer = await whileItWaits(fresh.agentId, () => consume(fresh.edge, approved), assign)
    expect(answer).toEqual([
      409,
      'the current policy version of the agent is not the version of this approval; request a new approval',
    ])
  })

  it('a resolution that waited for an expiry is refused', async () => {
    const { id } = await addPendingCall(scene)
    const resolve = () => scene.tenant.owner.api.post(`/approvals/${id}/resolve`, { outcome: 'approved' })
    const answer = await whileItWaits(id, resolve, `update approvals set status = 'expired' where id = $1`)
    expect(answer).toEqual([409, 'this approval has expired'])
  })

  it('a request that waited for the environment to become a production environment is assigned to owners', async () => {
    const { tenant, edge, agentId } = await createScene(server)
    const change = `with locked as (select id from environments where id = $1 for update)
      update environments e set is_production = true from locked where e.id = locked.id`
    let assigned: unknown
    const ask = async () => {
      const answer = await edge.post('/edge/approvals', newRequest(agentId))
      assigned = answer.body.assigned_role
      return answer
    }
    expect(await whileItWaits(tenant.development, ask, change)).toEqual([201, undefined])
    expect(assigned).toBe('owner')
  })
})
