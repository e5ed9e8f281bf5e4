import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../db/ids/new-id.ts'
import { digest } from '../../security/credentials.ts'
import { apiClient } from '../../testing/api-client.ts'
import {
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  giveEnvironment,
  type TestPerson,
  type TestTenant,
} from '../../testing/arrange.ts'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant

beforeEach(async () => {
  tenant = await createTenant(server)
})

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
const keysOf = async (id = tenant.id) =>
  (await server.owner.query('select * from api_keys where tenant_id = $1', [id])).rows

describe('POST /api-keys', () => {
  it('201 with raw_key once: mk_ and 64 lower-case hexadecimal characters; prefix has its first 8, and only the hash is stored', async () => {
    const { status, body } = await tenant.owner.api.post('/api-keys', { name: ' deploy ' })
    expect(status).toBe(201)
    expect(body.raw_key).toMatch(/^mk_[0-9a-f]{64}$/)
    expect(body.key_prefix).toBe(body.raw_key.slice(0, 8))
    const { raw_key: _, ...key } = body
    expect(key).toEqual({
      id: expect.any(String),
      tenant_id: tenant.id,
      created_by: tenant.owner.id,
      name: 'deploy',
      key_prefix: body.key_prefix,
      scopes: [],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    const [stored] = await keysOf()
    expect(stored.key_hash.equals(digest(body.raw_key))).toBe(true)
    expect(JSON.stringify(stored)).not.toContain(body.raw_key.slice(8))
    const list = (await tenant.owner.api.get('/api-keys')).body
    expect(list.data).toEqual([key])
    expect((await apiClient(server.url, body.raw_key).get('/tenants')).status).toBe(200)
  })

  it('201 with scopes, environment and expiry as sent, the expiry in UTC', async () => {
    const answer = await tenant.owner.api.post('/api-keys', {
      name: 'k',
      environment_id: tenant.development.toUpperCase(),
      scopes: ['agents:*', '*:read'],
      expires_at: '2999-01-01T02:00:00+02:00',
    })
    expect(answer).toMatchObject({
      status: 201,
      body: {
        environment_id: tenant.development,
        scopes: ['agents:*', '*:read'],
        expires_at: '2999-01-01T00:00:00.000Z',
      },
    })
  })

  it('api_key.created records key id, prefix, name, environment and person; never the key string or its hash', async () => {
    const { body } = await tenant.owner.api.post('/api-keys', { name: 'ci', environment_id: tenant.development })
    const entries = await auditEntries(server, tenant.id)
    expect(entries).toHaveLength(1)
    expect(entries[0]).toMatchObject({
      event_type: 'api_key.created',
      category: 'people',
      actor_type: 'person',
      actor_user_id: tenant.owner.id,
      actor_email: tenant.owner.email,
      api_key_id: null,
      resource_type: 'api_key',
      resource_id: body.id,
      resource_name: 'ci',
      environment_id: tenant.development,
      details: { key_prefix: body.key_prefix, name: 'ci', environment_id: tenant.development },
    })
    const text = JSON.stringify(entries)
    expect(text).not.toContain(body.raw_key.slice(8))
    expect(text).not.toContain(digest(body.raw_key).toString('hex'))
    expect(text).not.toContain(digest(body.raw_key).toString('base64'))
  })

  it('the entry of a key created through a key has the person and the key used, and no environment for a tenant-wide key', async () => {
    const maker = await addKey(server, tenant.id, tenant.owner)
    const { body } = await maker.api.post('/api-keys', { name: 'child' })
    const [entry] = await auditEntries(server, tenant.id)
    expect(entry).toMatchObject({
      actor_type: 'api_key',
      actor_user_id: tenant.owner.id,
      api_key_id: maker.id,
      api_key_prefix: maker.raw.slice(0, 8),
      api_key_name: 'test key',
      environment_id: null,
    })
    expect(entry.details).toEqual({
      key_prefix: body.key_prefix,
      name: 'child',
      created_by: tenant.owner.id,
      scopes: [],
    })
  })

  it('the entry says what the key may do, and until when', async () => {
    const limits = { scopes: ['audit:read', 'agents:*'], expires_at: '2999-01-01T00:00:00.000Z' }
    const { body } = await tenant.owner.api.post('/api-keys', { name: 'nightly export', ...limits })
    await tenant.owner.api.patch(`/api-keys/${body.id}/environment`, { environment_id: tenant.development })
    await tenant.owner.api.delete(`/api-keys/${body.id}`)
    const entries = await auditEntries(server, tenant.id)
    expect(entries).toHaveLength(3)
    for (const { details } of entries) expect(details).toMatchObject({ ...limits, created_by: tenant.owner.id })
  })

  it('using a key writes no entry', async () => {
    const key = await addKey(server, tenant.id, tenant.owner)
    await key.api.get('/api-keys')
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it.each([
    ['no name', {}, 'name is required'],
    ['a blank name', { name: '  ' }, 'name must not be blank'],
    ['an over-long name', { name: 'x'.repeat(201) }, 'name must be at most 200 characters'],
    ['a name with NUL', { name: 'a\0b' }, 'name must not contain NUL or unpaired surrogates'],
    ['a null environment', { name: 'k', environment_id: null }, 'environment_id must be a string'],
    ['an environment that is not a UUID', { name: 'k', environment_id: 'x' }, 'environment_id must be a UUID'],
    ['scopes that are not an array', { name: 'k', scopes: '*' }, 'scopes must be an array'],
    [
      'a scope without an action',
      { name: 'k', scopes: ['agents'] },
      'scopes[0] must be <resource>:<action>; the action is read, write or *; did you mean agents:read or agents:write?',
    ],
    [
      'a scope with an unknown action',
      { name: 'k', scopes: ['*', 'agents:delete'] },
      'scopes[1] must be <resource>:<action>; the action is read, write or *; did you mean agents:read or agents:write?',
    ],
    ['an expiry in the past', { name: 'k', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at must be in the future'],
    [
      'an expiry on a day that no calendar has',
      { name: 'k', expires_at: '2999-02-30T00:00:00Z' },
      /^expires_at must be an ISO 8601/,
    ],
    ['a null expiry', { name: 'k', expires_at: null }, 'expires_at must be a string'],
  ])('400 for %s, naming the field; nothing is written', async (_what, body, error) => {
    const answer = await tenant.owner.api.post('/api-keys', body)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toEqual(typeof error === 'string' ? error : expect.stringMatching(error))
    expect(await keysOf()).toEqual([])
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it('404 for an unknown environment and an environment of another tenant; nothing is written', async () => {
    const other = await createTenant(server)
    for (const environment_id of [newId(), other.development]) {
      const answer = await tenant.owner.api.post('/api-keys', { name: 'k', environment_id })
      expect(answer).toMatchObject({ status: 404, body: { error: 'environment not found' } })
    }
    expect(await keysOf()).toEqual([])
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it('403 for a viewer, before the 400 of a malformed body', async () => {
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    for (const body of [{ name: 'k' }, {}, '{broken']) {
      expect((await viewer.api.post('/api-keys', body)).status).toBe(403)
    }
    expect(await keysOf()).toEqual([])
  })
})

describe('only an owner or a user whose access scope is all creates a tenant-wide key', () => {
  let scoped: TestPerson
  beforeEach(async () => {
    scoped = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
  })

  it('201 for a member with access scope all, and for an owner whatever scope is stored', async () => {
    const member = await addPerson(server, tenant.id, { role: 'member' })
    const owner = await addPerson(server, tenant.id, { role: 'owner', accessScope: 'scoped' })
    for (const person of [member, owner]) {
      expect((await person.api.post('/api-keys', { name: 'k' })).status).toBe(201)
    }
  })

  it('403 for a scoped manager, before the 400 of a malformed body', async () => {
    expect((await scoped.api.post('/api-keys', { name: 'k' })).status).toBe(403)
    expect((await scoped.api.post('/api-keys', { name: '' })).status).toBe(403)
    expect(await keysOf()).toEqual([])
  })

  it('201 in an environment that a scoped user has access to, 404 in any other environment of the tenant', async () => {
    const mine = await scoped.api.post('/api-keys', { name: 'k', environment_id: tenant.development })
    expect(mine).toMatchObject({ status: 201, body: { environment_id: tenant.development } })
    const answer = await scoped.api.post('/api-keys', { name: 'k', environment_id: tenant.production })
    expect(answer).toMatchObject({ status: 404, body: { error: 'environment not found' } })
    expect((await scoped.api.post('/api-keys', { name: 7, environment_id: tenant.production })).status).toBe(404)
    expect((await scoped.api.post('/api-keys', { name: 7, environment_id: tenant.development })).status).toBe(400)
  })

  it('403 through a tenant-wide key whose creator is now scoped', async () => {
    const member = await addPerson(server, tenant.id, { role: 'member' })
    const key = await addKey(server, tenant.id, member)
    await server.owner.query(`update users set access_scope = 'scoped' where tenant_id = $1 and id = $2`, [
      tenant.id,
      member.id,
    ])
    expect((await key.api.post('/api-keys', { name: 'k' })).status).toBe(403)
  })
})

describe('a key created through a key has no more rights than that key', () => {
  it('an environment-bound key creates only keys bound to its own environment; another environment or tenant-wide is 403', async () => {
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const own = await bound.api.post('/api-keys', { name: 'k', environment_id: tenant.development })
    expect(own).toMatchObject({ status: 201, body: { environment_id: tenant.development } })
    for (const body of [
      { name: 'k' },
      { name: 'k', environment_id: tenant.production },
      { name: 'k', environment_id: newId() },
      { name: 7, environment_id: tenant.production, scopes: 7 },
    ]) {
      expect((await bound.api.post('/api-keys', body)).status).toBe(403)
    }
    expect(await keysOf()).toHaveLength(2)
  })

  it.each([
    [['api-keys:*'], undefined],
    [['api-keys:*'], []],
    [['api-keys:*'], ['*']],
    [['api-keys:*'], ['*:read']],
    [['api-keys:*'], ['agents:read']],
    [['api-keys:write', 'agents:read'], ['agents:*']],
    [['*:write'], ['*:*']],
  ])('403 through a key of scopes %j for scopes %j', async (own, scopes) => {
    const maker = await addKey(server, tenant.id, tenant.owner, { scopes: own })
    const answer = await maker.api.post('/api-keys', { name: 'k', scopes })
    expect(answer).toMatchObject({
      status: 403,
      body: { error: 'a key created through an API key cannot have scopes that this API key does not have' },
    })
    expect(await keysOf()).toHaveLength(1)
  })

  it('201 through a scoped key for scopes within its own', async () => {
    const maker = await addKey(server, tenant.id, tenant.owner, { scopes: ['api-keys:*', 'agents:read'] })
    expect((await maker.api.post('/api-keys', { name: 'k', scopes: ['agents:read'] })).status).toBe(201)
  })

  it('403 through an expiring key for a key that would outlive it, else 201', async () => {
    const expiresAt = inAnHour()
    const maker = await addKey(server, tenant.id, tenant.owner, { expiresAt })
    expect((await maker.api.post('/api-keys', { name: 'k' })).status).toBe(403)
    expect((await maker.api.post('/api-keys', { name: 'k', expires_at: '2999-01-01T00:00:00Z' })).status).toBe(403)
    expect((await maker.api.post('/api-keys', { name: 'k', expires_at: expiresAt })).status).toBe(201)
  })

  it('403 with code 403 and the exact text through a read-only key', async () => {
    const readOnly = await addKey(server, tenant.id, tenant.owner, { scopes: ['*:read'] })
    const answer = await readOnly.api.post('/api-keys', { name: 'k', scopes: ['*:read'] })
    expect(answer).toMatchObject({
      status: 403,
      body: { error: 'API key scope does not permit this operation', code: 403 },
    })
  })
})
