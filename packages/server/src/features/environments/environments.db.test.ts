import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../db/ids/new-id.ts'
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
let other: TestTenant
let scopedManager: TestPerson

beforeAll(async () => {
  other = await createTenant(server)
})
beforeEach(async () => {
  tenant = await createTenant(server)
  scopedManager = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
  await giveEnvironment(server, tenant.id, scopedManager.id, tenant.development)
})

const idsOf = async (caller: Pick<TestPerson, 'api'>) => {
  const { body } = await caller.api.get('/environments')
  expect(body.total).toBe(body.data.length)
  return body.data.map(({ id }: { id: string }) => id)
}

describe('GET /environments and GET /environments/{environment_id}', () => {
  it('200 for any user with access scope all: all environments of the tenant and none of another', async () => {
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    expect(await idsOf(viewer)).toEqual([tenant.production, tenant.development])
    const { body } = await viewer.api.get(`/environments/${tenant.production}`)
    expect(body).toEqual({
      id: tenant.production,
      tenant_id: tenant.id,
      name: 'Production',
      slug: 'production',
      is_production: true,
      governance_mode: 'enforce',
      tool_pinning: 'alert',
      keep_arguments_for_replay: false,
      created_at: expect.stringMatching(/Z$/),
    })
  })

  it('a scoped user lists only those they have access to; any other is 404, and new access applies at once', async () => {
    expect(await idsOf(scopedManager)).toEqual([tenant.development])
    expect((await scopedManager.api.get(`/environments/${tenant.production}`)).status).toBe(404)
    await giveEnvironment(server, tenant.id, scopedManager.id, tenant.production)
    expect((await scopedManager.api.get(`/environments/${tenant.production}`)).status).toBe(200)
  })

  it('an environment-bound key lists only its own, and nothing if its creator has no access', async () => {
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    expect(await idsOf(bound)).toEqual([tenant.production])
    expect((await bound.api.get(`/environments/${tenant.development}`)).status).toBe(404)
    const both = await addKey(server, tenant.id, scopedManager, { environmentId: tenant.production })
    expect(await idsOf(both)).toEqual([])
  })

  it('404 for an unknown environment and an environment of another tenant, 400 for an id that is not a UUID, 401 without credentials', async () => {
    expect((await tenant.owner.api.get(`/environments/${newId()}`)).status).toBe(404)
    expect((await tenant.owner.api.get(`/environments/${other.development}`)).status).toBe(404)
    expect((await tenant.owner.api.get('/environments/x')).status).toBe(400)
    expect((await apiClient(server.url).get('/environments')).status).toBe(401)
  })
})

describe('POST /environments', () => {
  const staging = { name: ' Staging ', slug: 'staging' }

  it('201 for a manager or owner with access scope all; the default is enforce and not production', async () => {
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const { status, body } = await manager.api.post('/environments', staging)
    expect(status).toBe(201)
    expect(body).toMatchObject({ name: 'Staging', slug: 'staging', is_production: false, governance_mode: 'enforce' })
    const said = { name: 'Live', slug: 'live', is_production: true, governance_mode: 'monitor' }
    expect((await tenant.owner.api.post('/environments', said)).body).toMatchObject(said)
    const [entry] = await auditEntries(server, tenant.id)
    expect(entry).toMatchObject({
      event_type: 'environment.created',
      actor_user_id: manager.id,
      resource_id: body.id,
      resource_name: 'Staging',
      environment_id: body.id,
      details: {
        slug: 'staging',
        is_production: false,
        governance_mode: 'enforce',
        tool_pinning: 'alert',
        keep_arguments_for_replay: false,
      },
    })
  })

  it('403 for member, viewer, a scoped manager and an environment-bound key, before the 400 of a malformed body', async () => {
    const callers = [
      await addPerson(server, tenant.id, { role: 'member' }),
      await addPerson(server, tenant.id, { role: 'viewer' }),
      scopedManager,
      await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production }),
    ]
    for (const { api } of callers) {
      expect((await api.post('/environments', staging)).status).toBe(403)
      expect((await api.post('/environments', { slug: 7 })).status).toBe(403)
    }
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it.each(['', 'Staging', 'a_b', 'a b', 'ü', 'x'.repeat(64)])('400 for the slug %j', async (slug) => {
    const answer = await tenant.owner.api.post('/environments', { name: 'S', slug })
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^slug /) } })
  })

  it('409 for a slug that the tenant already has; another tenant may use it', async () => {
    expect((await tenant.owner.api.post('/environments', { name: 'P', slug: 'production' })).status).toBe(409)
    expect((await other.owner.api.post('/environments', staging)).status).toBe(201)
    expect((await tenant.owner.api.post('/environments', staging)).status).toBe(201)
  })

  it('of ten concurrent creations with one slug, one is 201 and nine are 409', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => tenant.owner.api.post('/environments', { name: 'Race', slug: 'race' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
    expect(await auditEntries(server, tenant.id)).toHaveLength(1)
  })
})

