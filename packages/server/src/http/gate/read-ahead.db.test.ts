import { beforeEach, describe, expect, it } from 'vitest'
import {
  addAgent,
  addKey,
  addPerson,
  createTenant,
  grantAgent,
  type TestPerson,
  type TestTenant,
} from '../../testing/arrange.ts'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant
let member: TestPerson
let agentId: string

beforeEach(async () => {
  tenant = await createTenant(server)
  member = await addPerson(server, tenant.id)
  agentId = await addAgent(server, tenant.id, { environmentId: tenant.production })
})

const setUser = (column: string, value: string) =>
  server.owner.query(`update users set ${column} = $3 where tenant_id = $1 and id = $2`, [tenant.id, member.id, value])
const readsOf = async (api: TestPerson['api']) => ({
  one: (await api.get(`/agents/${agentId}`)).status,
  listed: (await api.get('/agents')).body.data.length,
})

describe('a read sent together with the look-up of its caller', () => {
  it.each(['in person', 'through a key'])(
    'uses the caller’s current rights, after access was narrowed or granted, %s',
    async (how) => {
      const { api } = how === 'in person' ? member : await addKey(server, tenant.id, member)
      for (let n = 0; n < 2; n++) expect(await readsOf(api)).toEqual({ one: 200, listed: 1 })
      await setUser('access_scope', 'scoped')
      for (let n = 0; n < 2; n++) expect(await readsOf(api)).toEqual({ one: 404, listed: 0 })
      await grantAgent(server, tenant.id, member.id, agentId)
      expect(await readsOf(api)).toEqual({ one: 200, listed: 1 })
      await setUser('access_scope', 'all')
      expect(await readsOf(api)).toEqual({ one: 200, listed: 1 })
    },
  )

  it('uses the current environment of the key', async () => {
    const { id, api } = await addKey(server, tenant.id, member)
    expect(await readsOf(api)).toEqual({ one: 200, listed: 1 })
    await server.owner.query('update api_keys set environment_id = $1 where id = $2', [tenant.development, id])
    expect(await readsOf(api)).toEqual({ one: 404, listed: 0 })
    expect((await api.get('/auth/session')).body.via.environment.id).toBe(tenant.development)
  })

  it('is refused with the caller: a revoked key, a narrowed scope, a removed user, a learner', async () => {
    const { id, api } = await addKey(server, tenant.id, member)
    const read = () => api.get(`/agents/${agentId}`)
    expect((await read()).status).toBe(200)
    await server.owner.query(`update api_keys set scopes = '{policies:read}' where id = $1`, [id])
    expect((await read()).status).toBe(403)
    await server.owner.query(`update api_keys set scopes = '{}' where id = $1`, [id])
    expect((await read()).status).toBe(200)
    await server.owner.query('update users set academy_only = true where id = $1', [member.id])
    expect((await read()).body).toMatchObject({ code: 'academy_only_account' })
    await server.owner.query('update users set academy_only = false where id = $1', [member.id])
    expect((await read()).status).toBe(200)
    await server.owner.query('update api_keys set revoked_at = now() where id = $1', [id])
    expect((await read()).status).toBe(401)
    expect((await member.api.get('/auth/session')).status).toBe(200)
    await server.owner.query('delete from users where id = $1', [member.id])
    expect((await member.api.get('/auth/session')).status).toBe(401)
  })

  it('returns the data of its own tenant when two tenants read at the same time', async () => {
    const other = await createTenant(server)
    const theirs = await addAgent(server, other.id, { environmentId: other.production })
    const ask = (person: TestPerson) =>
      Promise.all([person.api.get(`/agents/${agentId}`), person.api.get(`/agents/${theirs}`)])
    for (let n = 0; n < 10; n++) {
      const [ours, others] = await Promise.all([ask(tenant.owner), ask(other.owner)])
      expect([...ours, ...others].map(({ status }) => status)).toEqual([200, 404, 404, 200])
    }
  })

  it('keeps the order of refusals: the key’s scope comes before a malformed id or a bad filter', async () => {
    const { id, api } = await addKey(server, tenant.id, member)
    expect((await api.get(`/agents/${agentId}`)).status).toBe(200)
    expect((await api.get('/agents/nonsense')).status).toBe(400)
    expect((await api.get('/agents?status=nonsense')).status).toBe(400)
    await server.owner.query(`update api_keys set scopes = '{policies:read}' where id = $1`, [id])
    expect((await api.get('/agents/nonsense')).status).toBe(403)
    expect((await api.get('/agents?status=nonsense')).status).toBe(403)
  })
})
