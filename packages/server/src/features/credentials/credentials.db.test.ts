import { Credential, mostCredentials } from '@mandate/contract/credentials'
import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../db/ids/new-id.ts'
import {
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  giveEnvironment,
  type TestTenant,
} from '../../testing/arrange.ts'
import { addEdge } from '../../testing/arrange-agents.ts'
import { useOwnServer } from '../../testing/use-test-server.ts'
import { secretContext } from './rules.ts'

const server = useOwnServer()
let tenant: TestTenant
beforeEach(async () => {
  tenant = await createTenant(server)
})

const secret = 'a-secret-nobody-sees'
const bearer = (changed: object = {}) => ({
  name: 'tickets',
  kind: 'bearer',
  environment_id: tenant.development,
  secret,
  ...changed,
})
const create = async (changed: object = {}): Promise<Credential> => {
  const { status, body } = await tenant.owner.api.post('/credentials', bearer(changed))
  expect(body).toMatchObject({ id: expect.any(String) })
  expect(status).toBe(201)
  return body
}
const eventsOf = async (type: string) =>
  (await auditEntries(server, tenant.id)).filter(({ event_type }) => event_type === type)
const everythingStored = async () => {
  const { rows } = await server.owner.query(
    `select table_name as name from information_schema.columns where column_name = 'tenant_id' and table_schema = 'public'`,
  )
  const tables = rows.map(({ name }) => server.owner.query(`select * from ${name} where tenant_id = $1`, [tenant.id]))
  return JSON.stringify((await Promise.all(tables)).map((table) => table.rows))
}

