import type { Approval } from '@mandate/contract/approvals'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { startWorker } from '../../../jobs/start-worker.ts'
import { addAgent, auditEntries } from '../../../testing/arrange.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import {
  addApprovedCall,
  addPendingCall,
  consume,
  createScene,
  newRequest,
  passTime,
  type Scene,
} from '../testing/held-calls.ts'
import { expireOverdueApprovals } from './expire-approvals.ts'

const server = useOwnServer()
let scene: Scene

beforeEach(async () => {
  scene = await createScene(server)
})

const sweep = (now = new Date().toISOString()) => expireOverdueApprovals(server.services, now)
const read = async ({ id }: Approval) => (await scene.tenant.owner.api.get(`/approvals/${id}`)).body
const statusOf = async (approval: Approval) => (await read(approval)).status
const endOf = async (approval: Approval) => (await read(approval)).ended_because
const expiries = async (tenantId = scene.tenant.id) =>
  (await auditEntries(server, tenantId)).filter((entry) => entry.event_type === 'approval.expired')
const listed = async (query: string) =>
  (await scene.tenant.owner.api.get(`/approvals?${query}`)).body.data.map(({ id }: Approval) => id)

async function rowsAbout({ id }: Approval) {
  const text = `select (select count(*)::int from approval_deadlines where approval_id = $1) as deadlines,
    (select count(*)::int from approval_links where approval_id = $1) as links,
    (select count(*)::int from credential_lookup where id = $1) as lookups`
  return (await server.owner.query(text, [id])).rows[0]
}

describe('an overdue approval', () => {
  it('is shown as expired by every route and filter, before the job has run', async () => {
    const [pending, approved, rejected] = [
      await addPendingCall(scene),
      await addApprovedCall(scene),
      await addPendingCall(scene),
    ]
    await scene.tenant.owner.api.post(`/approvals/${rejected.id}/resolve`, { outcome: 'rejected' })
    for (const { id } of [pending, approved, rejected]) await passTime(server, id)
    for (const late of [pending, approved]) {
      expect(await read(late)).toMatchObject({ status: 'expired', ended_because: 'time', freeze_id: null })
      expect((await scene.edge.get(`/edge/approvals/${late.id}`)).body.status).toBe('expired')
    }
    expect(await read(rejected)).toMatchObject({ status: 'rejected', ended_because: null })
    expect(await listed('status=pending')).toEqual([])
    expect(await listed('status=approved')).toEqual([])
    expect((await listed('status=expired')).sort()).toEqual([pending.id, approved.id].sort())
    expect(await listed('status=rejected')).toEqual([rejected.id])
  })

  it('is expired by the job, audited as the system with the previous status; its links and expiry row are deleted', async () => {
    const [pending, approved, young] = [
      await addPendingCall(scene),
      await addApprovedCall(scene),
      await addPendingCall(scene),
    ]
    expect(await rowsAbout(pending)).toEqual({ deadlines: 1, links: 1, lookups: 1 })
    for (const { id } of [pending, approved]) await passTime(server, id)
    await sweep()
    const { rows } = await server.owner.query('select id, status from approvals where tenant_id = $1', [
      scene.tenant.id,
    ])
    expect(Object.fromEntries(rows.map(({ id, status }) => [id, status]))).toEqual({
      [pending.id]: 'expired',
      [approved.id]: 'expired',
      [young.id]: 'pending',
    })
    expect(await Promise.all([pending, approved, young].map(endOf))).toEqual(['time', 'time', null])
    expect(await rowsAbout(pending)).toEqual({ deadlines: 0, links: 0, lookups: 0 })
    expect(await rowsAbout(young)).toEqual({ deadlines: 1, links: 1, lookups: 1 })
    const agent_name = expect.any(String)
    const entries = await expiries()
    expect(entries.map(({ resource_id, details }) => [resource_id, details])).toEqual(
      expect.arrayContaining([
        [pending.id, { agent_name, previous_state: 'pending', reason: 'time', ended_because: 'time' }],
        [approved.id, { agent_name, previous_state: 'approved', reason: 'time', ended_because: 'time' }],
      ]),
    )
    expect(entries[0]).toMatchObject({ actor_type: 'system', source: 'control_plane', agent_id: scene.agentId })
    await sweep()
    expect(await expiries()).toHaveLength(2)
  })

  it('250 of two tenants are all expired, in batches', async () => {
    const other = await createScene(server)
    for (const { tenant, agentId } of [scene, other]) await insertOverdue(tenant.id, agentId, 125)
    await sweep()
    for (const { tenant } of [scene, other]) {
      expect(await expiries(tenant.id)).toHaveLength(125)
      const left = await server.owner.query('select from approval_deadlines where tenant_id = $1', [tenant.id])
      expect(left.rowCount).toBe(0)
    }
  })

  it('an approval that a decision has locked is left to the next run, and the others are expired', async () => {
    const [held, free] = [await addPendingCall(scene), await addPendingCall(scene)]
    for (const { id } of [held, free]) await passTime(server, id)
    const client = await server.owner.connect()
    try {
      await client.query('begin')
      await client.query('select from approvals where id = $1 for update', [held.id])
      await sweep()
      expect((await expiries()).map((entry) => entry.resource_id)).toEqual([free.id])
    } finally {
      await client.query('rollback')
      client.release()
    }
    await sweep()
    expect(await expiries()).toHaveLength(2)
  })

  it('the worker runs the job', async () => {
    const late = await addPendingCall(scene)
    await passTime(server, late.id)
    const worker = await startWorker(server.services, server.owner.options.connectionString as string)
    try {
      await server.owner.query(`select graphile_worker.add_job('expire_approvals')`)
      await vi.waitFor(async () => expect(await expiries()).toHaveLength(1), { timeout: 60_000, interval: 100 })
    } finally {
      await worker.stop()
    }
  })

  it('a deleted organization has no approvals to expire', async () => {
    const late = await addPendingCall(scene)
    const { owner, id, name } = scene.tenant
    expect((await owner.api.delete(`/tenants/${id}`, { confirm: name })).status).toBe(204)
    expect(await rowsAbout(late)).toEqual({ deadlines: 0, links: 0, lookups: 0 })
  })
})

