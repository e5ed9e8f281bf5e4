import { beforeEach, describe, expect, it } from 'vitest'
import { addKey, addPerson, auditEntries, grantAgent } from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import { addApprovedCall, addPendingCall, createScene, passTime, type Scene } from '../testing/held-calls.ts'

const server = useTestServer()
let scene: Scene

beforeEach(async () => {
  scene = await createScene(server)
})

const entriesOf = async (id: string) =>
  (await auditEntries(server, scene.tenant.id)).filter((entry) => entry.resource_id === id)

describe('POST /approvals/{id}/resolve', () => {
  it.each(['approved', 'rejected'] as const)(
    '200 %s by a manager, with the comment, and an audit entry',
    async (outcome) => {
      const manager = await addPerson(server, scene.tenant.id, { role: 'manager' })
      const held = await addPendingCall(scene)
      const { status, body } = await manager.api.post(`/approvals/${held.id}/resolve`, { outcome, comment: ' why ' })
      expect(status).toBe(200)
      expect(body).toEqual({
        ...held,
        status: outcome,
        comment: 'why',
        resolved_by: manager.id,
        resolved_at: expect.any(String),
      })
      expect((await scene.edge.get(`/edge/approvals/${held.id}`)).body).toEqual(body)
      expect((await entriesOf(held.id)).at(-1)).toMatchObject({
        event_type: 'approval.resolved',
        source: 'control_plane',
        actor_user_id: manager.id,
        agent_id: scene.agentId,
        details: { outcome, comment: 'why', via: 'api' },
      })
    },
  )

  it('the comment is null if it is left out or empty', async () => {
    for (const comment of [undefined, '  ']) {
      const { id } = await addPendingCall(scene)
      const { body } = await scene.tenant.owner.api.post(`/approvals/${id}/resolve`, { outcome: 'rejected', comment })
      expect(body.comment).toBeNull()
    }
  })

  it('409 for an approval that is resolved, consumed or expired, whatever the outcome, and nothing is written', async () => {
    const { owner } = scene.tenant
    const approved = await addApprovedCall(scene)
    const late = await addPendingCall(scene)
    await passTime(server, late.id)
    for (const outcome of ['approved', 'rejected']) {
      const again = await owner.api.post(`/approvals/${approved.id}/resolve`, { outcome })
      expect([again.status, again.body.error]).toEqual([409, 'this approval is already resolved'])
      const tooLate = await owner.api.post(`/approvals/${late.id}/resolve`, { outcome })
      expect([tooLate.status, tooLate.body.error]).toEqual([409, 'this approval has expired'])
    }
    expect(await entriesOf(late.id)).toHaveLength(1)
  })

  it('403 for a member and a viewer who see it, before the 400 of a malformed body', async () => {
    const { id } = await addPendingCall(scene)
    for (const role of ['member', 'viewer'] as const) {
      const person = await addPerson(server, scene.tenant.id, { role })
      expect((await person.api.post(`/approvals/${id}/resolve`, { outcome: 'approved' })).status).toBe(403)
      expect((await person.api.post(`/approvals/${id}/resolve`, {})).status).toBe(403)
    }
    const bad = await scene.tenant.owner.api.post(`/approvals/${id}/resolve`, { outcome: 'consumed' })
    expect([bad.status, bad.body.error]).toEqual([400, 'outcome must be one of approved, rejected'])
  })

  it('for a production agent: 403 for a manager and for an owner’s bound key, 200 for an owner', async () => {
    scene = await createScene(server, { environmentId: null })
    const { tenant } = scene
    await server.owner.query('update environments set is_production = true where id = $1', [tenant.development])
    const { id, assigned_role } = await addPendingCall(scene)
    expect(assigned_role).toBe('owner')
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    for (const { api } of [manager, key]) {
      expect((await api.post(`/approvals/${id}/resolve`, { outcome: 'approved' })).status).toBe(403)
      expect((await api.post(`/approvals/${id}/resolve`, {})).status).toBe(403)
    }
    expect((await tenant.owner.api.post(`/approvals/${id}/resolve`, { outcome: 'approved' })).status).toBe(200)
  })

  it('only owners resolve what was pending when the environment became a production environment', async () => {
    const { tenant } = scene
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const [pending, done] = [await addPendingCall(scene), await addPendingCall(scene)]
    expect((await manager.api.post(`/approvals/${done.id}/resolve`, { outcome: 'rejected' })).status).toBe(200)
    const mine = async ({ api }: { api: Scene['edge'] }) => (await api.get('/approvals?mine=true')).body.total
    expect([await mine(manager), await mine(tenant.owner)]).toEqual([1, 1])
    const changed = await manager.api.put(`/environments/${tenant.development}`, { is_production: true })
    expect(changed.status).toBe(200)
    expect([await mine(manager), await mine(tenant.owner)]).toEqual([0, 1])
    const { body } = await manager.api.get(`/approvals/${pending.id}?include=may`)
    expect(body).toMatchObject({ assigned_role: 'owner', may: [] })
    const resolve = (api: Scene['edge']) => api.post(`/approvals/${pending.id}/resolve`, { outcome: 'approved' })
    expect((await resolve(manager.api)).status).toBe(403)
    expect((await resolve(tenant.owner.api)).status).toBe(200)
    expect((await manager.api.get(`/approvals/${done.id}`)).body.assigned_role).toBe('manager')
    expect(
      (await auditEntries(server, tenant.id)).find((e) => e.event_type === 'environment.updated')?.details,
    ).toEqual({
      changes: [{ field: 'is_production', from: false, to: true }],
      approvals_assigned_to_owners: 1,
    })
  })
})

