import { describe, expect, it } from 'vitest'
import type { ApiClient } from '../../../testing/api-client.ts'
import { addAgent, addKey, addPerson, createTenant, grantAgent } from '../../../testing/arrange.ts'
import { addEdge } from '../../../testing/arrange-agents.ts'
import { addPeople, callersOf, managers, owners } from '../../../testing/callers-of-every-kind.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import { changeAgentOwner } from '../stored/agent-owner.ts'
import { addPendingCall, passTime } from '../testing/held-calls.ts'

const server = useTestServer()

/**
 * A tenant whose callers are of every kind, with an approval for each environment and each owner of an agent, and some of agents whose
 * owner changes to the next of them.
 */
async function fill(owned: (typeof owners)[number], managed: (typeof managers)[number]) {
  const tenant = await createTenant(server)
  const { id } = tenant
  const people = await addPeople(server, tenant, owned, managed)
  people.viewer = await addPerson(server, id, { role: 'viewer' })
  const approvals: string[] = []
  const edges = {
    [tenant.production]: await addEdge(server, id, tenant.production),
    [tenant.development]: await addEdge(server, id, tenant.development),
  }
  for (const [place, [environmentId, edge]] of Object.entries(edges).entries()) {
    const ownerIds = [null, ...Object.values(people).map((person) => person.id)]
    for (const [at, ownerUserId] of ownerIds.entries()) {
      const cases = [
        { isGranted: true, isChanged: false },
        { isGranted: false, isChanged: false },
      ]
      if ((place + at) % 2 === 0) cases.push({ isGranted: true, isChanged: true })
      for (const { isGranted, isChanged } of cases) {
        const agentId = await addAgent(server, id, { environmentId, ownerUserId })
        approvals.push((await addPendingCall({ edge, agentId })).id)
        const next = ownerIds[(at + 1) % ownerIds.length] ?? null
        if (isChanged) {
          await server.owner.query('update agents set owner_user_id = $2 where id = $1', [agentId, next])
          await server.services.db.transaction(id, (tx) => changeAgentOwner(tx, agentId, next))
        }
        if (isGranted && people.manager) await grantAgent(server, id, people.manager.id, agentId)
      }
    }
  }
  const callers = await callersOf(server, tenant, people)
  callers['read-only key'] = (await addKey(server, id, tenant.owner, { scopes: ['*:read'] })).api
  callers['key for approvals'] = (await addKey(server, id, tenant.owner, { scopes: ['approvals:*'] })).api
  return { tenant, approvals, callers }
}

/** The verb answers 400 to a body without an outcome only if the caller may resolve the approval. */
async function resolvable(api: ApiClient, approvals: readonly string[]): Promise<string[]> {
  const answers = await Promise.all(approvals.map((id) => api.post(`/approvals/${id}/resolve`, {})))
  return approvals.filter((_, at) => answers[at]?.status === 400)
}

const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id)

describe.each(owners)('GET /approvals?mine=true: %s', (owned) => {
  it.each(managers)('lists what the verb lets each kind of caller resolve: %s', async (managed) => {
    const { approvals, callers } = await fill(owned, managed)
    let listed = 0
    for (const [name, api] of Object.entries(callers)) {
      const wanted = await resolvable(api, approvals)
      const { status, body } = await api.get('/approvals?mine=true&limit=200')
      expect(status, name).toBe(200)
      expect(idsOf(body).toSorted(), name).toEqual(wanted.toSorted())
      expect(body.total, name).toBe(wanted.length)
      const bySoonest = (await api.get('/approvals?mine=true&sort=expires_at&limit=200')).body
      expect(idsOf(bySoonest), name).toEqual(idsOf(body).toReversed())
      for (const one of [body.data[0]?.agent_id].filter(Boolean)) {
        expect(idsOf((await api.get(`/approvals?mine=true&agent_id=${one}`)).body), name).toEqual([body.data[0].id])
      }
      listed += wanted.length
    }
    expect(listed).toBeGreaterThan(10)
  })
})

describe('GET /approvals?mine=true', () => {
  it('leaves out what is expired, resolved or has another status than asked for', async () => {
    const tenant = await createTenant(server)
    const edge = await addEdge(server, tenant.id, tenant.development)
    const agentId = await addAgent(server, tenant.id, { environmentId: tenant.development })
    const [waiting, overdue, decided] = [
      await addPendingCall({ edge, agentId }),
      await addPendingCall({ edge, agentId }),
      await addPendingCall({ edge, agentId }),
    ]
    await passTime(server, overdue.id)
    await tenant.owner.api.post(`/approvals/${decided.id}/resolve`, { outcome: 'approved' })
    const list = async (query: string) => idsOf((await tenant.owner.api.get(`/approvals?${query}`)).body)
    expect(await list('mine=true')).toEqual([waiting.id])
    expect(await list('mine=true&status=pending&status=approved')).toEqual([waiting.id])
    expect(await list('mine=true&status=approved')).toEqual([])
    expect(await list('mine=false')).toHaveLength(3)
    expect((await tenant.owner.api.get('/approvals?mine=yes')).status).toBe(400)
  })

  it('follows the agent to another owner, also when its owner is removed', async () => {
    const tenant = await createTenant(server)
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const edge = await addEdge(server, tenant.id, tenant.development)
    const agentId = await addAgent(server, tenant.id, { environmentId: tenant.development, ownerUserId: manager.id })
    const { id } = await addPendingCall({ edge, agentId })
    const mine = async (api: ApiClient) => idsOf((await api.get('/approvals?mine=true')).body)
    expect([await mine(manager.api), await mine(tenant.owner.api)]).toEqual([[], [id]])
    const third = await addPerson(server, tenant.id, { role: 'manager' })
    await tenant.owner.api.put(`/agents/${agentId}`, { owner_user_id: tenant.owner.id })
    expect([await mine(manager.api), await mine(tenant.owner.api), await mine(third.api)]).toEqual([[], [], [id]])
    expect((await tenant.owner.api.delete(`/users/${third.id}`)).status).toBe(204)
    expect([await mine(manager.api), await mine(tenant.owner.api)]).toEqual([[], [id]])
    await tenant.owner.api.put(`/agents/${agentId}`, { owner_user_id: manager.id })
    expect(await mine(tenant.owner.api)).toEqual([id])
    expect((await tenant.owner.api.delete(`/users/${manager.id}`)).status).toBe(204)
    expect(await mine(tenant.owner.api)).toEqual([id])
    const { rows } = await server.owner.query('select last_resort_user_id from approvals where id = $1', [id])
    expect(rows).toEqual([{ last_resort_user_id: '00000000-0000-0000-0000-000000000000' }])
  })

  it('an approval that is requested while the agent changes its owner has the new owner', async () => {
    const tenant = await createTenant(server)
    const edge = await addEdge(server, tenant.id, tenant.development)
    const people = await Promise.all([0, 1].map(() => addPerson(server, tenant.id, { role: 'manager' })))
    const agentId = await addAgent(server, tenant.id, { environmentId: tenant.development })
    await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        if (n % 2 === 0) return addPendingCall({ edge, agentId })
        return tenant.owner.api.put(`/agents/${agentId}`, { owner_user_id: people[(n >> 1) % 2]?.id })
      }),
    )
    const { rows } = await server.owner.query(
      `select r.agent_owner_user_id, a.owner_user_id from approvals r join agents a on a.tenant_id = r.tenant_id and a.id = r.agent_id
       where r.tenant_id = $1`,
      [tenant.id],
    )
    expect(rows).toHaveLength(10)
    for (const row of rows) expect(row.agent_owner_user_id).toBe(row.owner_user_id)
  })
})