describe('POST /credentials', () => {
  it.each([
    ['bearer', undefined, {}],
    ['header', { header: 'X-Api-Key' }, { header: 'X-Api-Key' }],
    ['basic', { username: 'üser name', other: 'x' }, { username: 'üser name' }],
    ['environment', { variable: 'API_KEY' }, { variable: 'API_KEY' }],
    ['oauth_client_credentials', { token_url: 'https://id.example.com/token', client_id: 'me', scope: 'read' }, null],
  ])('201 for the kind %s, without the secret', async (kind, config, stored) => {
    const body = await create({ kind, config })
    expect(Credential.parse(body)).toEqual(body)
    expect(body).toEqual({
      id: body.id,
      name: 'tickets',
      kind,
      environment_id: tenant.development,
      config: stored ?? config,
      version: 1,
      created_by: tenant.owner.id,
      last_used_at: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: body.created_at,
    })
    const [entry] = await eventsOf('credential.created')
    expect(entry).toMatchObject({ resource_name: 'tickets', environment_id: tenant.development })
    expect(entry.details).toEqual({ kind, environment_id: tenant.development, config: body.config, version: 1 })
  })

  it('stores the secret only sealed, bound to its tenant and its credential', async () => {
    const { id } = await create()
    expect(await everythingStored()).not.toContain(secret)
    const { rows } = await server.owner.query('select secret_sealed as sealed from credentials where id = $1', [id])
    const open = (context: string) => server.services.vault.open(rows[0].sealed, context)
    expect(open(secretContext(tenant.id, id))).toBe(secret)
    expect(() => open(secretContext(tenant.id, newId()))).toThrow()
    expect(() => open(secretContext(newId(), id))).toThrow()
  })

  const malformed: [changed: object, error: RegExp][] = [
    [{ name: 'Tickets' }, /^name /],
    [{ name: 'a'.repeat(64) }, /^name /],
    [{ kind: 'cookie' }, /^kind /],
    [{ secret: '' }, /^secret /],
    [{ secret: 'a\r\nX-Injected: b' }, /^secret must be a token/],
    [{ secret: 'x'.repeat(10_001) }, /^secret /],
    [{ kind: 'header' }, /^config.header is required/],
    [{ kind: 'header', config: { header: 'a b' } }, /^config.header must be the name/],
    [{ kind: 'header', config: { header: 'Content-Length' } }, /^config.header must not be a header of the transport/],
    [{ kind: 'header', config: { header: 'Mcp-Session-Id' } }, /^config.header must not be/],
    [{ kind: 'header', config: { header: 'X-Key' }, secret: ' padded' }, /^secret must be the value of a header/],
    [{ kind: 'basic', config: { username: 'a:b' } }, /^config.username /],
    [{ kind: 'basic', config: { username: 'a' }, secret: 'a\nb' }, /^secret must not have control characters/],
    [{ kind: 'environment', config: { variable: 'A=B' } }, /^config.variable /],
    [{ kind: 'oauth_client_credentials', config: { token_url: 'https://a.example' } }, /^config.client_id is required/],
    ...['http://id.example.com', 'https://169.254.169.254/x', 'https://localhost', 'https://10.0.0.1', 'x'].map(
      (token_url): [object, RegExp] => [
        { kind: 'oauth_client_credentials', config: { token_url, client_id: 'a' } },
        /^config.token_url must/,
      ],
    ),
    [{ config: { __proto__: null, header: 1 } }, /^config.header /],
    [{ environment_id: newId() }, /^environment_id: environment not found/],
  ]
  it.each(malformed)('400 for %j, naming the field, and nothing is written', async (changed, error) => {
    const answer = await tenant.owner.api.post('/credentials', bearer(changed))
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(error) } })
    if ('secret' in changed && changed.secret !== '')
      expect(JSON.stringify(answer.body)).not.toContain(String(changed.secret))
    expect(await auditEntries(server, tenant.id)).toEqual([])
    const { rows } = await server.owner.query('select 1 from credential_names where tenant_id = $1', [tenant.id])
    expect(rows).toEqual([])
  })

  it('409 for a name that is taken in the environment; 201 in another environment', async () => {
    await create()
    expect((await tenant.owner.api.post('/credentials', bearer())).status).toBe(409)
    await create({ environment_id: tenant.production })
    expect(await eventsOf('credential.created')).toHaveLength(2)
  })

  it('409 above the limit of an environment, also for requests at the same time', async () => {
    await server.owner.query(
      `insert into credentials (tenant_id, id, environment_id, name, kind, secret_sealed, version, created_at, updated_at)
       select $1, gen_random_uuid(), $2, 'n-' || n, 'bearer', '', 1, now(), now() from generate_series(1, $3::int) n`,
      [tenant.id, tenant.development, mostCredentials - 1],
    )
    const sent = ['a', 'b', 'c', 'd'].map((name) => tenant.owner.api.post('/credentials', bearer({ name })))
    const statuses = (await Promise.all(sent)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([201, 409, 409, 409])
  })

  it('one of two requests with the same name gets 201, the other 409', async () => {
    const sent = Array.from({ length: 4 }, () => tenant.owner.api.post('/credentials', bearer()))
    const statuses = (await Promise.all(sent)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([201, 409, 409, 409])
    expect(await eventsOf('credential.created')).toHaveLength(1)
  })
})

