import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../db/new-id.ts'
import {
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  giveEnvironment,
  type TestKey,
  type TestPerson,
  type TestTenant,
} from '../testing/arrange.ts'
import { startTestServer, type TestServer } from '../testing/start-test-server.ts'
import { Authenticator } from './authenticate.ts'
import { isStale, type KeyCaller, requireSameCaller } from './require-same-caller.ts'

let server: TestServer
let tenant: TestTenant
let member: TestPerson
let key: TestKey

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())
beforeEach(async () => {
  tenant = await createTenant(server)
  member = await addPerson(server, tenant.id, { email: `${newId()}@example.com` })
  key = await addKey(server, tenant.id, member)
})

const create = (body: object = {}) =>
  key.api.post('/agents', { name: 'made', environment_id: tenant.development, ...body })
/** Lets the server remember the caller and the environment; the second request begins ahead. */
const warmUp = async () => {
  for (let n = 0; n < 2; n++) expect((await create()).status).toBe(201)
}
const setUser = (column: string, value: unknown) =>
  server.owner.query(`update users set ${column} = $2 where id = $1`, [member.id, value])
const setKey = (column: string, value: unknown) =>
  server.owner.query(`update api_keys set ${column} = $2 where id = $1`, [key.id, value])
const setEnvironment = (column: string, value: unknown) =>
  server.owner.query(`update environments set ${column} = $2 where id = $1`, [tenant.development, value])

const rowsOf = async () => {
  const tables = ['agents', 'audit_entries', 'audit_unsealed', 'reviews', 'agent_grants']
  const counts = tables.map((table) =>
    server.owner.query(`select count(*)::int as n from ${table} where tenant_id = $1`, [tenant.id]),
  )
  const looked = await server.owner.query(
    `select count(*)::int as n from credential_lookup where tenant_id = $1 and kind = 'agent'`,
    [tenant.id],
  )
  return [...(await Promise.all(counts)), looked].map(({ rows }) => rows[0].n)
}

/** Asks after a change that the server has not been told of, and sees that a refusal writes nothing. */
async function refused(change: () => Promise<unknown>, body: object = {}) {
  await warmUp()
  await tenant.owner.api.get('/audit/verify')
  const before = await rowsOf()
  await change()
  const answer = await create(body)
  expect(await rowsOf()).toEqual(before)
  return answer
}

describe('a change begun for who the caller was is refused as one begun for who they are, and writes nothing', () => {
  it('401 for a revoked key, an expired one and one whose creator was removed', async () => {
    const invalid = { status: 401, body: { error: 'invalid API key', code: 401 } }
    expect(await refused(() => setKey('revoked_at', new Date()))).toMatchObject(invalid)
    await setKey('revoked_at', null)
    expect(await refused(() => setKey('expires_at', new Date(Date.now() - 1000)))).toMatchObject(invalid)
    await setKey('expires_at', null)
    const answer = await refused(() => server.owner.query('delete from users where id = $1', [member.id]))
    expect(answer).toMatchObject(invalid)
    expect(answer.headers.get('ratelimit-limit')).toBeNull()
  })

  it('401 comes before anything that is wrong with the body', async () => {
    const answer = await refused(() => setKey('revoked_at', new Date()), { name: 7 })
    expect(answer.status).toBe(401)
  })

  it('403 for a narrowed key and a lowered role', async () => {
    expect(await refused(() => setKey('scopes', ['policies:write']))).toMatchObject({
      status: 403,
      body: { error: 'API key scope does not permit this operation' },
    })
    await setKey('scopes', [])
    expect((await refused(() => setUser('role', 'viewer'))).status).toBe(403)
  })

  it('403 for a creator who is a learner by now', async () => {
    const answer = await refused(() => setUser('academy_only', true))
    expect(answer).toMatchObject({ status: 403, body: { code: 'academy_only_account' } })
  })

  it('403 for a key that is bound to another environment by now; 401 once that is gone', async () => {
    expect((await refused(() => setKey('environment_id', tenant.production))).status).toBe(403)
    const { body } = await tenant.owner.api.post('/environments', { name: 'Short', slug: 'short' })
    await setKey('environment_id', body.id)
    expect((await create({ environment_id: undefined })).status).toBe(201)
    expect((await create({ environment_id: undefined })).status).toBe(201)
    await server.owner.query('delete from agents where environment_id = $1', [body.id])
    await server.owner.query('delete from environments where id = $1', [body.id])
    expect((await create({ environment_id: undefined })).status).toBe(401)
  })

  it('404 for a scoped creator whose access to the environment was taken away, 400 for an environment that is gone', async () => {
    await setUser('access_scope', 'scoped')
    await giveEnvironment(server, tenant.id, member.id, tenant.development)
    const answer = await refused(() =>
      server.owner.query('delete from environment_access where user_id = $1', [member.id]),
    )
    expect(answer.status).toBe(404)
    await setUser('access_scope', 'all')
    const gone = await refused(async () => {
      await server.owner.query('update agents set environment_id = $2 where environment_id = $1', [
        tenant.development,
        tenant.production,
      ])
      await server.owner.query('delete from environments where id = $1', [tenant.development])
    })
    expect(gone).toMatchObject({ status: 400, body: { error: 'environment_id names no environment' } })
  })

  it('400 for a bad body, 415 for another type', async () => {
    expect((await refused(async () => {}, { name: '' })).status).toBe(400)
    const headers = { 'content-type': 'text/plain', authorization: `Bearer ${key.raw}` }
    const answer = await fetch(`${server.url}/api/v1/agents`, { method: 'POST', headers, body: '{}' })
    expect(answer.status).toBe(415)
  })
})

