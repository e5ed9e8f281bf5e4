import { beforeEach, describe, expect, it } from 'vitest'
import {
  addKey,
  addPerson,
  createTenant,
  type TestKey,
  type TestPerson,
  type TestTenant,
} from '../../testing/arrange.ts'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant
let manager: TestPerson
let member: TestPerson
let viewer: TestPerson
let keys: Record<string, TestKey>

beforeEach(async () => {
  tenant = await createTenant(server)
  manager = await addPerson(server, tenant.id, { role: 'manager' })
  member = await addPerson(server, tenant.id, { role: 'member' })
  viewer = await addPerson(server, tenant.id, { role: 'viewer' })
  const { development, production } = tenant
  keys = {
    ownerWide: await addKey(server, tenant.id, tenant.owner),
    ownerDev: await addKey(server, tenant.id, tenant.owner, { environmentId: development }),
    ownerProd: await addKey(server, tenant.id, tenant.owner, { environmentId: production }),
    memberWide: await addKey(server, tenant.id, member),
    memberDev: await addKey(server, tenant.id, member, { environmentId: development }),
    viewerWide: await addKey(server, tenant.id, viewer),
  }
  const other = await createTenant(server)
  await addKey(server, other.id, other.owner)
})

async function listed(caller: Pick<TestPerson, 'api'>): Promise<string[]> {
  const { status, body } = await caller.api.get('/api-keys?limit=200')
  expect(status).toBe(200)
  expect(body.total).toBe(body.data.length)
  const names = new Map(Object.entries(keys).map(([name, key]) => [key.id, name]))
  return body.data.map((key: { id: string }) => names.get(key.id) ?? key.id).sort()
}

describe('GET /api-keys: total counts the same keys the list shows', () => {
  it('owner or manager: all keys of the organization, and no key of another one', async () => {
    const all = Object.keys(keys).sort()
    expect(await listed(tenant.owner)).toEqual(all)
    expect(await listed(manager)).toEqual(all)
    expect(await listed(keys.ownerWide!)).toEqual(all)
  })

  it('a manager with the access scope scoped sees all keys too', async () => {
    const scoped = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
    expect(await listed(scoped)).toEqual(Object.keys(keys).sort())
  })

  it('member: only the keys they created', async () => {
    expect(await listed(member)).toEqual(['memberDev', 'memberWide'])
    expect(await listed(keys.memberWide!)).toEqual(['memberDev', 'memberWide'])
  })

  it('viewer: only the viewer’s own keys', async () => {
    expect(await listed(viewer)).toEqual(['viewerWide'])
  })

  it('environment-bound key: only keys of its environment that its creator sees', async () => {
    expect(await listed(keys.ownerDev!)).toEqual(['memberDev', 'ownerDev'])
    expect(await listed(keys.ownerProd!)).toEqual(['ownerProd'])
    expect(await listed(keys.memberDev!)).toEqual(['memberDev'])
  })

  it('revoked and expired keys are included; a revoked key has revoked_at; a field without a value is left out', async () => {
    await tenant.owner.api.delete(`/api-keys/${keys.memberDev!.id}`)
    const expired = await addKey(server, tenant.id, member, { expiresAt: '2020-01-01T00:00:00.000Z' })
    const { body } = await member.api.get('/api-keys')
    expect(body.total).toBe(3)
    const byId = new Map<string, Record<string, unknown>>(body.data.map((key: { id: string }) => [key.id, key]))
    expect(byId.get(keys.memberDev!.id)?.revoked_at).toMatch(/Z$/)
    expect(byId.get(expired.id)?.expires_at).toBe('2020-01-01T00:00:00.000Z')
    expect(Object.keys(byId.get(keys.memberWide!.id) ?? {}).sort()).toEqual([
      'created_at',
      'created_by',
      'id',
      'key_prefix',
      'name',
      'scopes',
      'tenant_id',
    ])
  })

  it('newest first; limit and offset select the page, and a page after the last one has the total too', async () => {
    const whole = (await tenant.owner.api.get('/api-keys')).body
    expect(whole).toMatchObject({ total: 6, limit: 50, offset: 0 })
    const ids = whole.data.map((key: { id: string }) => key.id)
    expect(ids).toEqual(
      Object.values(keys)
        .map((key) => key.id)
        .reverse(),
    )
    const page = (await tenant.owner.api.get('/api-keys?limit=2&offset=3')).body
    expect(page).toMatchObject({ total: 6, limit: 2, offset: 3 })
    expect(page.data.map((key: { id: string }) => key.id)).toEqual(ids.slice(3, 5))
    expect((await tenant.owner.api.get('/api-keys?offset=100')).body).toEqual({
      data: [],
      total: 6,
      limit: 50,
      offset: 100,
    })
  })

  it('limit defaults to 50 and is at most 200; values out of range are clamped, and text is 400', async () => {
    const read = async (query: string) => (await tenant.owner.api.get(`/api-keys?${query}`)).body
    expect(await read('limit=1000')).toMatchObject({ limit: 200 })
    expect(await read('limit=0')).toMatchObject({ limit: 1 })
    expect(await read('offset=-4')).toMatchObject({ offset: 0 })
    expect(await read('Limit=3&Offset=1')).toMatchObject({ limit: 3, offset: 1 })
    expect((await tenant.owner.api.get('/api-keys?limit=ten')).status).toBe(400)
    expect((await tenant.owner.api.get('/api-keys?offset=1.5')).status).toBe(400)
  })

  it('last_used_at is absent until the first use and then exact, also for the key of the request', async () => {
    const before = new Date().toISOString()
    const used = keys.memberWide!
    await used.api.get('/tenants')
    const after = new Date().toISOString()
    const { body } = await keys.ownerWide!.api.get('/api-keys')
    const timeOf = (key: TestKey) => body.data.find(({ id }: { id: string }) => id === key.id).last_used_at
    expect(timeOf(used) >= before && timeOf(used) <= after).toBe(true)
    expect(timeOf(keys.ownerWide!) >= after).toBe(true)
    expect(timeOf(keys.ownerProd!)).toBeUndefined()
  })
})