describe('who may use credentials', () => {
  it('403 for member, viewer, a bound key and a read-only key that change; a malformed body changes nothing about it', async () => {
    const { id } = await create()
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const readOnly = await addKey(server, tenant.id, tenant.owner, { scopes: ['credentials:read'] })
    const member = await addPerson(server, tenant.id, { role: 'member' })
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    for (const { api } of [bound, readOnly, member, viewer]) {
      for (const body of [bearer({ name: 'more' }), {}, '{']) {
        expect((await api.post('/credentials', body)).status).toBe(403)
        expect((await api.put(`/credentials/${id}`, body)).status).toBe(403)
        expect((await api.post(`/credentials/${id}/rotate`, body)).status).toBe(403)
      }
      expect((await api.delete(`/credentials/${id}?force=true`)).status).toBe(403)
    }
    expect((await bound.api.get('/credentials')).status).toBe(403)
    for (const { api } of [readOnly, member, viewer])
      expect((await api.get('/credentials')).body.data).toMatchObject([{ id, version: 1 }])
  })

  it('404 for a credential of another tenant, and in an environment that a scoped manager has no access to', async () => {
    const { id } = await create()
    const own = await create({ environment_id: tenant.production, name: 'own' })
    const other = await createTenant(server)
    const scoped = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
    await giveEnvironment(server, tenant.id, scoped.id, tenant.production)
    for (const { api } of [other.owner, scoped]) {
      expect((await api.put(`/credentials/${id}`, { name: 'mine' })).status).toBe(404)
      expect((await api.put(`/credentials/${id}`, '{')).status).toBe(404)
      expect((await api.post(`/credentials/${id}/rotate`, { secret: 'x' })).status).toBe(404)
      expect((await api.delete(`/credentials/${id}?force=true`)).status).toBe(404)
    }
    expect((await other.owner.api.get('/credentials')).body.total).toBe(0)
    expect((await scoped.api.get('/credentials')).body).toMatchObject({ data: [{ id: own.id }], total: 1 })
    expect((await scoped.api.post('/credentials', bearer({ name: 'x' }))).status).toBe(404)
    const mine = await scoped.api.post('/credentials', bearer({ name: 'x', environment_id: tenant.production }))
    expect(mine.status).toBe(201)
    expect((await scoped.api.post(`/credentials/${mine.body.id}/rotate`, { secret: 'y' })).status).toBe(200)
  })

  it('GET /credentials is sorted by name, filtered by environment and paged', async () => {
    const [b, a] = [await create({ name: 'b' }), await create({ name: 'a', environment_id: tenant.production })]
    const { api } = tenant.owner
    expect((await api.get('/credentials')).body).toEqual({ data: [a, b], total: 2, limit: 50, offset: 0 })
    expect((await api.get('/credentials?limit=1&offset=1')).body.data).toEqual([b])
    expect((await api.get(`/credentials?environment_id=${tenant.production}`)).body.data).toEqual([a])
    const [told] = (await api.get('/credentials?include=may,names')).body.data
    expect(told.may).toEqual(['updateCredential', 'rotateCredential', 'deleteCredential'])
    expect((await api.get('/credentials?environment_id=x')).status).toBe(400)
  })
})

describe('PUT /credentials/{credential_id}', () => {
  it('200 for a new name and new settings; the version rises and the secret stays', async () => {
    const before = await create({ kind: 'header', config: { header: 'X-One' } })
    const change = { name: 'other', config: { header: 'X-Two' } }
    const { status, body } = await tenant.owner.api.put(`/credentials/${before.id}`, change)
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, ...change, version: 1, updated_at: body.updated_at })
    const [entry] = await eventsOf('credential.updated')
    expect(entry.details.changes).toEqual([
      { field: 'name', from: 'tickets', to: 'other' },
      { field: 'config', from: { header: 'X-One' }, to: { header: 'X-Two' } },
    ])
    const again = await tenant.owner.api.put(`/credentials/${before.id}`, { config: { header: 'X-Three' } })
    expect(again.body).toMatchObject({ name: 'other', config: { header: 'X-Three' }, version: 2 })
  })

  it('200 without an entry if nothing changes; 400 for settings of another kind; 409 for a taken name', async () => {
    const { id, ...rest } = await create()
    await create({ name: 'taken' })
    const put = (body: object) => tenant.owner.api.put(`/credentials/${id}`, body)
    expect((await put({ name: 'tickets', config: {} })).body).toEqual({ id, ...rest })
    expect((await put({ name: 'taken' })).status).toBe(409)
    const header = await create({ name: 'h', kind: 'header', config: { header: 'X-One' } })
    expect((await tenant.owner.api.put(`/credentials/${header.id}`, { config: { header: 'Host' } })).status).toBe(400)
    expect(await eventsOf('credential.updated')).toEqual([])
  })

  it('400 for a token URL of another server without the secret, so that nobody can send the stored one to a server of their choice', async () => {
    const config = { token_url: 'https://id.example.com/token', client_id: 'me' }
    const before = await create({ kind: 'oauth_client_credentials', config })
    const put = (body: object) => tenant.owner.api.put(`/credentials/${before.id}`, body)
    const sealed = async () =>
      (await server.owner.query('select secret_sealed as sealed from credentials where id = $1', [before.id])).rows[0]
        .sealed
    const stored = await sealed()
    for (const token_url of [
      'https://evil.example.com/token',
      'https://id.example.com:444/token',
      'https://id.example.com.evil.example/token',
    ]) {
      const { status, body } = await put({ name: 'other', config: { ...config, token_url } })
      expect([status, body.error]).toEqual([
        400,
        'secret is required if config.token_url names another server, because the stored secret is not sent there',
      ])
    }
    expect([await eventsOf('credential.updated'), await sealed()]).toEqual([[], stored])
    expect((await put({ config: { ...config, token_url: 'https://id.example.com/v2/token' } })).status).toBe(200)
    expect(await sealed()).toBe(stored)
    const moved = { ...config, token_url: 'https://login.example.com/token' }
    const { status, body } = await put({ config: moved, secret: 'the-new-secret' })
    expect([status, body]).toEqual([200, { ...before, config: moved, version: 3, updated_at: body.updated_at }])
    const open = server.services.vault.open(await sealed(), secretContext(tenant.id, before.id))
    expect(open).toBe('the-new-secret')
    const entries = await eventsOf('credential.updated')
    expect(entries.at(-1)?.details).toMatchObject({ secret_replaced: true, version: 3 })
    expect(JSON.stringify(entries)).not.toContain('the-new-secret')
  })

  it('two that swap names at the same time end with different names', async () => {
    const [a, b] = [await create({ name: 'a' }), await create({ name: 'b' })]
    const [one, two] = await Promise.all([
      tenant.owner.api.put(`/credentials/${a.id}`, { name: 'b' }),
      tenant.owner.api.put(`/credentials/${b.id}`, { name: 'a' }),
    ])
    for (const { status } of [one, two]) expect([200, 409]).toContain(status)
    const { data } = (await tenant.owner.api.get('/credentials')).body
    expect(data.map(({ name }: Credential) => name)).toEqual(['a', 'b'])
  })
})

