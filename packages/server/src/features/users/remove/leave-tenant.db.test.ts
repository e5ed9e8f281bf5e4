import { beforeEach, describe, expect, it } from 'vitest'
import { addAgent, addKey, addPerson, auditEntries, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer({ faults: true })
let tenant: TestTenant

beforeEach(async () => {
  tenant = await createTenant(server)
})

async function count(table: string, where: string, ...values: unknown[]): Promise<number> {
  const { rows } = await server.owner.query(`select count(*)::int as count from ${table} where ${where}`, values)
  return rows[0].count
}

describe('DELETE /users/me', () => {
  it.each(['viewer', 'member', 'manager', 'owner'] as const)(
    '204: a(n) %s leaves, and their account and keys stop working',
    async (role) => {
      const person = await addPerson(server, tenant.id, { role, accessScope: 'scoped' })
      const key = await addKey(server, tenant.id, person)
      const { status, body } = await person.api.delete('/users/me')
      expect([status, body]).toEqual([204, undefined])
      expect((await person.api.get('/users')).status).toBe(401)
      expect((await key.api.get('/users')).status).toBe(401)
      expect(await count('identity.accounts', 'id = $1', person.accountId)).toBe(0)
      expect((await tenant.owner.api.get(`/users/${person.id}`)).status).toBe(404)
      expect(await auditEntries(server, tenant.id)).toMatchObject([
        { event_type: 'api_key.revoked', actor_user_id: person.id, resource_id: key.id },
        { event_type: 'user.removed', actor_user_id: person.id, resource_id: person.id },
      ])
    },
  )

  it('204 a learner may leave too', async () => {
    const learner = await addPerson(server, tenant.id, { role: 'viewer', academyOnly: true })
    expect((await learner.api.delete('/users/me')).status).toBe(204)
  })

  it('409 for the last owner of a tenant with other users; a pending invitation or a learner counts', async () => {
    for (const other of [{ status: 'pending' }, { role: 'viewer', academyOnly: true }, { role: 'manager' }] as const) {
      const { id, owner } = await createTenant(server)
      await addPerson(server, id, other)
      expect((await owner.api.delete('/users/me')).status).toBe(409)
      expect((await owner.api.get('/users')).body.total).toBe(2)
      expect(await auditEntries(server, id)).toEqual([])
    }
  })

  it('409: a pending owner invitation does not count as an owner', async () => {
    await addPerson(server, tenant.id, { role: 'owner', status: 'pending' })
    expect((await tenant.owner.api.delete('/users/me')).status).toBe(409)
  })

  it('204: the tenant is deleted with its only user', async () => {
    await addAgent(server, tenant.id, { environmentId: tenant.development, ownerUserId: tenant.owner.id })
    await addKey(server, tenant.id, tenant.owner)
    expect((await tenant.owner.api.delete('/users/me')).status).toBe(204)
    expect(await count('tenants', 'id = $1', tenant.id)).toBe(0)
    expect(await count('identity.accounts', 'id = $1', tenant.owner.accountId)).toBe(0)
    expect(await count('credential_lookup', 'tenant_id = $1', tenant.id)).toBe(0)
    expect((await tenant.owner.api.get('/users')).status).toBe(401)
  })

  it('403: an API key cannot make its user leave', async () => {
    const person = await addPerson(server, tenant.id)
    for (const environmentId of [null, tenant.development]) {
      const key = await addKey(server, tenant.id, person, { environmentId })
      expect((await key.api.delete('/users/me')).status).toBe(403)
    }
    expect((await person.api.get('/users')).status).toBe(200)
  })

  it('409 if the sign-in account cannot be deleted: nothing is removed, and a retry is possible', async () => {
    const person = await addPerson(server, tenant.id)
    const fault = [tenant.id, 'identity.delete_account']
    await server.owner.query('insert into faults (tenant_id, name) values ($1, $2)', fault)
    expect((await person.api.delete('/users/me')).status).toBe(409)
    expect((await person.api.get('/users')).body.total).toBe(2)
    expect(await auditEntries(server, tenant.id)).toEqual([])
    await server.owner.query('delete from faults where tenant_id = $1 and name = $2', fault)
    expect((await person.api.delete('/users/me')).status).toBe(204)
  })
})
