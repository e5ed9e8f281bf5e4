import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  addAgent,
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  grantAgent,
  type TestTenant,
} from '../../testing/arrange.ts'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant

type Caller = { api: TestTenant['owner']['api'] }
const list = (by: Caller, userId: string) => by.api.get(`/users/${userId}/grants`)
const give = (by: Caller, userId: string, agentId: unknown, type: unknown = 'agent') =>
  by.api.post(`/users/${userId}/grants`, { resource_type: type, resource_id: agentId })
const take = (by: Caller, userId: string, grantId: string) => by.api.delete(`/users/${userId}/grants/${grantId}`)
const agentsOf = (answer: { body: { grants: { resource_id: string }[] } }) =>
  answer.body.grants.map(({ resource_id }) => resource_id)

/** Creates a tenant with two agents. A scoped manager sees the first one. */
async function arrange() {
  tenant = await createTenant(server)
  const [seen, unseen] = await Promise.all([
    addAgent(server, tenant.id, { environmentId: tenant.development }),
    addAgent(server, tenant.id, { environmentId: tenant.production }),
  ])
  const [scoped, manager, member] = await Promise.all([
    addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' }),
    addPerson(server, tenant.id, { role: 'manager' }),
    addPerson(server, tenant.id, { accessScope: 'scoped', displayName: 'Mia Member' }),
  ])
  await grantAgent(server, tenant.id, scoped.id, seen)
  const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
  return { seen, unseen, scoped, manager, member, bound }
}

describe('GET /users/{user_id}/grants', () => {
  it('200 for an owner, a manager and the user themselves; 403 for others, also if the user is unknown', async () => {
    const { seen, manager, member } = await arrange()
    const another = await addPerson(server, tenant.id)
    await grantAgent(server, tenant.id, member.id, seen)
    for (const by of [tenant.owner, manager, member, await addKey(server, tenant.id, member)]) {
      const answer = await list(by, member.id)
      expect(answer.status).toBe(200)
      expect(answer.body.grants).toEqual([
        { id: expect.any(String), resource_type: 'agent', resource_id: seen, created_at: expect.any(String) },
      ])
    }
    expect((await list(another, member.id)).status).toBe(403)
    expect((await list(another, randomUUID())).status).toBe(403)
  })

  it('404 for an unknown user and a user of another tenant; 400 for a malformed id', async () => {
    const { manager } = await arrange()
    const other = await createTenant(server)
    for (const id of [randomUUID(), other.owner.id]) expect((await list(manager, id)).status).toBe(404)
    expect((await list(manager, 'nonsense')).status).toBe(400)
  })

  it('a scoped caller sees only grants on agents they can see; a bound key only those of its environment', async () => {
    const { seen, unseen, scoped, member, bound } = await arrange()
    for (const agent of [seen, unseen]) await grantAgent(server, tenant.id, member.id, agent)
    expect(agentsOf(await list(scoped, member.id))).toEqual([seen])
    expect(agentsOf(await list(bound, member.id))).toEqual([seen])
    expect(agentsOf(await list(member, member.id)).sort()).toEqual([seen, unseen].sort())
    const elsewhere = await addKey(server, tenant.id, scoped, { environmentId: tenant.production })
    expect(agentsOf(await list(elsewhere, member.id))).toEqual([])
  })
})

