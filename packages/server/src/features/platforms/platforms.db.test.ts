import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../db/ids/new-id.ts'
import { addAgent, addKey, addPerson, auditEntries, createTenant, type TestTenant } from '../../testing/arrange.ts'
import { useTestServer } from '../../testing/use-test-server.ts'
import { secretContext } from './rules.ts'

const server = useTestServer()
let tenant: TestTenant
beforeEach(async () => {
  tenant = await createTenant(server, { plan: 'pro' })
})

const secret = 'ghp_a-secret-nobody-sees'
const github = { kind: 'github', name: 'Ours', config: { organization: 'engines' }, auth_secret: secret }
const connect = async (body: object = github) => (await tenant.owner.api.post('/platforms', body)).body
const setPlan = (plan: string) => server.owner.query('update tenants set plan = $2 where id = $1', [tenant.id, plan])
const upgrade = { code: 'plan_upgrade_required', minimum_plan: 'pro', current_plan: 'free' }

describe('GET /platforms', () => {
  it('200 with the tenant’s connections, oldest first, and the result of their last synchronization', async () => {
    const other = await createTenant(server)
    await other.owner.api.post('/platforms', github)
    const first = await connect()
    const second = await connect({ kind: 'snowflake', name: 'Warehouse' })
    await tenant.owner.api.post(`/platforms/${second.id}/sync`)
    const answer = await tenant.owner.api.get('/platforms')
    expect(answer).toMatchObject({ status: 200, body: { total: 2, limit: 50, offset: 0 } })
    expect(answer.body.data).toEqual([first, second])
    expect(first).toEqual({
      id: first.id,
      tenant_id: tenant.id,
      kind: 'github',
      name: 'Ours',
      config: { organization: 'engines' },
      has_auth_secret: true,
      last_sync_status: null,
      last_sync_at: null,
      last_error: null,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect(second).toMatchObject({ has_auth_secret: false, config: {} })
    for (const query of ['Limit=1&Offset=1', 'limit=1&offset=1']) {
      const page = await tenant.owner.api.get(`/platforms?${query}`)
      expect(page.body).toEqual({ data: [second], total: 2, limit: 1, offset: 1 })
    }
  })

  it('402 below the Pro plan, with the required plan; 200 on Pro and on Enterprise', async () => {
    for (const [plan, status] of [
      ['free', 402],
      ['pro', 200],
      ['enterprise', 200],
    ] as const) {
      await setPlan(plan)
      expect((await tenant.owner.api.get('/platforms')).status).toBe(status)
    }
    await setPlan('free')
    expect((await tenant.owner.api.get('/platforms')).body).toMatchObject(upgrade)
  })

  it('200 for every role, scoped users and environment-bound keys, because a connection has no environment', async () => {
    const { id } = await connect()
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const people = [
      await addPerson(server, tenant.id, { role: 'viewer' }),
      await addPerson(server, tenant.id, { role: 'member', accessScope: 'scoped' }),
    ]
    for (const { api } of [bound, ...people]) {
      expect((await api.get('/platforms')).body.data).toMatchObject([{ id }])
    }
  })

  it('never returns the stored secret, in no response and no audit entry, only has_auth_secret; it is stored sealed', async () => {
    const created = await connect()
    const listed = (await tenant.owner.api.get('/platforms')).body
    const entries = await auditEntries(server, tenant.id)
    expect(JSON.stringify([created, listed, entries])).not.toContain(secret)
    const { rows } = await server.owner.query('select * from platforms where tenant_id = $1', [tenant.id])
    expect(JSON.stringify(rows)).not.toContain(secret)
    const sealed = rows[0].auth_secret_sealed
    const open = (context: string) => server.services.vault.open(sealed, context)
    expect(open(secretContext(tenant.id, created.id))).toBe(secret)
    expect(() => open(secretContext(tenant.id, newId()))).toThrow()
    expect(() => open(secretContext(newId(), created.id))).toThrow()
  })
})

describe('POST /platforms', () => {
  it('201 for every kind, audited as platform.connected', async () => {
    for (const kind of ['github', 'salesforce', 'm365', 'snowflake']) {
      const answer = await tenant.owner.api.post('/platforms', { ...github, kind })
      expect(answer).toMatchObject({ status: 201, body: { kind, config: { organization: 'engines' } } })
    }
    const entries = await auditEntries(server, tenant.id)
    expect(entries.map(({ event_type }) => event_type)).toEqual(Array(4).fill('platform.connected'))
    expect(entries[0].details).toMatchObject({ has_auth_secret: true, config: { organization: 'engines' } })
  })

  it('403 for member, viewer and an owner’s environment-bound key, whatever the body; 201 for a manager', async () => {
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const member = await addPerson(server, tenant.id, { role: 'member' })
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    await setPlan('free')
    for (const { api } of [bound, member, viewer]) {
      for (const body of [github, {}, '{']) expect((await api.post('/platforms', body)).status).toBe(403)
    }
    await setPlan('pro')
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    expect((await manager.api.post('/platforms', github)).status).toBe(201)
  })

  it('400 for a malformed body before 402 for the plan; nothing is written', async () => {
    await setPlan('free')
    expect((await tenant.owner.api.post('/platforms', { ...github, name: '' })).status).toBe(400)
    expect((await tenant.owner.api.post('/platforms', { ...github, config: {} })).status).toBe(400)
    expect(await tenant.owner.api.post('/platforms', github)).toMatchObject({ status: 402, body: upgrade })
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it.each([
    [{ kind: 'gitlab' }, /^kind /],
    [{ name: ' ' }, /^name /],
    [{ config: 'x' }, /^config /],
    [{ config: { organization: 7 } }, /^config.organization /],
    [{ config: undefined }, /^config.organization /],
    [{ config: { organization: '../admin' } }, /^config.organization /],
    [{ config: { organization: 'engines', base_url: 'https://169.254.169.254' } }, /^config.base_url must not be/],
    [{ config: { organization: 'engines', base_url: 'http://127.0.0.1' } }, /^config.base_url must begin/],
    [{ auth_secret: '' }, /^auth_secret /],
    [{ auth_secret: 'a\r\nX-Injected: b' }, /^auth_secret /],
    [{ auth_secret: null }, /^auth_secret /],
  ])('400 for %j, naming the field', async (changed, error) => {
    const answer = await tenant.owner.api.post('/platforms', { ...github, ...changed })
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(error) } })
  })
})

describe('DELETE /platforms/{platform_id}', () => {
  it('204 on every plan; agents discovered through it stay; audited as platform.disconnected', async () => {
    const { id } = await connect()
    const agentId = await addAgent(server, tenant.id)
    await server.owner.query('update agents set platform_id = $2 where id = $1', [agentId, id])
    await setPlan('free')
    expect((await tenant.owner.api.delete(`/platforms/${id}`)).status).toBe(204)
    const { rows } = await server.owner.query('select platform_id, status from agents where id = $1', [agentId])
    expect(rows).toEqual([{ platform_id: null, status: expect.not.stringMatching('archived') }])
    expect((await tenant.owner.api.delete(`/platforms/${id}`)).status).toBe(404)
    const types = (await auditEntries(server, tenant.id)).map(({ event_type }) => event_type)
    expect(types.filter((type) => type === 'platform.disconnected')).toHaveLength(1)
  })

  it('403 for member and an environment-bound key, 404 for an id of another tenant, 400 for an id that is not a UUID', async () => {
    const { id } = await connect()
    const other = await createTenant(server)
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const member = await addPerson(server, tenant.id, { role: 'member' })
    for (const path of [`/platforms/${id}`, `/platforms/${newId()}`]) {
      for (const { api } of [bound, member]) {
        expect((await api.delete(path)).status).toBe(403)
        expect((await api.post(`${path}/sync`)).status).toBe(403)
      }
      expect((await other.owner.api.delete(path)).status).toBe(404)
      expect((await other.owner.api.post(`${path}/sync`)).status).toBe(404)
    }
    expect((await tenant.owner.api.delete('/platforms/x')).status).toBe(400)
    expect((await tenant.owner.api.get('/platforms')).body.total).toBe(1)
  })
})
