import type { Approval } from '@mandate/contract/approvals'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiClient, apiClient } from '../../../testing/api-client.ts'
import { addAgent, addKey, addPerson, auditEntries, createTenant, grantAgent } from '../../../testing/arrange.ts'
import { addEdge, giveAgentKey } from '../../../testing/arrange-agents.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import { addApprovedCall, addPendingCall, createScene, type Scene } from '../testing/held-calls.ts'

const server = useTestServer()
let scene: Scene
let granted: Approval
let sibling: Approval
let production: Approval

beforeAll(async () => {
  scene = await createScene(server)
  const { tenant, edge } = scene
  granted = await addPendingCall(scene)
  sibling = await addPendingCall({
    edge,
    agentId: await addAgent(server, tenant.id, { environmentId: tenant.development }),
  })
  const productive = await addAgent(server, tenant.id, { environmentId: tenant.production })
  production = await addPendingCall({ edge: await addEdge(server, tenant.id, tenant.production), agentId: productive })
})

const everyone = () => [production.id, sibling.id, granted.id]

async function seenBy(api: ApiClient, query = '') {
  const { status, body } = await api.get(`/approvals${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.total).toBe(body.data.length)
  return body.data.map(({ id }: Approval) => id)
}

/**
 * Expects that the caller reads and resolves exactly the approvals of the list. Other approvals must return 404, like an unknown
 * id.
 */
async function expectSees(api: ApiClient, visible: string[]) {
  expect(await seenBy(api)).toEqual(visible)
  for (const id of everyone()) {
    const { status, body } = await api.get(`/approvals/${id}`)
    if (visible.includes(id)) expect([status, body.id]).toEqual([200, id])
    else expect([status, body]).toEqual([404, { error: 'approval not found' }])
  }
}

describe('who sees which approvals', () => {
  it('owners and viewers with full access see all, newest first, by page, status and agent', async () => {
    const { owner, id } = scene.tenant
    await expectSees(owner.api, everyone())
    await expectSees((await addPerson(server, id, { role: 'viewer' })).api, everyone())
    const { body } = await owner.api.get('/approvals?limit=1&offset=1')
    expect([body.data.map((each: Approval) => each.id), body.total]).toEqual([[sibling.id], 3])
    expect(await seenBy(owner.api, `?agent_id=${sibling.agent_id}`)).toEqual([sibling.id])
    expect(await seenBy(owner.api, `?status=pending&agent_id=${sibling.agent_id}`)).toEqual([sibling.id])
    expect(await seenBy(owner.api, '?status=consumed')).toEqual([])
    expect(await seenBy(owner.api, '?status=pending&status=consumed')).toEqual(everyone())
    expect(await seenBy(owner.api, '?status=rejected,consumed')).toEqual([])
    expect(await seenBy(owner.api, '?sort=expires_at')).toEqual(everyone().toReversed())
    expect(await seenBy(owner.api, '?sort=expires_at&status=pending&status=expired')).toEqual(everyone().toReversed())
    expect(await seenBy(owner.api, '?sort=other')).toEqual(everyone())
    for (const query of ['status=held', 'status=pending&status=held', 'status=', 'mine=1', 'from=today']) {
      expect((await owner.api.get(`/approvals?${query}`)).status, query).toBe(400)
    }
  })

  it('`from` includes its time, and leaves out what was requested before', async () => {
    const { api } = scene.tenant.owner
    const all = (await api.get('/approvals')).body.data as Approval[]
    for (const { requested_at: at } of all) {
      for (const from of [at, new Date(Date.parse(at) + 1).toISOString()]) {
        const later = all.filter(({ requested_at }) => requested_at >= from).map(({ id }) => id)
        expect(await seenBy(api, `?from=${from}`)).toEqual(later)
        expect(await seenBy(api, `?from=${from}&sort=expires_at`)).toEqual(later.toReversed())
        expect(await seenBy(api, `?from=${from}&status=pending&status=approved`)).toEqual(later)
      }
    }
  })

  it('a scoped user sees those of the agents granted to them, whatever the filter', async () => {
    const { id } = scene.tenant
    const scoped = await addPerson(server, id, { role: 'manager', accessScope: 'scoped' })
    await grantAgent(server, id, scoped.id, scene.agentId)
    await expectSees(scoped.api, [granted.id])
    expect(await seenBy(scoped.api, `?agent_id=${sibling.agent_id}`)).toEqual([])
    const { status } = await scoped.api.post(`/approvals/${sibling.id}/resolve`, { outcome: 'approved' })
    expect(status).toBe(404)
    expect((await scoped.api.post(`/approvals/${sibling.id}/resolve`, {})).status).toBe(404)
    const key = await addKey(server, id, scoped, { environmentId: scene.tenant.production })
    await expectSees(key.api, [])
  })

  it('an environment-bound key sees those of its environment, even an owner’s key', async () => {
    const { tenant } = scene
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    await expectSees(key.api, [sibling.id, granted.id])
    const { status } = await key.api.post(`/approvals/${production.id}/resolve`, { outcome: 'approved' })
    expect(status).toBe(404)
  })

  it('a read-only key reads and resolves nothing; a key with approval scopes does both', async () => {
    const { tenant, edge, agentId } = scene
    const { id } = await addPendingCall({ edge, agentId })
    const [readOnly, scoped, other] = [
      await addKey(server, tenant.id, tenant.owner, { scopes: ['*:read'] }),
      await addKey(server, tenant.id, tenant.owner, { scopes: ['approvals:*'] }),
      await addKey(server, tenant.id, tenant.owner, { scopes: ['reviews:*'] }),
    ]
    expect((await readOnly.api.get(`/approvals/${id}`)).status).toBe(200)
    expect((await readOnly.api.post(`/approvals/${id}/resolve`, { outcome: 'rejected' })).status).toBe(403)
    expect((await other.api.get(`/approvals/${id}`)).status).toBe(403)
    expect((await scoped.api.post(`/approvals/${id}/resolve`, { outcome: 'rejected' })).status).toBe(200)
  })

  it('users of other tenants, learners and removed users see none', async () => {
    const { tenant } = scene
    const other = await createTenant(server)
    await expectSees(other.owner.api, [])
    expect((await other.owner.api.post(`/approvals/${granted.id}/resolve`, { outcome: 'approved' })).status).toBe(404)
    const learner = await addPerson(server, tenant.id, { role: 'viewer', academyOnly: true })
    const removed = await addPerson(server, tenant.id, { role: 'manager' })
    expect((await removed.api.get('/approvals')).status).toBe(200)
    expect((await tenant.owner.api.delete(`/users/${removed.id}`)).status).toBe(204)
    for (const path of ['/approvals', `/approvals/${granted.id}`]) {
      expect((await learner.api.get(path)).body.code).toBe('academy_only_account')
      expect((await removed.api.get(path)).status).toBe(401)
    }
    expect((await removed.api.post(`/approvals/${granted.id}/resolve`, { outcome: 'approved' })).status).toBe(401)
  })

  it('edge and agent keys cannot use the routes for people, and people cannot use those of the edge', async () => {
    const { tenant, edge } = scene
    const agent = await giveAgentKey(server, tenant.id, scene.agentId)
    for (const api of [edge, agent, apiClient(server.url)]) {
      expect((await api.get('/approvals')).status).toBe(401)
      expect((await api.post(`/approvals/${granted.id}/resolve`, { outcome: 'approved' })).status).toBe(401)
    }
    expect((await tenant.owner.api.get(`/edge/approvals/${granted.id}`)).status).toBe(401)
  })

  it('users who see an agent see the audit entries of its approvals', async () => {
    const { tenant } = scene
    await addApprovedCall(scene)
    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    const query = '/audit?event_type=approval.requested'
    expect((await scoped.api.get(query)).body.data).toEqual([])
    await grantAgent(server, tenant.id, scoped.id, scene.agentId)
    const { data } = (await scoped.api.get(query)).body
    expect(data.length).toBeGreaterThan(0)
    expect(new Set(data.map((entry: { agent_id: string }) => entry.agent_id))).toEqual(new Set([scene.agentId]))
    const all = (await auditEntries(server, tenant.id)).filter((entry) => entry.event_type === 'approval.requested')
    expect(all.length).toBeGreaterThan(data.length)
  })
})