describe('GET /api-keys with filters', () => {
  const day = 86_400_000
  const daysAgo = (days: number) => new Date(Date.now() - days * day - 60_000).toISOString()

  /** Sets the times of a key, in days before now. */
  async function age(key: TestKey, times: { created?: number; used?: number; expired?: number; revoked?: number }) {
    const at = (days: number | undefined) => (days === undefined ? null : daysAgo(days))
    await server.owner.query(
      `update api_keys set created_at = coalesce($2, created_at), last_used_at = $3, expires_at = $4, revoked_at = $5 where id = $1`,
      [key.id, at(times.created), at(times.used), at(times.expired), at(times.revoked)],
    )
  }

  const names = async (query: string, caller: Pick<TestPerson, 'api'> = tenant.owner) => {
    const { status, body } = await caller.api.get(`/api-keys?${query}`)
    expect(status, query).toBe(200)
    expect(body.total).toBe(body.data.length)
    const byId = new Map(Object.entries(keys).map(([name, key]) => [key.id, name]))
    return body.data.map((key: { id: string }) => byId.get(key.id)).sort()
  }

  it('state: a revoked key that has expired is revoked', async () => {
    await age(keys.ownerDev!, { expired: 1 })
    await age(keys.ownerProd!, { expired: 1, revoked: 2 })
    await age(keys.memberDev!, { expired: -1 })
    expect(await names('state=expired')).toEqual(['ownerDev'])
    expect(await names('state=revoked')).toEqual(['ownerProd'])
    expect(await names('state=active')).toEqual(['memberDev', 'memberWide', 'ownerWide', 'viewerWide'])
    expect(await names('state=expired', member)).toEqual([])
  })

  it('unused_days counts from the last use, or from the creation of a key that was never used', async () => {
    await age(keys.ownerWide!, { created: 100, used: 100 })
    await age(keys.ownerDev!, { created: 100, used: 10 })
    await age(keys.ownerProd!, { created: 40 })
    expect(await names('unused_days=30')).toEqual(['ownerProd', 'ownerWide'])
    expect(await names('unused_days=90')).toEqual(['ownerWide'])
    expect(await names('older_days=90')).toEqual(['ownerDev', 'ownerWide'])
    expect(await names('older_days=30&unused_days=90&state=active')).toEqual(['ownerWide'])
    await keys.ownerWide!.api.get('/auth/session')
    expect(await names('unused_days=30')).toEqual(['ownerProd'])
  })

  it('400 for a state out of the enum and for days that are no whole number in range', async () => {
    for (const query of ['state=gone', 'unused_days=-1', 'unused_days=x', 'older_days=36501', 'older_days=1.5'])
      expect((await tenant.owner.api.get(`/api-keys?${query}`)).status, query).toBe(400)
  })
})
