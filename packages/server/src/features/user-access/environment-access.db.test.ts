import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  addAgent,
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  giveEnvironment,
  type TestTenant,
} from '../../testing/arrange.ts'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant

type Caller = { api: TestTenant['owner']['api'] }
const list = (by: Caller, userId: string) => by.api.get(`/users/${userId}/environment-access`)
const give = (by: Caller, userId: string, environmentId: unknown) =>
  by.api.post(`/users/${userId}/environment-access`, { environment_id: environmentId })
const take = (by: Caller, userId: string, accessId: string) =>
  by.api.delete(`/users/${userId}/environment-access/${accessId}`)
const environmentsOf = (answer: { body: { environment_access: { environment_id: string }[] } }) =>
  answer.body.environment_access.map(({ environment_id }) => environment_id)

/** Creates a tenant with a scoped manager and a bound key that both have access to its development environment only. */
async function arrange() {
  tenant = await createTenant(server)
  const [scoped, manager, member] = await Promise.all([
    addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' }),
    addPerson(server, tenant.id, { role: 'manager' }),
    addPerson(server, tenant.id, { accessScope: 'scoped' }),
  ])
  await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
  const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
  return { scoped, manager, member, bound }
}

describe('GET /users/{user_id}/environment-access', () => {
  it('200 for an owner, a manager and the user themselves, with the environment’s name and slug; 403 for others', async () => {
    const { manager, member } = await arrange()
    await giveEnvironment(server, tenant.id, member.id, tenant.production)
    for (const by of [tenant.owner, manager, member]) {
      const answer = await list(by, member.id)
      expect(answer.status).toBe(200)
      expect(answer.body.environment_access).toEqual([
        {
          id: expect.any(String),
          environment_id: tenant.production,
          environment_name: 'Production',
          environment_slug: 'production',
          created_at: expect.any(String),
        },
      ])
      expect(answer.body.environment_access[0].id).not.toBe(tenant.production)
    }
    const another = await addPerson(server, tenant.id)
    expect((await list(another, member.id)).status).toBe(403)
    expect((await list(another, randomUUID())).status).toBe(403)
  })

  it('404 for an unknown user and a user of another tenant; 400 for a malformed id', async () => {
    const { manager } = await arrange()
    const other = await createTenant(server)
    for (const id of [randomUUID(), other.owner.id]) expect((await list(manager, id)).status).toBe(404)
    expect((await list(manager, 'nonsense')).status).toBe(400)
  })

  it('a scoped caller sees only entries for environments they have access to; a bound key only its own', async () => {
    const { scoped, member, bound } = await arrange()
    for (const id of [tenant.development, tenant.production]) await giveEnvironment(server, tenant.id, member.id, id)
    expect(environmentsOf(await list(scoped, member.id))).toEqual([tenant.development])
    expect(environmentsOf(await list(bound, member.id))).toEqual([tenant.development])
    expect(environmentsOf(await list(member, member.id))).toHaveLength(2)
  })
})

