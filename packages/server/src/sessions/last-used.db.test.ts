import { beforeEach, describe, expect, it } from 'vitest'
import { addKey, addPerson, createTenant, type TestKey, type TestTenant } from '../testing/arrange.ts'
import { useTestServer } from '../testing/use-test-server.ts'
import { createLastUsed } from './last-used.ts'

const server = useTestServer()
let tenant: TestTenant
let key: TestKey

beforeEach(async () => {
  tenant = await createTenant(server)
  key = await addKey(server, tenant.id, tenant.owner)
})

const storedTime = async (id = key.id) => {
  const { rows } = await server.owner.query('select last_used_at from api_keys where id = $1', [id])
  return rows[0].last_used_at?.toISOString()
}
const unexpected = (error: unknown) => {
  throw error
}

describe('times of use', () => {
  it('last_used_at is updated on each request of the key, also refused ones', async () => {
    expect(await storedTime()).toBeUndefined()
    await key.api.get('/tenants')
    await expect.poll(() => storedTime()).toBeDefined()
    const first = await storedTime()
    expect((await key.api.get('/environments/nonsense')).status).toBe(400)
    await expect.poll(() => storedTime()).not.toBe(first)
    expect((await storedTime()) > first).toBe(true)
  })

  it('a request with a session updates no key', async () => {
    await tenant.owner.api.get('/tenants')
    await server.services.lastUsed.flush(tenant.id)
    expect(await storedTime()).toBeUndefined()
  })

  it('a person’s last_active_at is updated in the same way', async () => {
    const before = Date.now()
    await tenant.owner.api.get('/tenants')
    await server.services.lastUsed.flush(tenant.id)
    const { rows } = await server.owner.query('select last_active_at from users where id = $1', [tenant.owner.id])
    expect(rows[0].last_active_at.getTime()).toBeGreaterThanOrEqual(before)
  })

  it('never go back: an older time from another instance does not replace a newer one', async () => {
    const lastUsed = createLastUsed(server.services.db, unexpected, 60_000)
    lastUsed.keyUsed(tenant.id, key.id, '2030-01-01T00:00:00.000Z')
    await lastUsed.flush(tenant.id)
    lastUsed.keyUsed(tenant.id, key.id, '2029-01-01T00:00:00.000Z')
    await lastUsed.flush(tenant.id)
    await lastUsed.close()
    expect(await storedTime()).toBe('2030-01-01T00:00:00.000Z')
  })

  it('a flush for one tenant writes only that tenant’s keys; closing writes the rest', async () => {
    const other = await createTenant(server)
    const foreign = await addKey(server, other.id, other.owner)
    const lastUsed = createLastUsed(server.services.db, unexpected, 60_000)
    lastUsed.keyUsed(tenant.id, key.id, '2030-01-01T00:00:00.000Z')
    lastUsed.keyUsed(other.id, foreign.id, '2030-01-01T00:00:00.000Z')
    await lastUsed.flush(tenant.id)
    expect(await storedTime()).toBeDefined()
    expect(await storedTime(foreign.id)).toBeUndefined()
    await lastUsed.close()
    expect(await storedTime(foreign.id)).toBeDefined()
  })

  it('do not wait for a locked row: the time stays pending, and the key list shows it', async () => {
    const other = await addKey(server, tenant.id, tenant.owner)
    const locker = await server.owner.connect()
    try {
      await locker.query('begin')
      await locker.query('select id from api_keys where id = $1 for update', [key.id])
      await key.api.get('/tenants')
      await other.api.get('/tenants')
      await server.services.lastUsed.flush(tenant.id)
      expect(await storedTime()).toBeUndefined()
      expect(await storedTime(other.id)).toBeDefined()
      const { status, body } = await tenant.owner.api.get('/api-keys')
      expect(status).toBe(200)
      for (const { last_used_at } of body.data) expect(last_used_at).toMatch(/Z$/)
    } finally {
      await locker.query('rollback')
      locker.release()
    }
    await server.services.lastUsed.flush(tenant.id)
    expect(await storedTime()).toBeDefined()
  })

  it('of a person stay pending while the row is locked, and the preview of a removal does not wait for it', async () => {
    const person = await addPerson(server, tenant.id)
    const locker = await server.owner.connect()
    try {
      await locker.query('begin')
      await locker.query('select id from users where tenant_id = $1 for update', [tenant.id])
      await person.api.get('/tenants')
      expect((await tenant.owner.api.get(`/users/${person.id}/removal-preview`)).status).toBe(200)
    } finally {
      await locker.query('rollback')
      locker.release()
    }
  })
})