describe('a change begun for who the caller was is made for who they are', () => {
  it('a caller narrowed to their own agents is granted what they create', async () => {
    await warmUp()
    await setUser('access_scope', 'scoped')
    await giveEnvironment(server, tenant.id, member.id, tenant.development)
    const { status, body } = await create()
    expect(status).toBe(201)
    const { rows } = await server.owner.query('select user_id from agent_grants where agent_id = $1', [body.agent.id])
    expect(rows).toEqual([{ user_id: member.id }])
  })

  it('the trail names the caller and their key as they are now', async () => {
    await warmUp()
    await setUser('email', 'renamed@example.com')
    await setKey('name', 'renamed')
    const { body } = await create()
    const entries = await auditEntries(server, tenant.id)
    const entry = entries.find(({ agent_id }: { agent_id: string }) => agent_id === body.agent.id)
    expect(entry).toMatchObject({ actor_email: 'renamed@example.com', api_key_name: 'renamed' })
  })

  it('a gate that was raised since holds the agent back, and an environment that became production asks an owner', async () => {
    await warmUp()
    await tenant.owner.api.put('/governance-gate', { gate: 'off' })
    await create()
    expect((await create()).body.agent.lifecycle_status).toBe('approved')
    await tenant.owner.api.put('/governance-gate', { gate: 'enforce' })
    const held = (await create()).body.agent
    expect(held.lifecycle_status).toBe('proposed')
    await create()
    await setEnvironment('is_production', true)
    const asked = (await create()).body.agent
    const roleOf = async (id: string) =>
      (await server.owner.query('select assigned_role from reviews where agent_id = $1', [id])).rows
    expect(await roleOf(held.id)).toEqual([{ assigned_role: 'manager' }])
    expect(await roleOf(asked.id)).toEqual([{ assigned_role: 'owner' }])
  })

  it('the answer shows the environment as it is', async () => {
    await warmUp()
    await setEnvironment('name', 'Renamed')
    for (let n = 0; n < 2; n++) expect((await create()).body.agent.environment.name).toBe('Renamed')
  })

  it('the mode is that of the environment as it is', async () => {
    const policy = (await tenant.owner.api.post('/policies', { name: 'P' })).body
    const mode = async () => (await create({ policy_id: policy.id })).body.agent.governance_mode
    await setEnvironment('governance_mode', 'enforce')
    for (let n = 0; n < 2; n++) expect(await mode()).toBe('enforce')
    await setEnvironment('governance_mode', 'monitor')
    for (let n = 0; n < 2; n++) expect(await mode()).toBe('monitor')
  })

  it('each request is counted once, whether it was begun ahead, begun anew or refused', async () => {
    await warmUp()
    const left = async (answer: ReturnType<typeof create>) => Number((await answer).headers.get('ratelimit-remaining'))
    const first = await left(create())
    expect(await left(create())).toBe(first - 1)
    await setUser('email', 'other@example.com')
    expect(await left(create())).toBe(first - 2)
    expect(await left(create({ name: '' }))).toBe(first - 3)
    expect(await left(create())).toBe(first - 4)
  })

  it('the key’s time of use is that of the request', async () => {
    await warmUp()
    await setKey('last_used_at', null)
    const before = Date.now()
    expect((await create()).status).toBe(201)
    const { body } = await tenant.owner.api.get('/api-keys')
    const { last_used_at } = body.data.find(({ id }: { id: string }) => id === key.id)
    expect(Date.parse(last_used_at)).toBeGreaterThanOrEqual(before)
  })
})