describe('stopping an agent expires its approvals, pending and approved, and no approval of another agent', () => {
  const stops: [string, string, (scene: Scene) => Promise<unknown>][] = [
    ['suspending it', 'suspended', ({ tenant, agentId }) => tenant.owner.api.post(`/agents/${agentId}/suspend`)],
    ['archiving it', 'archived', ({ tenant, agentId }) => tenant.owner.api.delete(`/agents/${agentId}`)],
    ['blocking it', 'blocked', (its) => move(its, 'blocked')],
    ['retiring it', 'retired', (its) => move(its, 'retired')],
    ['rejecting its review', 'blocked', rejectReview],
  ]

  it.each(stops)('%s, and each says that the agent was %s', async (_, because, stop) => {
    const { tenant, edge } = scene
    const sibling = await addAgent(server, tenant.id, { environmentId: tenant.development })
    const [pending, approved, others] = [
      await addPendingCall(scene),
      await addApprovedCall(scene),
      await addPendingCall({ edge, agentId: sibling }),
    ]
    const consumed = await addApprovedCall(scene)
    await consume(edge, consumed)
    await stop(scene)
    expect(await Promise.all([pending, approved, consumed, others].map(statusOf))).toEqual([
      'expired',
      'expired',
      'consumed',
      'pending',
    ])
    expect(await Promise.all([pending, approved, consumed, others].map(endOf))).toEqual([because, because, null, null])
    expect(
      (await expiries()).map(({ actor_user_id, details }) => [actor_user_id, details.reason, details.ended_because]),
    ).toEqual([
      [tenant.owner.id, 'agent_stopped', because],
      [tenant.owner.id, 'agent_stopped', because],
    ])
    expect((await edge.post('/edge/approvals', newRequest(scene.agentId))).status).toBe(409)
    expect((await consume(edge, approved)).status).toBe(409)
    expect(await rowsAbout(pending)).toEqual({ deadlines: 0, links: 0, lookups: 0 })
  })

  it('a resumed agent requests approvals again, and its earlier ones stay expired', async () => {
    const { tenant, edge, agentId } = scene
    const approved = await addApprovedCall(scene)
    await tenant.owner.api.post(`/agents/${agentId}/suspend`)
    await tenant.owner.api.post(`/agents/${agentId}/resume`)
    const { status, body } = await consume(edge, approved)
    expect([status, body.error]).toEqual([409, 'this approval has expired'])
    await addPendingCall(scene)
  })

  it('a change that does not stop the agent expires nothing', async () => {
    const pending = await addPendingCall(scene)
    await scene.tenant.owner.api.put(`/agents/${scene.agentId}`, { description: 'another' })
    await scene.tenant.owner.api.post(`/agents/${scene.agentId}/rotate-key`)
    expect(await statusOf(pending)).toBe('pending')
  })
})

const move = ({ tenant, agentId }: Scene, lifecycle_status: string) =>
  tenant.owner.api.post(`/agents/${agentId}/lifecycle`, { lifecycle_status, reason: 'it deleted a table' })

async function rejectReview({ tenant, agentId }: Scene) {
  const { body } = await tenant.owner.api.post(`/agents/${agentId}/reviews`, { kind: 'attestation' })
  const rejection = { outcome: 'rejected', comment: 'no' }
  expect((await tenant.owner.api.post(`/reviews/${body.id}/resolve`, rejection)).status).toBe(200)
}

async function insertOverdue(tenantId: string, agentId: string, count: number) {
  await server.owner.query(
    `with made as (
       insert into approvals (tenant_id, id, agent_id, tool, args_digest, policy_id, policy_version, policy_hash, reason,
         request_hash, status, assigned_role, requested_at, expires_at)
       select $1, gen_random_uuid(), $2, 'mcp:a/b', '', gen_random_uuid(), 1, '', '', '', 'pending', 'manager', now(), now()
       from generate_series(1, $3) returning id)
     insert into approval_deadlines (tenant_id, approval_id, expires_at) select $1, id, now() from made`,
    [tenantId, agentId, count],
  )
}
