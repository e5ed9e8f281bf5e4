import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../db/ids/new-id.ts'
import {
  addKey,
  addPerson,
  auditEntries,
  createTenant,
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

const revoke = (caller: Pick<TestPerson, 'api'>, keyId: string) => caller.api.delete(`/api-keys/${keyId}`)

describe('DELETE /api-keys/{key_id}', () => {
  it('200 with the key and its revoked_at; the key is 401 at once and stays in the list', async () => {
    const key = await addKey(server, tenant.id, member)
    expect((await key.api.get('/tenants')).status).toBe(200)
    const { status, body } = await revoke(member, key.id)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: key.id, revoked_at: expect.stringMatching(/Z$/) })
    expect(await key.api.get('/tenants')).toMatchObject({
      status: 401,
      body: { error: 'invalid API key', code: 401 },
    })
    const { data } = (await member.api.get('/api-keys')).body
    expect(data).toMatchObject([body])
  })

  it('api_key.revoked records key id, prefix, name and environment, the person and the key used', async () => {
    const key = await addKey(server, tenant.id, member, { environmentId: tenant.development })
    const used = await addKey(server, tenant.id, tenant.owner)
    await revoke(used, key.id)
    const [entry] = await auditEntries(server, tenant.id)
    expect(entry).toMatchObject({
      event_type: 'api_key.revoked',
      actor_user_id: tenant.owner.id,
      api_key_id: used.id,
      resource_id: key.id,
      environment_id: tenant.development,
    })
    expect(entry.details).toEqual({
      key_prefix: key.raw.slice(0, 8),
      name: 'test key',
      created_by: member.id,
      scopes: [],
      environment_id: tenant.development,
    })
  })

  it('400 if it is already revoked; revoked_at does not change and only one entry is written', async () => {
    const key = await addKey(server, tenant.id, member)
    const first = await revoke(tenant.owner, key.id)
    expect((await revoke(tenant.owner, key.id)).status).toBe(400)
    const { data } = (await member.api.get('/api-keys')).body
    expect(data[0].revoked_at).toBe(first.body.revoked_at)
    expect(await auditEntries(server, tenant.id)).toHaveLength(1)
  })

  it('200 for an expired key', async () => {
    const key = await addKey(server, tenant.id, member, { expiresAt: '2020-01-01T00:00:00.000Z' })
    expect((await revoke(member, key.id)).status).toBe(200)
  })

  it('owners and managers revoke any key', async () => {
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const [ours, theirs] = [await addKey(server, tenant.id, tenant.owner), await addKey(server, tenant.id, member)]
    expect((await revoke(manager, ours.id)).status).toBe(200)
    expect((await revoke(tenant.owner, theirs.id)).status).toBe(200)
  })

  it('a member revokes only the keys they created; another user’s key, an unknown key and a key of another tenant are 404', async () => {
    const other = await createTenant(server)
    const foreign = await addKey(server, other.id, other.owner)
    const owners = await addKey(server, tenant.id, tenant.owner)
    for (const id of [owners.id, newId(), foreign.id]) expect((await revoke(member, id)).status).toBe(404)
    expect((await revoke(tenant.owner, foreign.id)).status).toBe(404)
    expect((await foreign.api.get('/tenants')).status).toBe(200)
    expect((await revoke(member, 'nonsense')).status).toBe(400)
  })

  it('403 for a viewer, also for their own key', async () => {
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    const key = await addKey(server, tenant.id, viewer)
    expect((await revoke(viewer, key.id)).status).toBe(403)
    expect((await revoke(key, key.id)).status).toBe(403)
  })

  it('an environment-bound key revokes keys of its environment that its creator sees; any other key is 404', async () => {
    const beside = await addKey(server, tenant.id, member, { environmentId: tenant.development })
    const owners = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const elsewhere = await addKey(server, tenant.id, member, { environmentId: tenant.production })
    const wide = await addKey(server, tenant.id, member)
    const mine = await addKey(server, tenant.id, member, { environmentId: tenant.development })
    for (const id of [owners.id, elsewhere.id, wide.id]) expect((await revoke(mine, id)).status).toBe(404)
    for (const id of [elsewhere.id, wide.id]) expect((await revoke(owners, id)).status).toBe(404)
    expect((await revoke(mine, beside.id)).status).toBe(200)
    expect((await revoke(owners, mine.id)).status).toBe(200)
  })

  it('a key may revoke itself and does not work afterwards', async () => {
    const key = await addKey(server, tenant.id, member)
    expect((await revoke(key, key.id)).status).toBe(200)
    expect((await key.api.get('/api-keys')).status).toBe(401)
  })
})

describe('concurrent changes of one key', () => {
  it('of ten revocations one is 200 and the others are 400; one entry is written', async () => {
    const key = await addKey(server, tenant.id, member)
    const answers = await Promise.all(Array.from({ length: 10 }, () => revoke(tenant.owner, key.id)))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array(9).fill(400)])
    expect(await auditEntries(server, tenant.id)).toHaveLength(1)
  })

  it('a binding during a revocation is either first or 400: a revoked key never changes', async () => {
    for (let round = 0; round < 10; round++) {
      const key = await addKey(server, tenant.id, member)
      const [bound, revoked] = await Promise.all([
        tenant.owner.api.patch(`/api-keys/${key.id}/environment`, { environment_id: tenant.development }),
        revoke(tenant.owner, key.id),
      ])
      expect(revoked.status).toBe(200)
      expect([200, 400]).toContain(bound.status)
      expect(revoked.body.environment_id).toBe(bound.status === 200 ? tenant.development : undefined)
      const events = (await auditEntries(server, tenant.id))
        .filter((entry) => entry.resource_id === key.id)
        .map((entry) => entry.event_type)
      const all = ['api_key.environment_changed', 'api_key.revoked']
      expect(events.sort()).toEqual(bound.status === 200 ? all : all.slice(1))
    }
  })
})