describe('PUT /environments/{environment_id}', () => {
  const put = (caller: Pick<TestPerson, 'api'>, id: string, body: unknown) =>
    caller.api.put(`/environments/${id}`, body)

  it('200; an omitted field keeps its value, and the entry has the old and new value of each change', async () => {
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const answer = await put(manager, tenant.development, { name: 'Dev', governance_mode: 'monitor' })
    expect(answer).toMatchObject({
      status: 200,
      body: { name: 'Dev', slug: 'development', is_production: false, governance_mode: 'monitor' },
    })
    const [entry] = await auditEntries(server, tenant.id)
    expect(entry.event_type).toBe('environment.updated')
    expect(entry.details).toEqual({
      changes: [
        { field: 'name', from: 'Development', to: 'Dev' },
        { field: 'governance_mode', from: 'enforce', to: 'monitor' },
      ],
    })
  })

  it('200 and no entry when nothing changes', async () => {
    expect((await put(tenant.owner, tenant.development, { name: 'Development' })).status).toBe(200)
    expect((await put(tenant.owner, tenant.development, {})).status).toBe(200)
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it('403 for member, viewer, a scoped manager and a bound key; 404 comes first if the caller cannot see it', async () => {
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const member = await addPerson(server, tenant.id, { role: 'member' })
    for (const caller of [bound, member, scopedManager]) {
      expect((await put(caller, tenant.development, { name: 'Mine' })).status).toBe(403)
      expect((await put(caller, tenant.development, { name: 7 })).status).toBe(403)
    }
    for (const caller of [bound, scopedManager]) {
      expect((await put(caller, tenant.production, { name: 'Mine' })).status).toBe(404)
      expect((await put(caller, tenant.production, { name: 7 })).status).toBe(404)
    }
    for (const id of [newId(), other.development])
      expect((await put(tenant.owner, id, { name: 'Mine' })).status).toBe(404)
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it('409 if another environment has the slug, also for two concurrent changes', async () => {
    expect((await put(tenant.owner, tenant.development, { slug: 'production' })).status).toBe(409)
    const answers = await Promise.all(
      [tenant.development, tenant.production].map((id) => put(tenant.owner, id, { slug: 'live' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  it('403 for a manager who sets is_production to false, because it protects from deletion and reserves reviews for owners', async () => {
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    expect((await put(manager, tenant.production, { is_production: false })).status).toBe(403)
    expect((await put(manager, tenant.development, { is_production: true })).status).toBe(200)
    expect((await put(tenant.owner, tenant.production, { is_production: false })).status).toBe(200)
  })

  it.each([
    [{ name: '' }, /^name /],
    [{ name: null }, /^name /],
    [{ slug: 'A' }, /^slug /],
    [{ is_production: 'yes' }, /^is_production /],
    [{ governance_mode: 'off' }, /^governance_mode /],
  ])('400 for %j, naming the field', async (body, error) => {
    const answer = await put(tenant.owner, tenant.development, body)
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(error) } })
  })
})
