import { randomBytes, randomUUID } from 'node:crypto'
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
} from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer({ faults: true })

const remove = (tenant: TestTenant, confirm: unknown = tenant.name) =>
  tenant.owner.api.delete(`/tenants/${tenant.id}`, { confirm })

/** Returns the tables with rows of a tenant, including the tenant's own row. */
async function tablesWithRowsOf(tenantId: string): Promise<string[]> {
  const { rows } = await server.owner.query(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1`,
  )
  const found: string[] = []
  for (const { name } of [...rows, { name: 'tenants' }]) {
    const column = name === 'tenants' ? 'id' : 'tenant_id'
    const { rowCount } = await server.owner.query(`select 1 from ${name} where ${column} = $1 limit 1`, [tenantId])
    if (rowCount) found.push(name)
  }
  return found
}

async function addSession(accountId: string): Promise<void> {
  const id = randomUUID()
  await server.owner.query('insert into sessions (id, account_id, created_at) values ($1, $2, now())', [id, accountId])
  await server.owner.query(
    'insert into refresh_tokens (token_hash, session_id, issued_at, expires_at) values ($1, $2, now(), now())',
    [randomBytes(32), id],
  )
}

describe('DELETE /tenants/{id}', () => {
  it('204 deletes every row, look-up, session and sign-in account; the audit trail is kept, with a tenant.deleted entry', async () => {
    const tenant = await createTenant(server)
    const bystander = await createTenant(server)
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    const agent = await addAgent(server, tenant.id, { environmentId: tenant.development, ownerUserId: scoped.id })
    await grantAgent(server, tenant.id, scoped.id, agent)
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    await addKey(server, tenant.id, scoped, { environmentId: tenant.development })
    await Promise.all([tenant.owner, scoped, bystander.owner].map(({ accountId }) => addSession(accountId)))
    await tenant.owner.api.post(`/tenants/${tenant.id}/invite`, { email: 'pending@example.com', role: 'member' })
    await tenant.owner.api.put(`/tenants/${tenant.id}`, { saml_provider_id: 'gone-soon' })

    expect((await remove(tenant)).status).toBe(204)

    expect(await tablesWithRowsOf(tenant.id)).toEqual(['audit_entries', 'audit_unsealed'])
    const accounts = [tenant.owner.accountId, scoped.accountId]
    const left = await server.owner.query(
      `select (select count(*)::int from identity.accounts where id::text = any($1)) as accounts,
         (select count(*)::int from sessions where account_id = any($1)) as sessions,
         (select count(*)::int from refresh_tokens) as tokens`,
      [accounts],
    )
    expect(left.rows).toEqual([{ accounts: 0, sessions: 0, tokens: 1 }])
    const last = (await auditEntries(server, tenant.id)).at(-1)
    expect(last).toMatchObject({
      event_type: 'tenant.deleted',
      actor_email: tenant.owner.email,
      resource_name: tenant.name,
    })
    expect((await bystander.owner.api.get('/tenants')).status).toBe(200)
  })

  it('401 at once for every credential of a deleted tenant: users and their keys, bound or not', async () => {
    const tenant = await createTenant(server)
    const member = await addPerson(server, tenant.id)
    const [wide, bound] = await Promise.all([
      addKey(server, tenant.id, member),
      addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production }),
    ])
    const clients = [tenant.owner.api, member.api, wide.api, bound.api]
    // Uses each credential before the deletion, so that the server has the credential in its cache.
    for (const api of clients) expect((await api.get('/tenants')).status).toBe(200)
    expect((await remove(tenant)).status).toBe(204)
    for (const api of clients) expect((await api.get('/tenants')).status).toBe(401)
  })

  it('400 unless confirm is the exact name', async () => {
    const tenant = await createTenant(server)
    for (const confirm of [tenant.name.toUpperCase(), `${tenant.name} `, '', tenant.id, 7, null]) {
      expect((await remove(tenant, confirm)).status).toBe(400)
    }
    expect((await tenant.owner.api.delete(`/tenants/${tenant.id}`)).status).toBe(400)
    expect((await tenant.owner.api.get('/tenants')).status).toBe(200)
  })

  it('403 for callers who are not an owner, for an owner’s bound key and for another tenant’s owner, whatever the body', async () => {
    const [tenant, other] = await Promise.all([createTenant(server), createTenant(server)])
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    for (const { api } of [manager, bound, other.owner]) {
      expect((await api.delete(`/tenants/${tenant.id}`, { confirm: tenant.name })).status).toBe(403)
      expect((await api.delete(`/tenants/${tenant.id}`)).status).toBe(403)
    }
    expect(await auditEntries(server, tenant.id)).toEqual([])
    expect((await tenant.owner.api.get('/tenants')).status).toBe(200)
  })

  it('409 if a sign-in account cannot be deleted: nothing is deleted, and a retry is possible', async () => {
    const tenant = await createTenant(server)
    const member = await addPerson(server, tenant.id)
    const fault = [tenant.id, 'identity.delete_account']
    await server.owner.query('insert into faults (tenant_id, name) values ($1, $2)', fault)
    const refused = await remove(tenant)
    expect(refused.status).toBe(409)
    expect(refused.body.code).toBeUndefined()
    expect((await member.api.get('/tenants')).status).toBe(200)
    expect(await auditEntries(server, tenant.id)).toEqual([])
    await server.owner.query('delete from faults where tenant_id = $1 and name = $2', fault)
    expect((await remove(tenant)).status).toBe(204)
  })

  it('if two owners delete at the same time, one succeeds and the other learns that the tenant was deleted', async () => {
    const tenant = await createTenant(server)
    const second = await addPerson(server, tenant.id, { role: 'owner' })
    const answers = await Promise.all([
      remove(tenant),
      second.api.delete(`/tenants/${tenant.id}`, { confirm: tenant.name }),
    ])
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses[0]).toBe(204)
    expect([401, 404]).toContain(statuses[1])
  })
})