describe('POST /users/{user_id}/grants', () => {
  it('201 for a new grant, which shows the user the agent, audited with the agent', async () => {
    const { seen, manager, member } = await arrange()
    const answer = await give(manager, member.id, seen)
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      id: expect.any(String),
      resource_type: 'agent',
      resource_id: seen,
      created_at: expect.any(String),
    })
    expect(agentsOf(await list(member, member.id))).toEqual([seen])
    expect(await auditEntries(server, tenant.id)).toMatchObject([
      { event_type: 'user.grant_created', resource_id: member.id, resource_name: 'Mia Member', agent_id: seen },
    ])
  })

  it('200 with the existing grant if it is repeated; nothing is written or audited', async () => {
    const { seen, member } = await arrange()
    const first = await give(tenant.owner, member.id, seen)
    const again = await give(tenant.owner, member.id, seen)
    expect(again.status).toBe(200)
    expect(again.body).toEqual(first.body)
    expect(await auditEntries(server, tenant.id)).toHaveLength(1)
  })

  it('many concurrent requests make one grant: 201 once, 200 for the others', async () => {
    for (let round = 0; round < 4; round++) {
      const { seen, member } = await arrange()
      const answers = await Promise.all(Array.from({ length: 8 }, () => give(tenant.owner, member.id, seen)))
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201])
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
      expect(await auditEntries(server, tenant.id)).toHaveLength(1)
    }
  })

  it('403 for callers below manager, also for themselves, whatever the body', async () => {
    const { seen, member } = await arrange()
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    for (const by of [member, viewer]) {
      expect((await give(by, member.id, seen)).status).toBe(403)
      expect((await give(by, member.id, 'nonsense')).status).toBe(403)
      expect((await give(by, randomUUID(), seen)).status).toBe(403)
    }
  })

  it('404 for a user or an agent of another tenant; the 404 for an unknown user comes before the body’s 400', async () => {
    const { seen, member } = await arrange()
    const other = await createTenant(server)
    const foreign = await addAgent(server, other.id)
    expect((await give(tenant.owner, other.owner.id, seen)).status).toBe(404)
    expect((await give(tenant.owner, other.owner.id, 'nonsense')).status).toBe(404)
    for (const agent of [foreign, randomUUID()]) expect((await give(tenant.owner, member.id, agent)).status).toBe(404)
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it('a scoped caller grants only agents they can see, a bound key only its environment’s; any other agent is 404', async () => {
    const { seen, unseen, scoped, member, bound } = await arrange()
    for (const by of [scoped, bound]) {
      expect((await give(by, member.id, unseen)).status).toBe(404)
      expect((await give(by, member.id, seen)).status).toBeLessThan(300)
    }
    expect((await give(scoped, scoped.id, unseen)).status).toBe(404)
    expect(agentsOf(await list(tenant.owner, member.id))).toEqual([seen])
  })

  it('a manager may grant to all users, also to an owner; an environment-bound key not to an owner (403)', async () => {
    const { seen, manager, bound } = await arrange()
    const refused = await give(bound, tenant.owner.id, seen)
    expect(refused).toMatchObject({
      status: 403,
      body: { error: 'an API key bound to an environment cannot take an action reserved for owners' },
    })
    expect((await give(bound, tenant.owner.id, 'nonsense')).status).toBe(403)
    expect((await give(manager, tenant.owner.id, seen)).status).toBe(201)
  })

  it('400 for a resource type other than agent, an id that is not a UUID, and a missing field', async () => {
    const { seen, member } = await arrange()
    expect((await give(tenant.owner, member.id, seen, 'policy')).status).toBe(400)
    expect((await give(tenant.owner, member.id, 'nonsense')).status).toBe(400)
    expect((await give(tenant.owner, member.id, undefined)).status).toBe(400)
    expect((await tenant.owner.api.post(`/users/${member.id}/grants`, { resource_id: seen })).status).toBe(400)
  })
})

describe('DELETE /users/{user_id}/grants/{grant_id}', () => {
  it('204 revokes the grant, audited; a second call is 404', async () => {
    const { seen, manager, member } = await arrange()
    const { body } = await give(tenant.owner, member.id, seen)
    expect((await take(manager, member.id, body.id)).status).toBe(204)
    expect((await list(manager, member.id)).body).toEqual({ grants: [] })
    expect((await auditEntries(server, tenant.id)).at(-1)).toMatchObject({
      event_type: 'user.grant_revoked',
      resource_id: member.id,
      agent_id: seen,
    })
    expect((await take(manager, member.id, body.id)).status).toBe(404)
  })

  it('403 for callers below manager, also for the user themselves', async () => {
    const { seen, member } = await arrange()
    const { body } = await give(tenant.owner, member.id, seen)
    expect((await take(member, member.id, body.id)).status).toBe(403)
    expect(agentsOf(await list(member, member.id))).toEqual([seen])
  })

  it('404 for a grant of another user or another tenant, and for an unknown id', async () => {
    const { seen, manager, member } = await arrange()
    const { body } = await give(tenant.owner, member.id, seen)
    expect((await take(tenant.owner, manager.id, body.id)).status).toBe(404)
    expect((await take(tenant.owner, member.id, randomUUID())).status).toBe(404)
    const other = await createTenant(server)
    expect((await take(other.owner, member.id, body.id)).status).toBe(404)
    expect(agentsOf(await list(member, member.id))).toEqual([seen])
  })

  it('404 for a scoped caller or a bound key if they cannot see the agent', async () => {
    const { unseen, scoped, member, bound } = await arrange()
    const { body } = await give(tenant.owner, member.id, unseen)
    for (const by of [scoped, bound]) expect((await take(by, member.id, body.id)).status).toBe(404)
    expect(agentsOf(await list(member, member.id))).toEqual([unseen])
  })

  it('403 for an environment-bound key if the user is an owner', async () => {
    const { seen, bound } = await arrange()
    const { body } = await give(tenant.owner, tenant.owner.id, seen)
    expect((await take(bound, tenant.owner.id, body.id)).status).toBe(403)
  })

  it('many concurrent revocations revoke it once', async () => {
    for (let round = 0; round < 4; round++) {
      const { seen, member } = await arrange()
      const { body } = await give(tenant.owner, member.id, seen)
      const answers = await Promise.all(Array.from({ length: 6 }, () => take(tenant.owner, member.id, body.id)))
      expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(5).fill(404)])
      expect(await auditEntries(server, tenant.id)).toHaveLength(2)
    }
  })
})