it('a dead key spends nothing of its tenant’s rate, however its header is written', async () => {
  await warmUp()
  const other = await addKey(server, tenant.id, tenant.owner)
  const left = async () => Number((await other.api.get('/tenants')).headers.get('ratelimit-remaining'))
  const schemes = ['Bearer', 'bearer', 'BEARER', 'Bearer  ', 'Bearer   ']
  const post = (scheme: string) =>
    key.api.post(
      '/agents',
      { name: 'n', environment_id: tenant.development },
      { authorization: `${scheme} ${key.raw}` },
    )
  for (const scheme of schemes) expect((await post(scheme)).status).toBe(201)
  await setKey('revoked_at', new Date())
  const before = await left()
  for (const scheme of schemes) expect((await post(scheme)).status).toBe(401)
  await Promise.all(schemes.map(post))
  expect(await left()).toBe(before - 1)
})

describe('a revocation', () => {
  it('of changes begun while the key is revoked, none is made that was not when the revocation was answered', async () => {
    await warmUp()
    const agents = async () => (await rowsOf())[0]
    const changes = Array.from({ length: 60 }, async (_, at) => {
      await sleep(at)
      return (await create()).status
    })
    await sleep(25)
    expect((await tenant.owner.api.delete(`/api-keys/${key.id}`)).status).toBe(200)
    const made = await agents()
    const statuses = await Promise.all(changes)
    expect(await agents()).toBe(made)
    expect(statuses.filter((status) => status === 201)).toHaveLength(made - 2)
    expect(new Set(statuses)).toEqual(new Set([201, 401]))
  })
})

describe('whether a key’s caller is who they were', () => {
  const actor = async () => {
    const found = await new Authenticator(server.services).member(`Bearer ${key.raw}`)
    if (!('actor' in found)) throw new Error(found.refused)
    return found.actor as KeyCaller
  }
  const isSame = (who: KeyCaller) =>
    server.services.db
      .transaction(tenant.id, (tx) => requireSameCaller(tx, who, new Date().toISOString()))
      .then(
        () => true,
        (error) => {
          if (!isStale(error)) throw error
          return false
        },
      )

  const other = newId()
  const changes: [string, (who: KeyCaller) => Partial<KeyCaller>][] = [
    ['userId', () => ({ userId: other })],
    ['accountId', () => ({ accountId: other })],
    ['accountId, none', () => ({ accountId: null })],
    ['email', () => ({ email: 'x' })],
    ['displayName', () => ({ displayName: 'x' })],
    ['role', () => ({ role: 'viewer' })],
    ['accessScope', () => ({ accessScope: 'scoped' })],
    ['academyOnly', () => ({ academyOnly: true })],
    ['key.id', ({ key }) => ({ key: { ...(key as NonNullable<typeof key>), id: other } })],
    ['key.prefix', ({ key }) => ({ key: { ...(key as NonNullable<typeof key>), prefix: 'x' } })],
    ['key.name', ({ key }) => ({ key: { ...(key as NonNullable<typeof key>), name: 'x' } })],
    ['key.scopes', ({ key }) => ({ key: { ...(key as NonNullable<typeof key>), scopes: ['agents:write'] } })],
    ['key.environmentId', ({ key }) => ({ key: { ...(key as NonNullable<typeof key>), environmentId: other } })],
  ]

  it('they are, with each field as it is', async () => {
    expect(await isSame(await actor())).toBe(true)
    await setKey('environment_id', tenant.production)
    expect(await isSame(await actor())).toBe(true)
    await setUser('role', 'owner')
    await setUser('access_scope', 'scoped')
    expect(await isSame(await actor())).toBe(true)
  })

  it.each(changes)('not with another %s', async (_field, change) => {
    const now = await actor()
    expect(await isSame({ ...now, ...change(now) })).toBe(false)
  })

  it('no field of an actor is left out, but for what the look-up itself is by', async () => {
    const now = await actor()
    const named = new Set(changes.map(([name]) => name.split(/[.,]/)[0]))
    expect([...named, 'kind', 'tenantId'].toSorted()).toEqual(Object.keys(now).toSorted())
    const ofKey = changes.flatMap(([name]) => /^key\.(\w+)/.exec(name)?.[1] ?? [])
    expect(ofKey.toSorted()).toEqual(Object.keys(now.key as object).toSorted())
  })
})
