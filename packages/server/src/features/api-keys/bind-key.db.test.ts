import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../db/ids/new-id.ts'
import {
  addAgent,
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
let member: TestPerson

beforeEach(async () => {
  tenant = await createTenant(server)
  member = await addPerson(server, tenant.id, { role: 'member' })
})

const bind = (caller: Pick<TestPerson, 'api'>, keyId: string, environment_id: unknown) =>
  caller.api.patch(`/api-keys/${keyId}/environment`, { environment_id })
const environmentOf = async (keyId: string) =>
  (await server.owner.query('select environment_id from api_keys where id = $1', [keyId])).rows[0].environment_id

describe('PATCH /api-keys/{key_id}/environment', () => {
  it('200 with the updated key; its string and prefix do not change, and it works in its new environment at once', async () => {
    const key = await addKey(server, tenant.id, member)
    expect((await key.api.get('/environments')).body.total).toBe(2)
    const { status, body } = await bind(member, key.id, tenant.development)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: key.id, environment_id: tenant.development, key_prefix: key.raw.slice(0, 8) })
    expect(body).not.toHaveProperty('raw_key')
    const seen = (await key.api.get('/environments')).body
    expect(seen.data.map(({ id }: { id: string }) => id)).toEqual([tenant.development])
    const wide = await bind(member, key.id, null)
    expect(wide.status).toBe(200)
    expect(wide.body).not.toHaveProperty('environment_id')
    expect((await key.api.get('/environments')).body.total).toBe(2)
  })

  it('api_key.environment_changed records key id, prefix, name, old and new environment, and the key used', async () => {
    const key = await addKey(server, tenant.id, member, { environmentId: tenant.production })
    const used = await addKey(server, tenant.id, tenant.owner)
    await bind(used, key.id, tenant.development)
    await bind(tenant.owner, key.id, null)
    const [first, second] = await auditEntries(server, tenant.id)
    expect(first).toMatchObject({
      event_type: 'api_key.environment_changed',
      actor_user_id: tenant.owner.id,
      api_key_id: used.id,
      resource_id: key.id,
      resource_name: 'test key',
    })
    expect(first.details).toEqual({
      key_prefix: key.raw.slice(0, 8),
      name: 'test key',
      created_by: member.id,
      scopes: [],
      old_environment_id: tenant.production,
      new_environment_id: tenant.development,
    })
    expect(second.details).toMatchObject({ old_environment_id: tenant.development, new_environment_id: null })
    expect(second.api_key_id).toBeNull()
  })

  it('200 and no entry if the key is already bound there', async () => {
    const key = await addKey(server, tenant.id, member, { environmentId: tenant.production })
    expect((await bind(tenant.owner, key.id, tenant.production)).status).toBe(200)
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it('400 for a revoked key', async () => {
    const key = await addKey(server, tenant.id, member)
    await member.api.delete(`/api-keys/${key.id}`)
    expect(await bind(member, key.id, tenant.development)).toMatchObject({
      status: 400,
      body: { error: 'a revoked API key cannot be changed' },
    })
    expect(await environmentOf(key.id)).toBeNull()
    expect(await auditEntries(server, tenant.id)).toHaveLength(1)
  })

  it('403 for a viewer, also for their own key, before the 400 of a malformed body', async () => {
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    const key = await addKey(server, tenant.id, viewer)
    expect((await bind(viewer, key.id, tenant.development)).status).toBe(403)
    expect((await bind(viewer, key.id, 7)).status).toBe(403)
    expect((await viewer.api.patch(`/api-keys/${key.id}/environment`)).status).toBe(403)
  })

  it('a member changes only keys they created; another user’s key, an unknown key and a key of another tenant are 404', async () => {
    const other = await createTenant(server)
    const foreign = await addKey(server, other.id, other.owner)
    const owners = await addKey(server, tenant.id, tenant.owner)
    const mine = await addKey(server, tenant.id, member)
    expect((await bind(member, mine.id, tenant.development)).status).toBe(200)
    for (const id of [owners.id, newId(), foreign.id]) {
      expect(await bind(member, id, tenant.development)).toMatchObject({
        status: 404,
        body: { error: 'API key not found' },
      })
      expect((await bind(member, id, 7)).status).toBe(404)
    }
    expect((await bind(tenant.owner, foreign.id, null)).status).toBe(404)
  })

  it('200 for a manager, for any key of the organization', async () => {
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const key = await addKey(server, tenant.id, tenant.owner)
    expect((await bind(manager, key.id, tenant.development)).status).toBe(200)
  })

  it.each([
    ['no environment_id', {}],
    ['a number', { environment_id: 7 }],
    ['an id that is not a UUID', { environment_id: 'dev' }],
    ['an array', []],
  ])('400 for %s', async (_what, body) => {
    const key = await addKey(server, tenant.id, member, { environmentId: tenant.production })
    expect((await member.api.patch(`/api-keys/${key.id}/environment`, body)).status).toBe(400)
    expect(await environmentOf(key.id)).toBe(tenant.production)
  })

  it('malformed requests about a key that is being changed do not block other requests', async () => {
    const key = await addKey(server, tenant.id, member)
    const changer = await server.owner.connect()
    try {
      await changer.query('begin')
      await changer.query('select id from api_keys where id = $1 for update', [key.id])
      const waiting = Array.from({ length: 8 }, () => bind(member, key.id, 7))
      const reads = Array.from({ length: 8 }, () => tenant.owner.api.get('/tenants'))
      expect((await Promise.all(reads)).map(({ status }) => status)).toEqual(Array(8).fill(200))
      await changer.query('commit')
      expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(8).fill(400))
    } finally {
      changer.release()
    }
  })

  it('400 for a key id that is not a UUID', async () => {
    expect((await bind(member, 'nonsense', null)).status).toBe(400)
  })

  it('404 for an unknown environment and an environment of another tenant', async () => {
    const other = await createTenant(server)
    const key = await addKey(server, tenant.id, member)
    for (const id of [newId(), other.development]) expect((await bind(member, key.id, id)).status).toBe(404)
  })
})

