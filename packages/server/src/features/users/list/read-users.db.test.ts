import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../../db/ids/new-id.ts'
import { apiClient } from '../../../testing/api-client.ts'
import { addKey, addPerson, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant
let other: TestTenant

const names = (body: { data: { display_name: string }[] }) => body.data.map((user) => user.display_name)

describe('GET /users', () => {
  beforeAll(async () => {
    ;[tenant, other] = await Promise.all([createTenant(server), createTenant(server)])
    for (const [displayName, email] of [
      ['bea', 'zeta@example.org'],
      ['Ada', 'YOTA@example.org'],
      ['cleo 100%_\\', 'xi@example.org'],
      ['ada', 'omega@example.org'],
    ] as const) {
      await addPerson(server, tenant.id, { displayName, email })
    }
    await addPerson(server, tenant.id, { displayName: 'Pia', email: 'pia@example.org', status: 'pending' })
    await addPerson(server, tenant.id, {
      displayName: 'Lea',
      email: 'lea@example.org',
      role: 'viewer',
      academyOnly: true,
    })
    await addPerson(server, other.id, { displayName: 'Stranger', email: 'stranger@example.com' })
  })

  it('returns the tenant’s users, including pending invitations and Academy learners, one page at a time', async () => {
    const { status, body } = await tenant.owner.api.get('/users?limit=3&offset=2')
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(['data', 'limit', 'offset', 'total'])
    expect(body).toMatchObject({ total: 7, limit: 3, offset: 2 })
    expect(body.data).toHaveLength(3)
    const all = (await tenant.owner.api.get('/users')).body
    expect(all.data.slice(2, 5)).toEqual(body.data)
    expect(all.data.find((user: { status: string }) => user.status === 'pending')).toMatchObject({
      display_name: 'Pia',
    })
    expect(all.data.find((user: { academy_only: boolean }) => user.academy_only)).toMatchObject({ display_name: 'Lea' })
    expect(names(all)).not.toContain('Stranger')
    expect((await tenant.owner.api.get('/users?offset=50')).body).toEqual({ data: [], total: 7, limit: 50, offset: 50 })
  })

  it('every user of the tenant may list, also a scoped user and an environment-bound key; a learner may not', async () => {
    const viewer = await addPerson(server, other.id, { role: 'viewer', accessScope: 'scoped' })
    const key = await addKey(server, other.id, viewer, { environmentId: other.development })
    for (const api of [viewer.api, key.api]) expect((await api.get('/users')).body.total).toBe(3)
    const learner = await addPerson(server, other.id, { role: 'viewer', academyOnly: true })
    expect(await learner.api.get('/users')).toMatchObject({ status: 403, body: { code: 'academy_only_account' } })
    expect((await apiClient(server.url).get('/users')).status).toBe(401)
  })

  it('search is a case-insensitive substring match on display name or email, for the page and the total', async () => {
    const found = async (search: string) => {
      const { status, body } = await tenant.owner.api.get(
        `/users?sort_by=name&limit=1&search=${encodeURIComponent(search)}`,
      )
      expect(status).toBe(200)
      expect(body.data).toHaveLength(Math.min(body.total, 1))
      return [body.total, ...names(body)]
    }
    expect(await found('ADA')).toEqual([2, expect.stringMatching(/^ada$/i)])
    expect(await found('yota')).toEqual([1, 'Ada'])
    expect(await found('XI@example.org')).toEqual([1, 'cleo 100%_\\'])
    expect(await found('nobody')).toEqual([0])
    expect((await found(''))[0]).toBe(7)
  })

  it.each(['%', '_', '\\', '100%_\\'])('search has no special meaning for %s', async (search) => {
    const { body } = await tenant.owner.api.get(`/users?search=${encodeURIComponent(search)}`)
    expect(names(body)).toEqual(['cleo 100%_\\'])
  })

  it('sorts by name in any case, by email and by created_at, equal values by id', async () => {
    const sorted = async (query: string) =>
      names((await tenant.owner.api.get(`/users?search=a@example.org&${query}`)).body)
    expect(await sorted('sort_by=name&sort_order=asc')).toEqual(['Ada', 'ada', 'bea', 'Lea', 'Pia'])
    expect(await sorted('sort_by=name&sort_order=desc')).toEqual(['Pia', 'Lea', 'bea', 'ada', 'Ada'])
    expect(await sorted('sort_by=email&sort_order=asc')).toEqual(['Lea', 'ada', 'Pia', 'Ada', 'bea'])
    expect(await sorted('sort_by=created_at&sort_order=asc')).toEqual(['bea', 'Ada', 'ada', 'Pia', 'Lea'])
  })

  it('an unknown sort_by or sort_order gives the default order, not 400', async () => {
    const listed = async (query: string) => (await tenant.owner.api.get(`/users${query}`)).body.data
    const idsOf = (users: { id: string }[]) => users.map(({ id }) => id)
    const usual = await listed('')
    const created = usual.map((user: { created_at: string }) => user.created_at)
    expect(created).toEqual(created.toSorted().reverse())
    expect(idsOf(await listed('?sort_by=id&sort_order=sideways'))).toEqual(idsOf(usual))
    expect(idsOf(await listed('?sort_by=&sort_order=DESC'))).toEqual(idsOf(usual))
  })

  it('pages over equal values neither repeat nor miss a user', async () => {
    await server.owner.query("update users set created_at = '2026-01-01' where tenant_id = $1", [tenant.id])
    for (const sort of ['name', 'email', 'created_at']) {
      const seen: string[] = []
      for (let offset = 0; offset < 7; offset++) {
        const { body } = await tenant.owner.api.get(`/users?limit=1&offset=${offset}&sort_by=${sort}`)
        seen.push(body.data[0].id)
      }
      expect(new Set(seen).size).toBe(7)
    }
  })

  it('a limit above 200 counts as 200 and below 1 as 1, and a negative offset as 0, without 400', async () => {
    const limitOf = async (limit: string) => (await tenant.owner.api.get(`/users?limit=${limit}`)).body.limit
    expect([await limitOf('201'), await limitOf('99999999999'), await limitOf('0'), await limitOf('-3')]).toEqual([
      200, 200, 1, 1,
    ])
    expect((await tenant.owner.api.get('/users')).body.limit).toBe(50)
    expect((await tenant.owner.api.get('/users?offset=-1')).body.offset).toBe(0)
    expect((await tenant.owner.api.get('/users?limit=many')).status).toBe(400)
  })

  it('400 and not 500 for a NUL in search', async () => {
    expect((await tenant.owner.api.get('/users?search=%00')).status).toBe(400)
  })
})

describe('GET /users/{user_id}', () => {
  it('every user of the tenant may read any other user, and their own record', async () => {
    const viewer = await addPerson(server, other.id, { role: 'viewer', accessScope: 'scoped' })
    const { status, body } = await viewer.api.get(`/users/${other.owner.id}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      id: other.owner.id,
      tenant_id: other.id,
      email: other.owner.email,
      display_name: '',
      role: 'owner',
      status: 'active',
      academy_only: false,
      mfa_enrolled: false,
      factors: [],
      federated: false,
      access_scope: 'all',
      read_only: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect((await viewer.api.get(`/users/${viewer.id}`)).body).toMatchObject({ id: viewer.id, access_scope: 'scoped' })
    expect((await viewer.api.get(`/users/${viewer.id.toUpperCase()}`)).status).toBe(200)
  })

  it('an owner always has access scope all, whatever is stored', async () => {
    const owner = await addPerson(server, other.id, { role: 'owner', accessScope: 'scoped' })
    expect((await owner.api.get(`/users/${owner.id}`)).body.access_scope).toBe('all')
  })

  it('the same 404 for a user of another tenant and an unknown id; 400 for an id that is not a UUID', async () => {
    const foreign = await tenant.owner.api.get(`/users/${other.owner.id}`)
    const unknown = await tenant.owner.api.get(`/users/${newId()}`)
    expect([foreign.status, foreign.body]).toEqual([404, unknown.body])
    expect((await tenant.owner.api.get('/users/nonsense')).status).toBe(400)
  })

  it('a learner reads themselves; any other user, known or not, is 403 academy_only_account', async () => {
    const learner = await addPerson(server, other.id, { role: 'viewer', academyOnly: true })
    expect((await learner.api.get(`/users/${learner.id}`)).body).toMatchObject({ id: learner.id, academy_only: true })
    for (const id of [other.owner.id, newId()]) {
      expect(await learner.api.get(`/users/${id}`)).toMatchObject({
        status: 403,
        body: { code: 'academy_only_account' },
      })
    }
  })
})