describe('the owner of the agent', () => {
  const own = (userId: string) =>
    server.owner.query('update agents set owner_user_id = $2 where id = $1', [scene.agentId, userId])
  const resolve = async (api: { post: Scene['edge']['post'] }) => {
    const { id } = await addPendingCall(scene)
    return (await api.post(`/approvals/${id}/resolve`, { outcome: 'approved' })).status
  }

  it('403 while another user may resolve, also through a key; 200 if there is no other user', async () => {
    const { tenant } = scene
    await own(tenant.owner.id)
    expect(await resolve(tenant.owner.api)).toBe(200)
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    expect(await resolve(tenant.owner.api)).toBe(403)
    expect(await resolve((await addKey(server, tenant.id, tenant.owner)).api)).toBe(403)
    expect(await resolve(manager.api)).toBe(200)
  })

  it('403 also after another user became the owner; the new owner may resolve only if no third user may', async () => {
    const { tenant, agentId } = scene
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const third = await addPerson(server, tenant.id, { role: 'manager' })
    await own(manager.id)
    const { id } = await addPendingCall(scene)
    const status = async ({ api }: { api: Scene['edge'] }) => (await api.post(`/approvals/${id}/resolve`, {})).status
    const all = async () => [await status(manager), await status(tenant.owner), await status(third)]
    expect(await all()).toEqual([403, 400, 400])
    const member = await addPerson(server, tenant.id)
    expect((await manager.api.put(`/agents/${agentId}`, { owner_user_id: member.id })).status).toBe(200)
    expect(await all()).toEqual([403, 400, 400])
    expect((await manager.api.put(`/agents/${agentId}`, { owner_user_id: tenant.owner.id })).status).toBe(200)
    expect(await all()).toEqual([403, 403, 400])
    expect((await tenant.owner.api.put(`/users/${third.id}`, { role: 'member' })).status).toBe(200)
    expect(await all()).toEqual([403, 400, 403])
    const resolve = ({ api }: { api: Scene['edge'] }) => api.post(`/approvals/${id}/resolve`, { outcome: 'approved' })
    expect((await resolve(manager)).status).toBe(403)
    expect((await resolve(tenant.owner)).status).toBe(200)
  })

  it.each([
    ['a member', { role: 'member' }],
    ['a learner', { role: 'viewer', academyOnly: true }],
    ['an invited manager', { role: 'manager', status: 'pending' }],
    ['a scoped manager who does not see the agent', { role: 'manager', accessScope: 'scoped' }],
  ] as const)('is alone beside %s', async (_, person) => {
    await own(scene.tenant.owner.id)
    await addPerson(server, scene.tenant.id, person)
    expect(await resolve(scene.tenant.owner.api)).toBe(200)
  })

  it('is not the only one if a scoped manager has a grant for the agent', async () => {
    await own(scene.tenant.owner.id)
    const scoped = await addPerson(server, scene.tenant.id, { role: 'manager', accessScope: 'scoped' })
    await grantAgent(server, scene.tenant.id, scoped.id, scene.agentId)
    expect(await resolve(scene.tenant.owner.api)).toBe(403)
    expect(await resolve(scoped.api)).toBe(200)
  })
})