describe('a scoped user binds keys only to an environment that they have access to', () => {
  it('200 there, 404 for another environment, 403 for tenant-wide', async () => {
    const scoped = await addPerson(server, tenant.id, { role: 'member', accessScope: 'scoped' })
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    const key = await addKey(server, tenant.id, scoped)
    expect((await bind(scoped, key.id, tenant.production)).status).toBe(404)
    expect((await bind(scoped, key.id, tenant.development)).status).toBe(200)
    expect((await bind(scoped, key.id, null)).status).toBe(403)
    expect(await environmentOf(key.id)).toBe(tenant.development)
  })

  it('has the same limits through one of their keys', async () => {
    const scoped = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    const acting = await addKey(server, tenant.id, scoped)
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    expect((await bind(acting, key.id, tenant.production)).status).toBe(404)
    expect((await bind(acting, key.id, null)).status).toBe(403)
  })
})

describe('an environment-bound key cannot change the environment of any key, not even its own', () => {
  it('403 for its own key, for other keys of its environment and of other environments, and for an unknown key', async () => {
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const beside = await addKey(server, tenant.id, member, { environmentId: tenant.development })
    const elsewhere = await addKey(server, tenant.id, member, { environmentId: tenant.production })
    for (const id of [bound.id, beside.id, elsewhere.id, newId()]) {
      for (const environmentId of [null, tenant.development, tenant.production, 7]) {
        expect((await bind(bound, id, environmentId)).status).toBe(403)
      }
    }
    expect(await environmentOf(bound.id)).toBe(tenant.development)
  })

  it('403 whatever the role of its creator, also for a member', async () => {
    const bound = await addKey(server, tenant.id, member, { environmentId: tenant.development })
    await addAgent(server, tenant.id, { environmentId: tenant.development })
    expect((await bind(bound, bound.id, null)).status).toBe(403)
  })
})