describe('POST /users/{user_id}/environment-access', () => {
  it('201 for a new entry, audited with the environment; a repeated request is 200 with the entry and writes nothing', async () => {
    const { manager, member } = await arrange()
    const first = await give(manager, member.id, tenant.production)
    expect(first.status).toBe(201)
    expect(first.body).toEqual({
      id: expect.any(String),
      environment_id: tenant.production,
      environment_name: 'Production',
      environment_slug: 'production',
      created_at: expect.any(String),
    })
    const again = await give(manager, member.id, tenant.production)
    expect(again).toMatchObject({ status: 200, body: first.body })
    expect(await auditEntries(server, tenant.id)).toMatchObject([
      {
        event_type: 'user.environment_access_created',
        resource_id: member.id,
        environment_id: tenant.production,
      },
    ])
  })

  it('many concurrent requests make one entry: 201 once, 200 for the others', async () => {
    const { member } = await arrange()
    const answers = await Promise.all(Array.from({ length: 8 }, () => give(tenant.owner, member.id, tenant.production)))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201])
    expect(await auditEntries(server, tenant.id)).toHaveLength(1)
  })

  it('403 for callers below manager, also for their own access, whatever the body', async () => {
    const { member } = await arrange()
    for (const body of [tenant.production, 'nonsense']) {
      expect((await give(member, member.id, body)).status).toBe(403)
      expect((await give(member, randomUUID(), body)).status).toBe(403)
    }
  })

  it('404 for a user or an environment of another tenant; the 404 for an unknown user comes before the body’s 400', async () => {
    const { member } = await arrange()
    const other = await createTenant(server)
    expect((await give(tenant.owner, other.owner.id, tenant.production)).status).toBe(404)
    expect((await give(tenant.owner, other.owner.id, 'nonsense')).status).toBe(404)
    for (const id of [other.production, randomUUID()])
      expect((await give(tenant.owner, member.id, id)).status).toBe(404)
  })

  it('a scoped caller gives access only to environments they have access to, a bound key only to its own; any other is 404', async () => {
    const { scoped, member, bound } = await arrange()
    for (const by of [scoped, bound]) {
      expect((await give(by, member.id, tenant.production)).status).toBe(404)
      expect((await give(by, member.id, tenant.development)).status).toBeLessThan(300)
    }
    expect((await give(scoped, scoped.id, tenant.production)).status).toBe(404)
    expect(environmentsOf(await list(tenant.owner, member.id))).toEqual([tenant.development])
  })

  it('403 for an environment-bound key if the user is an owner; a manager may', async () => {
    const { manager, bound } = await arrange()
    expect((await give(bound, tenant.owner.id, tenant.development)).status).toBe(403)
    expect((await give(manager, tenant.owner.id, tenant.development)).status).toBe(201)
  })

  it('400 for an id that is missing or not a UUID', async () => {
    const { member } = await arrange()
    for (const id of ['nonsense', null, undefined]) expect((await give(tenant.owner, member.id, id)).status).toBe(400)
  })

  it('environment access shows the user no agent; agents need grants', async () => {
    const { scoped, member } = await arrange()
    const agent = await addAgent(server, tenant.id, { environmentId: tenant.development })
    expect((await give(tenant.owner, scoped.id, tenant.development)).status).toBe(200)
    const grant = { resource_type: 'agent', resource_id: agent }
    // A scoped manager may only grant agents that they see. They see this agent only after it is granted to them.
    expect((await scoped.api.post(`/users/${member.id}/grants`, grant)).status).toBe(404)
    expect((await tenant.owner.api.post(`/users/${scoped.id}/grants`, grant)).status).toBe(201)
    expect((await scoped.api.post(`/users/${member.id}/grants`, grant)).status).toBe(201)
  })
})

describe('DELETE /users/{user_id}/environment-access/{access_id}', () => {
  it('204 by the entry’s id, not the environment’s, audited; a second call is 404', async () => {
    const { manager, member } = await arrange()
    const { body } = await give(tenant.owner, member.id, tenant.production)
    expect((await take(manager, member.id, tenant.production)).status).toBe(404)
    expect((await take(manager, member.id, body.id)).status).toBe(204)
    expect(environmentsOf(await list(member, member.id))).toEqual([])
    expect((await auditEntries(server, tenant.id)).at(-1)).toMatchObject({
      event_type: 'user.environment_access_revoked',
      resource_id: member.id,
      environment_id: tenant.production,
    })
    expect((await take(manager, member.id, body.id)).status).toBe(404)
  })

  it('403 for callers below manager, and for a bound key if the user is an owner', async () => {
    const { member, bound } = await arrange()
    const { body } = await give(tenant.owner, member.id, tenant.development)
    expect((await take(member, member.id, body.id)).status).toBe(403)
    const { body: owners } = await give(tenant.owner, tenant.owner.id, tenant.development)
    expect((await take(bound, tenant.owner.id, owners.id)).status).toBe(403)
  })

  it('404 for an entry of another user, and for a scoped caller or a bound key if they cannot see the environment', async () => {
    const { scoped, manager, member, bound } = await arrange()
    const { body } = await give(tenant.owner, member.id, tenant.production)
    expect((await take(tenant.owner, manager.id, body.id)).status).toBe(404)
    expect((await take(scoped, member.id, body.id)).status).toBe(404)
    expect((await take(bound, member.id, body.id)).status).toBe(404)
    const other = await createTenant(server)
    expect((await take(other.owner, member.id, body.id)).status).toBe(404)
    expect(environmentsOf(await list(member, member.id))).toEqual([tenant.production])
  })
})
