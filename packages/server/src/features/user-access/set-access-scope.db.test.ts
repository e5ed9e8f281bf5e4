import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  addAgent,
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  giveEnvironment,
  grantAgent,
  type TestTenant,
} from '../../testing/arrange.ts'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()

const set = (by: { api: TestTenant['owner']['api'] }, userId: string, scope: unknown) =>
  by.api.put(`/users/${userId}/access-scope`, { access_scope: scope })
const storedScope = async (userId: string) =>
  (await server.owner.query('select access_scope from users where id = $1', [userId])).rows[0].access_scope

describe('PUT /users/{user_id}/access-scope', () => {
  it('200 for an owner or a manager, audited with the old and the new scope', async () => {
    const tenant = await createTenant(server)
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const member = await addPerson(server, tenant.id)
    expect(await set(tenant.owner, member.id, 'scoped')).toMatchObject({
      status: 200,
      body: { access_scope: 'scoped' },
    })
    expect(await set(manager, member.id, 'all')).toMatchObject({ status: 200, body: { access_scope: 'all' } })
    const entries = await auditEntries(server, tenant.id)
    expect(
      entries.map(({ event_type, details }) => [event_type, details.old_access_scope, details.new_access_scope]),
    ).toEqual([
      ['user.access_scope_changed', 'all', 'scoped'],
      ['user.access_scope_changed', 'scoped', 'all'],
    ])
  })

  it('setting the current scope again writes nothing', async () => {
    const tenant = await createTenant(server)
    const [one, two] = await Promise.all([
      addPerson(server, tenant.id),
      addPerson(server, tenant.id, { accessScope: 'scoped' }),
    ])
    expect((await set(tenant.owner, one.id, 'all')).status).toBe(200)
    expect((await set(tenant.owner, two.id, 'scoped')).status).toBe(200)
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it('403 for callers below manager, also for themselves, whatever the body', async () => {
    const tenant = await createTenant(server)
    for (const role of ['member', 'viewer'] as const) {
      const person = await addPerson(server, tenant.id, { role, accessScope: 'scoped' })
      for (const scope of ['all', 'scoped', 'nonsense']) expect((await set(person, person.id, scope)).status).toBe(403)
      expect(await storedScope(person.id)).toBe('scoped')
    }
  })

  it('403 for a manager or an environment-bound key, even an owner’s, if the user is an owner or a pending owner', async () => {
    const tenant = await createTenant(server)
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const pending = await addPerson(server, tenant.id, { role: 'owner', status: 'pending' })
    for (const by of [manager, bound]) {
      for (const { id } of [tenant.owner, pending]) {
        expect((await set(by, id, 'scoped')).status).toBe(403)
        expect((await set(by, id, 'nonsense')).status).toBe(403)
      }
    }
    expect(await storedScope(tenant.owner.id)).toBe('all')
  })

  it('an owner always has access to all: 200, the field stays all and nothing is written', async () => {
    const tenant = await createTenant(server)
    const second = await addPerson(server, tenant.id, { role: 'owner' })
    for (const { id } of [tenant.owner, second]) {
      expect(await set(tenant.owner, id, 'scoped')).toMatchObject({ status: 200, body: { access_scope: 'all' } })
      expect(await storedScope(id)).toBe('all')
    }
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it('403 for a scoped caller who sets all, also for themselves; they may set scoped', async () => {
    const tenant = await createTenant(server)
    const caller = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
    const key = await addKey(server, tenant.id, caller)
    const member = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    for (const by of [caller, key]) {
      for (const { id } of [caller, member]) expect((await set(by, id, 'all')).status).toBe(403)
    }
    expect([await storedScope(caller.id), await storedScope(member.id)]).toEqual(['scoped', 'scoped'])
    const wide = await addPerson(server, tenant.id)
    expect((await set(caller, wide.id, 'scoped')).status).toBe(200)
  })

  it('403 for an environment-bound key that sets all, because it gives no more than its environment', async () => {
    const tenant = await createTenant(server)
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const member = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    expect((await set(bound, member.id, 'all')).status).toBe(403)
    expect(await storedScope(member.id)).toBe('scoped')
  })

  it('setting all removes the user’s agent grants and keeps their environment access; other users do not change', async () => {
    const tenant = await createTenant(server)
    const [one, two] = await Promise.all([
      addPerson(server, tenant.id, { accessScope: 'scoped' }),
      addPerson(server, tenant.id, { accessScope: 'scoped' }),
    ])
    const agent = await addAgent(server, tenant.id, { environmentId: tenant.production })
    for (const { id } of [one, two]) {
      await grantAgent(server, tenant.id, id, agent)
      await giveEnvironment(server, tenant.id, id, tenant.production)
    }
    await set(tenant.owner, one.id, 'all')
    const { rows } = await server.owner.query('select user_id from agent_grants where tenant_id = $1', [tenant.id])
    expect(rows).toEqual([{ user_id: two.id }])
    const access = await server.owner.query('select user_id from environment_access where tenant_id = $1', [tenant.id])
    expect(access.rows).toHaveLength(2)
    expect((await auditEntries(server, tenant.id))[0].details).toMatchObject({ grants_removed: 1 })
  })

  it('setting all removes grants even if all was already set, and that is audited', async () => {
    const tenant = await createTenant(server)
    const member = await addPerson(server, tenant.id)
    await grantAgent(server, tenant.id, member.id, await addAgent(server, tenant.id))
    expect((await set(tenant.owner, member.id, 'all')).status).toBe(200)
    expect((await tenant.owner.api.get(`/users/${member.id}/grants`)).body).toEqual({ grants: [] })
    expect(await auditEntries(server, tenant.id)).toHaveLength(1)
  })

  it('applies from the user’s next request, and to their keys at once', async () => {
    const tenant = await createTenant(server)
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const key = await addKey(server, tenant.id, manager)
    const member = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    const agent = await addAgent(server, tenant.id)
    await grantAgent(server, tenant.id, member.id, agent)
    const seen = async () => (await key.api.get(`/users/${member.id}/grants`)).body.grants.length
    expect(await seen()).toBe(1)
    await set(tenant.owner, manager.id, 'scoped')
    expect(await seen()).toBe(0)
    await set(tenant.owner, manager.id, 'all')
    expect(await seen()).toBe(1)
  })

  it('404 for an unknown user, before the body’s 400; 400 for a malformed id and an unknown value', async () => {
    const [tenant, other] = await Promise.all([createTenant(server), createTenant(server)])
    for (const id of [randomUUID(), other.owner.id]) {
      expect((await set(tenant.owner, id, 'scoped')).status).toBe(404)
      expect((await set(tenant.owner, id, 'nonsense')).status).toBe(404)
    }
    const member = await addPerson(server, tenant.id)
    expect((await set(tenant.owner, 'nonsense', 'all')).status).toBe(400)
    for (const scope of ['some', null, true]) expect((await set(tenant.owner, member.id, scope)).status).toBe(400)
    expect((await tenant.owner.api.put(`/users/${member.id}/access-scope`, {})).status).toBe(400)
  })
})
