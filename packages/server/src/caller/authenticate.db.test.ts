import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { digest, newCredential, publicPrefix } from '../security/credentials.ts'
import { apiClient } from '../testing/api-client.ts'
import {
  addAgent,
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  giveEnvironment,
  type TestPerson,
  type TestTenant,
} from '../testing/arrange.ts'
import { useTestServer } from '../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant

beforeEach(async () => {
  tenant = await createTenant(server)
})

const withHeader = (authorization: string) => apiClient(server.url).get('/tenants', { authorization })
const setUser = (person: TestPerson, column: 'role' | 'access_scope' | 'status', value: string) =>
  server.owner.query(`update users set ${column} = $3 where tenant_id = $1 and id = $2`, [tenant.id, person.id, value])
const environmentsOf = async (caller: Pick<TestPerson, 'api'>) =>
  (await caller.api.get('/environments')).body.data.map(({ id }: { id: string }) => id)
const invalidKey = { status: 401, body: { error: 'invalid API key', code: 401 } }

describe('401 for missing and invalid credentials', () => {
  it('without a header, with another scheme, and with an empty or doubled token', async () => {
    for (const header of ['', 'Basic eDp5', 'Bearer', 'Bearer ', 'Bearer a b']) {
      const { status, body } = await withHeader(header)
      expect(status).toBe(401)
      expect(body).toEqual({ error: expect.any(String) })
    }
  })

  it('an unknown, revoked or expired key gets one answer that does not reveal which case applies', async () => {
    const revoked = await addKey(server, tenant.id, tenant.owner)
    await tenant.owner.api.delete(`/api-keys/${revoked.id}`)
    const expired = await addKey(server, tenant.id, tenant.owner, { expiresAt: '2020-01-01T00:00:00.000Z' })
    for (const raw of [newCredential('mk'), revoked.raw, expired.raw]) {
      const answer = await withHeader(`Bearer ${raw}`)
      expect(answer.status).toBe(401)
      expect(answer.body).toEqual(invalidKey.body)
      expect(answer.headers.get('ratelimit-limit')).toBeNull()
    }
  })

  it('a key is mk_ and 64 lower-case hexadecimal characters, and similar texts are invalid keys', async () => {
    const { raw } = await addKey(server, tenant.id, tenant.owner)
    for (const near of [raw.toUpperCase().replace('MK', 'mk'), raw.slice(0, -1), `${raw}0`, raw.slice(0, 8), 'mk_']) {
      expect(await withHeader(`Bearer ${near}`)).toMatchObject(invalidKey)
    }
    expect((await withHeader(`bearer  ${raw}`)).status).toBe(200)
  })

  it('an agent key, an edge key and the hash of a key are not credentials here', async () => {
    const agentId = await addAgent(server, tenant.id, { environmentId: tenant.development })
    const agentKey = newCredential('ak')
    await server.owner.query('update agents set key_hash = $2 where id = $1', [agentId, digest(agentKey)])
    await server.owner.query(`insert into credential_lookup (hash, kind, tenant_id, id) values ($1, 'agent', $2, $3)`, [
      digest(agentKey),
      tenant.id,
      agentId,
    ])
    expect(await withHeader(`Bearer ${agentKey}`)).toMatchObject(invalidKey)
    expect(await withHeader(`Bearer mk_${agentKey.slice(3)}`)).toMatchObject(invalidKey)
    const { raw } = await addKey(server, tenant.id, tenant.owner)
    expect(await withHeader(`Bearer mk_${digest(raw).toString('hex')}`)).toMatchObject(invalidKey)
    expect(publicPrefix(raw)).toHaveLength(8)
  })

  it('a key is 401 after its expires_at, and no audit entry is written', async () => {
    const key = await addKey(server, tenant.id, tenant.owner, { expiresAt: new Date(Date.now() + 400).toISOString() })
    expect((await key.api.get('/tenants')).status).toBe(200)
    await sleep(450)
    expect(await key.api.get('/tenants')).toMatchObject(invalidKey)
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })
})

