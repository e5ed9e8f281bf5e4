import { describe, expect, it } from 'vitest'
import { newId } from '../../db/ids/new-id.ts'
import { addKey, addPerson, createTenant, type TestTenant } from '../../testing/arrange.ts'
import { useOwnServer } from '../../testing/use-test-server.ts'

const server = useOwnServer()

/** Returns API clients for every kind of user of a tenant: signed in as the person, and through API keys. */
async function everyone({ id, owner, development }: TestTenant) {
  const people = await Promise.all([
    addPerson(server, id, { role: 'viewer' }),
    addPerson(server, id, { role: 'member' }),
    addPerson(server, id, { role: 'manager' }),
    addPerson(server, id, { role: 'member', accessScope: 'scoped' }),
  ])
  const keys = await Promise.all([
    addKey(server, id, owner),
    addKey(server, id, owner, { environmentId: development }),
    addKey(server, id, owner, { scopes: ['tenants:read'] }),
  ])
  return [owner, ...people, ...keys].map(({ api }) => api)
}

describe('reading the tenant', () => {
  it('200 for every role, a scoped user and every kind of key of the tenant', async () => {
    const tenant = await createTenant(server)
    for (const api of await everyone(tenant)) {
      const { status, body } = await api.get(`/tenants/${tenant.id}`)
      expect([status, body.id, body.name]).toEqual([200, tenant.id, tenant.name])
      expect((await api.get('/tenants')).body).toEqual({ tenant: body })
    }
  })

  it('403 for another tenant’s id whatever the role, and for an unknown id', async () => {
    const [tenant, other] = await Promise.all([createTenant(server), createTenant(server)])
    for (const api of await everyone(tenant)) {
      for (const id of [other.id, newId()]) expect((await api.get(`/tenants/${id}`)).status).toBe(403)
    }
  })

  it.each(['/tenants', '/tenants/{id}'])('404 on GET %s if the tenant is deleted during the request', async (path) => {
    const tenant = await createTenant(server)
    const client = await server.owner.connect()
    try {
      await client.query('begin')
      await client.query('lock table tenants in access exclusive mode')
      const answer = tenant.owner.api.get(path.replace('{id}', tenant.id))
      await expect
        .poll(async () => {
          const text = `select 1 from pg_stat_activity
            where wait_event_type = 'Lock' and datname = current_database() and query like '%tenants%'`
          return (await server.owner.query(text)).rows.length
        })
        .toBe(1)
      for (const table of ['users', 'environments']) {
        await client.query(`delete from ${table} where tenant_id = $1`, [tenant.id])
      }
      await client.query('delete from tenants where id = $1', [tenant.id])
      await client.query('commit')
      expect((await answer).status).toBe(404)
    } finally {
      client.release()
    }
  })
})