describe('POST /credentials/{credential_id}/rotate', () => {
  it('200 with the next version; the secret is neither answered nor audited; two at the same time both count', async () => {
    const { id } = await create()
    const secrets = ['second-secret', 'third-secret']
    const sent = secrets.map((one) => tenant.owner.api.post(`/credentials/${id}/rotate`, { secret: one }))
    const answers = await Promise.all(sent)
    expect(answers.map(({ body }) => body.version).toSorted()).toEqual([2, 3])
    const stored = await everythingStored()
    for (const one of [secret, ...secrets]) expect(JSON.stringify(answers) + stored).not.toContain(one)
    expect((await eventsOf('credential.rotated')).map(({ details }) => details.version).toSorted()).toEqual([2, 3])
    const edge = await addEdge(server, tenant.id, tenant.development)
    const { body } = await edge.get('/edge/credentials/tickets?server=a')
    expect(body).toMatchObject({ version: 3, secret: answers[0]?.body.version === 3 ? secrets[0] : secrets[1] })
  })

  it('400 for a secret that the kind cannot send', async () => {
    const { id } = await create()
    for (const body of [{}, { secret: '' }, { secret: 'a b' }, { secret: 7 }])
      expect((await tenant.owner.api.post(`/credentials/${id}/rotate`, body)).status).toBe(400)
    expect(await eventsOf('credential.rotated')).toEqual([])
  })
})

describe('a deleted environment', () => {
  it('takes its credentials with it, audited; those of other environments stay', async () => {
    const staging = (await tenant.owner.api.post('/environments', { name: 'Staging', slug: 'staging' })).body.id
    const { id } = await create({ environment_id: staging })
    const kept = await create()
    expect((await tenant.owner.api.delete(`/environments/${staging}`)).status).toBe(204)
    expect((await tenant.owner.api.get('/credentials')).body.data).toEqual([kept])
    expect(await eventsOf('credential.deleted')).toMatchObject([{ resource_id: id, environment_id: staging }])
    const { rows } = await server.owner.query('select name from credential_names where environment_id = $1', [staging])
    expect(rows).toEqual([])
  })
})
