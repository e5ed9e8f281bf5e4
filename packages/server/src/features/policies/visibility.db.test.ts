import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiClient } from '../../testing/api-client.ts'
import {
  addAgent,
  addKey,
  addPerson,
  createTenant,
  giveEnvironment,
  grantAgent,
  type TestPerson,
  type TestTenant,
} from '../../testing/arrange.ts'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant
/** Policies of all environments, of production and of development. */
let everywhere: string
let production: string
let development: string
let scoped: TestPerson

beforeEach(async () => {
  tenant = await createTenant(server)
  const create = async (name: string, environment_id: string | null) =>
    (await tenant.owner.api.post('/policies', { name, environment_id })).body.id
  everywhere = await create('E', null)
  production = await create('P', tenant.production)
  development = await create('D', tenant.development)
  scoped = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
})

/** Returns the listed policies, and expects single reads and version lists to agree with the list. */
async function seen(api: ApiClient): Promise<string[]> {
  const { data, total } = (await api.get('/policies')).body
  const ids: string[] = data.map(({ id }: { id: string }) => id)
  expect(total).toBe(ids.length)
  for (const id of [everywhere, production, development]) {
    const expected = ids.includes(id) ? 200 : 404
    expect((await api.get(`/policies/${id}`)).status).toBe(expected)
    expect((await api.get(`/policies/${id}/versions`)).status).toBe(expected)
    expect((await api.get(`/policies/${id}/versions/1`)).status).toBe(expected)
    expect((await api.post(`/policies/${id}/simulate`, { calls: [{ tool: 'fn:a/b' }] })).status).toBe(expected)
  }
  return ids.reverse()
}

describe('a scoped user', () => {
  it('sees the policies of all environments, and those of environments they have access to', async () => {
    expect(await seen(scoped.api)).toEqual([everywhere])
    await giveEnvironment(server, tenant.id, scoped.id, tenant.production)
    expect(await seen(scoped.api)).toEqual([everywhere, production])
  })

  it('sees the policy of an agent granted to them; saving it is 403 without access to its environment', async () => {
    const agent = await addAgent(server, tenant.id, { environmentId: tenant.development, policyId: development })
    await addAgent(server, tenant.id, { environmentId: tenant.production, policyId: production })
    await grantAgent(server, tenant.id, scoped.id, agent)
    expect(await seen(scoped.api)).toEqual([everywhere, development])
    expect((await scoped.api.put(`/policies/${development}`, { name: 'X' })).status).toBe(403)
    expect((await scoped.api.put(`/policies/${development}`, { name: 5 })).status).toBe(403)
  })

  it('saves, restores and deletes with access; a policy of all environments is 403, an invisible one 404', async () => {
    await giveEnvironment(server, tenant.id, scoped.id, tenant.production)
    const rule = { priority: 1, effect: 'deny', match: { tools: ['*'] } }
    const tried = async (id: string) => [
      (await scoped.api.put(`/policies/${id}`, { name: 'X' })).status,
      (await scoped.api.post(`/policies/${id}/rules`, rule)).status,
      (await scoped.api.post(`/policies/${id}/rules`, {})).status,
      (await scoped.api.post(`/policies/${id}/versions/1/restore`)).status,
      (await scoped.api.delete(`/policies/${id}`)).status,
    ]
    expect(await tried(everywhere)).toEqual([403, 403, 403, 403, 403])
    expect(await tried(development)).toEqual([404, 404, 404, 404, 404])
    expect(await tried(production)).toEqual([200, 201, 400, 200, 204])
  })

  it('creates policies only in environments they have access to: 403 for all environments, 400 for any other, known or unknown', async () => {
    await giveEnvironment(server, tenant.id, scoped.id, tenant.production)
    const create = (body: object) => scoped.api.post('/policies', { name: 'New', ...body })
    expect((await create({})).status).toBe(403)
    expect((await create({ environment_id: null })).status).toBe(403)
    expect((await create({ environment_id: tenant.development })).status).toBe(400)
    expect((await create({ environment_id: tenant.production })).status).toBe(201)
  })

  it('cannot move a policy, or restore a version, to all environments or to an environment without access', async () => {
    await giveEnvironment(server, tenant.id, scoped.id, tenant.production)
    const at = `/policies/${production}`
    expect((await scoped.api.put(at, { environment_id: null })).status).toBe(403)
    expect((await scoped.api.put(at, { environment_id: tenant.development })).status).toBe(400)
    await tenant.owner.api.put(`/policies/${development}`, { environment_id: tenant.production })
    await tenant.owner.api.put(`/policies/${everywhere}`, { environment_id: tenant.production })
    expect((await scoped.api.post(`/policies/${development}/versions/1/restore`)).status).toBe(400)
    expect((await scoped.api.post(`/policies/${everywhere}/versions/1/restore`)).status).toBe(403)
  })
})

describe('an environment-bound key, even an owner’s', () => {
  it('lists and reads only its environment’s policies; other policies, and those of all environments, are 404', async () => {
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    expect(await seen(key.api)).toEqual([production])
    for (const id of [everywhere, development]) {
      expect((await key.api.put(`/policies/${id}`, { name: 'X' })).status).toBe(404)
      expect((await key.api.delete(`/policies/${id}`)).status).toBe(404)
      expect((await key.api.post(`/policies/${id}/versions/1/restore`)).status).toBe(404)
    }
    expect((await key.api.put(`/policies/${production}`, { name: 'X' })).status).toBe(200)
    expect((await key.api.post(`/policies/${production}/versions/1/restore`)).status).toBe(200)
  })

  it('creates a policy in its environment if none is sent; another environment, or all, is 403, before the 400 of a malformed body', async () => {
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    const placed = await key.api.post('/policies', { name: 'New' })
    expect(placed).toMatchObject({ status: 201, body: { environment_id: tenant.production } })
    for (const environment_id of [tenant.development, null]) {
      for (const name of ['P', 5]) expect((await key.api.post('/policies', { name, environment_id })).status).toBe(403)
    }
    expect((await key.api.post('/policies', { name: 5 })).status).toBe(400)
  })

  it('moves no policy out of its environment, by an update or by a restore', async () => {
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    for (const environment_id of [tenant.development, null]) {
      expect((await key.api.put(`/policies/${production}`, { environment_id })).status).toBe(403)
    }
    await tenant.owner.api.put(`/policies/${development}`, { environment_id: tenant.production })
    expect((await key.api.post(`/policies/${development}/versions/1/restore`)).status).toBe(403)
    expect((await key.api.get(`/policies/${development}`)).body).toMatchObject({ environment_id: tenant.production })
  })

  it('sees no more than its scoped creator', async () => {
    const key = await addKey(server, tenant.id, scoped, { environmentId: tenant.production })
    expect(await seen(key.api)).toEqual([])
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    expect(await seen(key.api)).toEqual([])
    await giveEnvironment(server, tenant.id, scoped.id, tenant.production)
    expect(await seen(key.api)).toEqual([production])
  })
})

describe('key scopes', () => {
  it('403 for a read-only key on every write, simulate and validate included, whatever the role', async () => {
    const key = await addKey(server, tenant.id, tenant.owner, { scopes: ['policies:read'] })
    expect((await key.api.get('/policies')).status).toBe(200)
    for (const path of ['/policies', '/policies/validate', `/policies/${production}/versions/1/restore`]) {
      expect((await key.api.post(path, {})).body).toEqual({
        error: 'API key scope does not permit this operation',
        code: 403,
      })
    }
  })
})