describe('a key acts with the current role and access scope of the user who created it', () => {
  it('a role change applies to the key immediately, and the key never exceeds the role', async () => {
    const person = await addPerson(server, tenant.id, { role: 'manager' })
    const key = await addKey(server, tenant.id, person)
    const create = async () => (await key.api.post('/environments', { name: 'E', slug: `e${Date.now()}` })).status
    expect(await create()).toBe(201)
    await setUser(person, 'role', 'member')
    expect(await create()).toBe(403)
    await setUser(person, 'role', 'viewer')
    expect((await key.api.post('/api-keys', { name: 'k' })).status).toBe(403)
    await setUser(person, 'role', 'owner')
    expect(await create()).toBe(201)
  })

  it('a change of access scope or environment access applies to the key immediately', async () => {
    const person = await addPerson(server, tenant.id)
    const key = await addKey(server, tenant.id, person)
    expect(await environmentsOf(key)).toHaveLength(2)
    await setUser(person, 'access_scope', 'scoped')
    expect(await environmentsOf(key)).toEqual([])
    await giveEnvironment(server, tenant.id, person.id, tenant.development)
    expect(await environmentsOf(key)).toEqual([tenant.development])
    await server.owner.query('delete from environment_access where user_id = $1', [person.id])
    expect(await environmentsOf(key)).toEqual([])
  })

  it('an owner is never scoped, whatever access scope is stored', async () => {
    await setUser(tenant.owner, 'access_scope', 'scoped')
    expect(await environmentsOf(await addKey(server, tenant.id, tenant.owner))).toHaveLength(2)
  })

  it('the removal of the creator deletes the keys, and they stop working immediately', async () => {
    const person = await addPerson(server, tenant.id)
    const key = await addKey(server, tenant.id, person)
    expect((await key.api.get('/tenants')).status).toBe(200)
    await server.owner.query('delete from users where tenant_id = $1 and id = $2', [tenant.id, person.id])
    expect(await key.api.get('/tenants')).toMatchObject(invalidKey)
    expect((await tenant.owner.api.get('/api-keys')).body.total).toBe(0)
  })

  it('a key is 401 if its creator is not an active user', async () => {
    const person = await addPerson(server, tenant.id)
    const key = await addKey(server, tenant.id, person)
    await setUser(person, 'status', 'pending')
    expect(await key.api.get('/tenants')).toMatchObject(invalidKey)
  })

  it('a key works in its own tenant only', async () => {
    const other = await createTenant(server)
    const key = await addKey(server, tenant.id, tenant.owner)
    expect((await key.api.get(`/tenants/${other.id}`)).status).toBe(403)
    expect((await key.api.get(`/environments/${other.development}`)).status).toBe(404)
    expect((await key.api.get('/tenants')).body.tenant.id).toBe(tenant.id)
  })
})

describe('an environment-bound key', () => {
  it('is refused, and gets no wider access, if its environment is gone', async () => {
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    expect((await key.api.get('/tenants')).status).toBe(200)
    await server.owner.query('delete from environments where id = $1', [tenant.development])
    expect(await key.api.get('/tenants')).toMatchObject(invalidKey)
  })

  it("is 401 when bound to another tenant's environment", async () => {
    const other = await createTenant(server)
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: other.development })
    expect(await key.api.get('/tenants')).toMatchObject(invalidKey)
  })

  it('sees only what both its environment and its creator allow', async () => {
    const person = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    const key = await addKey(server, tenant.id, person, { environmentId: tenant.development })
    expect(await environmentsOf(key)).toEqual([])
    await giveEnvironment(server, tenant.id, person.id, tenant.production)
    expect(await environmentsOf(key)).toEqual([])
    await giveEnvironment(server, tenant.id, person.id, tenant.development)
    expect(await environmentsOf(key)).toEqual([tenant.development])
  })
})

describe('scopes are enforced at authentication, on top of the role', () => {
  const refused = { status: 403, body: { error: 'API key scope does not permit this operation', code: 403 } }

  it('403 with the exact text for every write with a read-only key, whatever the role; every GET is allowed', async () => {
    const key = await addKey(server, tenant.id, tenant.owner, { scopes: ['*:read'] })
    const id = tenant.development
    for (const answer of [
      await key.api.post('/environments', { name: 'E', slug: 'e' }),
      await key.api.put(`/environments/${id}`, { name: 'E' }),
      await key.api.patch(`/api-keys/${key.id}/environment`, { environment_id: id }),
      await key.api.delete(`/environments/${id}`),
    ]) {
      expect(answer).toMatchObject(refused)
      expect(Object.keys(answer.body)).toEqual(['error', 'code'])
    }
    for (const path of ['/environments', `/environments/${id}`, '/api-keys', '/tenants']) {
      expect((await key.api.get(path)).status).toBe(200)
    }
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it('custom scopes permit the listed resources to the listed extent and deny all others', async () => {
    const key = await addKey(server, tenant.id, tenant.owner, { scopes: ['environments:*', 'api-keys:read'] })
    expect((await key.api.post('/environments', { name: 'E', slug: 'e' })).status).toBe(201)
    expect((await key.api.get('/api-keys')).status).toBe(200)
    expect(await key.api.post('/api-keys', { name: 'k', scopes: ['api-keys:read'] })).toMatchObject(refused)
    expect(await key.api.get('/tenants')).toMatchObject(refused)
  })

  it('scopes only narrow: a viewer’s key without scopes cannot write', async () => {
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    const key = await addKey(server, tenant.id, viewer, { scopes: ['*'] })
    expect((await key.api.post('/environments', { name: 'E', slug: 'e' })).status).toBe(403)
  })

  it('the order is 401, then scope 403, then the path id’s 400', async () => {
    const narrow = await addKey(server, tenant.id, tenant.owner, { scopes: ['agents:read'] })
    expect(await narrow.api.get('/environments/nonsense')).toMatchObject(refused)
    await tenant.owner.api.delete(`/api-keys/${narrow.id}`)
    expect(await narrow.api.get('/environments/nonsense')).toMatchObject(invalidKey)
    const wide = await addKey(server, tenant.id, tenant.owner)
    expect((await wide.api.get('/environments/nonsense')).status).toBe(400)
  })
})
