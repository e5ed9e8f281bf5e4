import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../db/ids/new-id.ts'
import type { ApiClient } from '../../testing/api-client.ts'
import {
  addAgent,
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  grantAgent,
  type TestTenant,
} from '../../testing/arrange.ts'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant

beforeEach(async () => {
  tenant = await createTenant(server)
})

const rule = (priority: number, tools = ['mcp:files/read'], effect = 'allow') => ({
  priority,
  effect,
  match: { tools },
})
const whenPath = (op: string, value: unknown) => ({
  priority: 1,
  effect: 'deny',
  match: { tools: ['mcp:files/*'], when: [{ path: 'args.path', op, value }] },
})
const create = async (body: object = {}) => (await tenant.owner.api.post('/policies', { name: 'P', ...body })).body

describe('POST /policies', () => {
  it('201 with every field, version 1, its entity tag and rules ordered by priority', async () => {
    const { status, body, headers } = await tenant.owner.api.post('/policies', {
      name: '  Guard ',
      rules: [rule(20), { ...rule(10, ['*'], 'deny'), name: 'stop', reason: 'because', enabled: false }],
    })
    expect(status).toBe(201)
    expect(headers.get('etag')).toBe('"1"')
    expect(body).toEqual({
      id: expect.any(String),
      tenant_id: tenant.id,
      name: 'Guard',
      description: '',
      environment_id: null,
      override_mode: 'inherit',
      default_effect: 'deny',
      dlp_enabled: false,
      version: 1,
      rules: [
        {
          id: expect.any(String),
          name: 'stop',
          priority: 10,
          enabled: false,
          effect: 'deny',
          match: { tools: ['*'], when: [] },
          reason: 'because',
        },
        { id: expect.any(String), name: '', ...rule(20), enabled: true, match: expect.anything(), reason: '' },
      ],
      agents: 0,
      created_at: expect.any(String),
      updated_at: body.created_at,
      warnings: [],
    })
    const { warnings: _, ...stored } = body
    const read = await tenant.owner.api.get(`/policies/${body.id}`)
    expect(read.body).toEqual(stored)
    expect(read.headers.get('etag')).toBe('"1"')
  })

  it('a save warns of a rule that can never fire, and the warning is not stored', async () => {
    const saved = await create({ rules: [rule(5, ['mcp:files/*']), rule(9, ['*'], 'deny')] })
    expect(saved.warnings).toEqual([
      { rule_id: saved.rules[0].id, path: 'rules[0]', message: expect.stringContaining('can never fire') },
    ])
    expect((await tenant.owner.api.get(`/policies/${saved.id}`)).body.warnings).toBeUndefined()
  })

  it('a save warns of a rule that compares a path as text, and not of one that uses under', async () => {
    const saved = await create({
      rules: [
        whenPath('under', '/srv/secrets'),
        { ...whenPath('starts_with', '/srv/secrets/'), name: 'no secrets', priority: 2 },
      ],
    })
    const message = expect.stringMatching(/^rule "no secrets" compares args\.path .*use under$/)
    const warning = { rule_id: saved.rules[1].id, path: 'rules[1].match.when[0]', message }
    expect(saved.warnings).toEqual([warning])
    expect((await tenant.owner.api.get(`/policies/${saved.id}`)).body.warnings).toBeUndefined()
    const at = `/policies/${saved.id}/rules/${saved.rules[1].id}`
    expect((await tenant.owner.api.put(at, { reason: 'secret' })).body.warnings).toEqual([warning])
    const changed = await tenant.owner.api.put(at, { match: whenPath('not_under', '/srv/public').match })
    expect(changed.body.warnings).toEqual([])
  })

  it.each([
    [
      { rules: [whenPath('under', 'srv/secrets')] },
      'rules[0].match.when[0].value must be an absolute path or a file: URL',
    ],
    [{ rules: [whenPath('not_under', '/srv/../etc')] }, 'rules[0].match.when[0].value must be an absolute path'],
    [{ rules: [whenPath('under', 'file://host/srv')] }, 'rules[0].match.when[0].value must be an absolute path'],
    [{ rules: [whenPath('under', ['/srv'])] }, 'rules[0].match.when[0].value must be an absolute path'],
    [{ rules: [rule(1, ['mcp:files/read', 'mcp:files'])] }, 'rules[0].match.tools[1]'],
    [{ rules: [rule(1), rule(2, ['*', 'x:a/b'])] }, 'rules[1].match.tools[1]'],
    [{ rules: [rule(1, ['mcp:a*b*/c*d*e*'])] }, 'rules[0].match.tools[0]'],
    [{ rules: [rule(1, [`mcp:${'a'.repeat(65)}/b`])] }, 'rules[0].match.tools[0]'],
    [{ rules: [rule(1, ['mcp:a/\0'])] }, 'rules[0].match.tools[0]'],
    [{ rules: [rule(1, [7 as never])] }, 'rules[0].match.tools[0]'],
    [{ rules: [rule(1, [])] }, 'rules[0].match.tools'],
    [{ rules: [rule(1, Array(101).fill('*'))] }, 'rules[0].match.tools'],
    [{ rules: [{ effect: 'allow', match: { tools: ['*'] } }] }, 'rules[0].priority'],
    [{ rules: [rule(1), rule(2), rule(1)] }, 'rules[2].priority'],
    [{ rules: [rule(2 ** 31)] }, 'rules[0].priority'],
    [{ rules: [rule(1.5)] }, 'rules[0].priority'],
    [{ rules: [rule(1, ['*'], 'forbid')] }, 'rules[0].effect'],
    [{ rules: [null] }, 'rules[0]'],
    [{ rules: Array.from({ length: 1001 }, (_, n) => rule(n)) }, 'rules'],
    [{ rules: 'none' }, 'rules'],
    [{ name: ' ' }, 'name'],
    [{ name: 'a'.repeat(201) }, 'name'],
    [{ name: 'a\0' }, 'name'],
    [{ name: '\ud800' }, 'name'],
    [{ name: null }, 'name'],
    [{ description: null }, 'description'],
    [{ override_mode: 'off' }, 'override_mode'],
    [{ default_effect: null }, 'default_effect'],
    [{ dlp_enabled: 'yes' }, 'dlp_enabled'],
    [{ environment_id: 'production' }, 'environment_id'],
    [{ environment_id: newId() }, 'environment_id'],
  ])('400 naming the field and nothing written: %j', async (body, field) => {
    const { status, body: answer } = await tenant.owner.api.post('/policies', { name: 'P', ...body })
    expect(status).toBe(400)
    expect(answer.error.startsWith(field)).toBe(true)
    expect((await tenant.owner.api.get('/policies')).body.total).toBe(0)
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it.each([
    [{ path: 'user.id', op: 'eq', value: 1 }, 'path'],
    [{ path: 'args.', op: 'eq', value: 1 }, 'path'],
    [{ path: 'args.a', op: 'like', value: 1 }, 'op'],
    [{ path: 'args.a', op: 'eq' }, 'value'],
    [{ path: 'args.a', op: 'eq', value: null }, 'value'],
    [{ path: 'args.a', op: 'eq', value: { a: 1 } }, 'value'],
    [{ path: 'args.a', op: 'eq', value: '\ud800' }, 'value'],
    [{ path: 'args.a', op: 'in', value: [] }, 'value'],
    [{ path: 'args.a', op: 'gt', value: '3' }, 'value'],
  ])('400 naming the condition: %j', async (condition, field) => {
    const when = [{ path: 'args.ok', op: 'exists', value: true }, condition]
    const { status, body } = await tenant.owner.api.post('/policies', {
      name: 'P',
      rules: [{ ...rule(1), match: { tools: ['*'], when } }],
    })
    expect(status).toBe(400)
    expect(body.error).toContain(`rules[0].match.when[1].${field} `)
  })

  it('400 for an infinite number, and the same 400 for an unknown environment and one of another tenant', async () => {
    const infinite = `{"name":"P","rules":[{"priority":1,"effect":"deny","match":{"tools":["*"],"when":[{"path":"args.a","op":"eq","value":1e999}]}}]}`
    expect((await tenant.owner.api.post('/policies', infinite)).status).toBe(400)
    const other = await createTenant(server)
    const unknown = await tenant.owner.api.post('/policies', { name: 'P', environment_id: newId() })
    const foreign = await tenant.owner.api.post('/policies', { name: 'P', environment_id: other.production })
    expect(foreign.body).toEqual(unknown.body)
  })

  it('a policy may have 1000 rules and can be saved again', async () => {
    const rules = Array.from({ length: 1000 }, (_, n) => rule(n, [`mcp:server-${n}/read`, `mcp:server-${n}/list*`]))
    const saved = await create({ rules })
    expect(saved.rules.length).toBe(1000)
    const { status } = await tenant.owner.api.put(`/policies/${saved.id}`, { description: 'again' })
    expect(status).toBe(200)
  })

  it('402 plan_upgrade_required if DLP is turned on below Pro, by a creation or an update; Pro may', async () => {
    const free = await createTenant(server, { plan: 'free' })
    const refused = await free.owner.api.post('/policies', { name: 'P', dlp_enabled: true })
    expect(refused.status).toBe(402)
    expect(refused.body).toMatchObject({
      code: 'plan_upgrade_required',
      minimum_plan: 'pro',
      current_plan: 'free',
    })
    const { body: policy } = await free.owner.api.post('/policies', { name: 'P' })
    expect((await free.owner.api.put(`/policies/${policy.id}`, { dlp_enabled: true })).status).toBe(402)
    expect((await free.owner.api.get(`/policies/${policy.id}/versions`)).body.total).toBe(1)
    const pro = await createTenant(server, { plan: 'pro' })
    expect((await pro.owner.api.post('/policies', { name: 'P', dlp_enabled: true })).status).toBe(201)
  })

  it('403 for a viewer on every write, before the body is validated; members may write', async () => {
    const policy = await create({ rules: [rule(1)] })
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    const member = await addPerson(server, tenant.id, { role: 'member' })
    const at = `/policies/${policy.id}`
    const calls = [
      () => viewer.api.post('/policies', { name: 5 }),
      () => viewer.api.put(at, { name: 5 }),
      () => viewer.api.delete(at),
      () => viewer.api.post(`${at}/rules`, {}),
      () => viewer.api.put(`${at}/rules/${policy.rules[0].id}`, { priority: 'x' }),
      () => viewer.api.delete(`${at}/rules/${policy.rules[0].id}`),
      () => viewer.api.post(`${at}/versions/1/restore`),
    ]
    for (const call of calls) expect((await call()).status).toBe(403)
    expect((await viewer.api.get(at)).status).toBe(200)
    expect((await member.api.post('/policies', { name: 'Mine' })).status).toBe(201)
    expect((await member.api.put(at, { name: 'Ours' })).status).toBe(200)
  })
})

describe('PUT /policies/{policy_id}', () => {
  it('changes the sent fields, keeps the others and the rules, and returns the next version', async () => {
    const policy = await create({ description: 'kept', rules: [rule(1)] })
    const { status, body, headers } = await tenant.owner.api.put(`/policies/${policy.id}`, {
      name: 'New',
      override_mode: 'monitor',
      rules: [],
      version: 77,
    })
    expect(status).toBe(200)
    expect(headers.get('etag')).toBe('"2"')
    expect(body).toEqual({
      ...policy,
      name: 'New',
      override_mode: 'monitor',
      version: 2,
      updated_at: expect.any(String),
    })
  })

  it('412 if If-Match is not the current version, and nothing is saved; the current version saves', async () => {
    const policy = await create()
    const at = `/policies/${policy.id}`
    expect((await tenant.owner.api.put(at, { name: 'A' }, { 'if-match': '"1"' })).status).toBe(200)
    const stale = await tenant.owner.api.put(at, { name: 'B' }, { 'if-match': '"1"' })
    expect(stale.status).toBe(412)
    expect((await tenant.owner.api.post(`${at}/rules`, rule(1), { 'if-match': '"1"' })).status).toBe(412)
    expect((await tenant.owner.api.delete(at, undefined, { 'if-match': '"1"' })).status).toBe(412)
    expect((await tenant.owner.api.post(`${at}/versions/1/restore`, undefined, { 'if-match': '"1"' })).status).toBe(412)
    expect((await tenant.owner.api.get(at)).body).toMatchObject({ name: 'A', version: 2 })
  })

  it('404 for an unknown policy and a policy of another tenant, with a valid and a malformed body', async () => {
    const other = await createTenant(server)
    const { body: foreign } = await other.owner.api.post('/policies', { name: 'P' })
    for (const id of [newId(), foreign.id]) {
      for (const body of [{ name: 'N' }, { name: 5 }]) {
        expect((await tenant.owner.api.put(`/policies/${id}`, body)).status).toBe(404)
      }
      expect((await tenant.owner.api.get(`/policies/${id}`)).status).toBe(404)
      expect((await tenant.owner.api.get(`/policies/${id}/versions`)).status).toBe(404)
      expect((await tenant.owner.api.get(`/policies/${id}/versions/1`)).status).toBe(404)
      expect((await tenant.owner.api.post(`/policies/${id}/versions/1/restore`)).status).toBe(404)
      expect((await tenant.owner.api.post(`/policies/${id}/simulate`, { calls: [{ tool: 'fn:a/b' }] })).status).toBe(
        404,
      )
      expect((await tenant.owner.api.delete(`/policies/${id}`)).status).toBe(404)
    }
    expect((await tenant.owner.api.get('/policies/nonsense')).status).toBe(400)
  })

  it('409 for a move to an environment while runtime agents of another use the policy; SaaS and archived agents do not prevent it', async () => {
    const policy = await create()
    await addAgent(server, tenant.id, { policyId: policy.id, source: 'github' })
    await addAgent(server, tenant.id, { policyId: policy.id, environmentId: tenant.production, status: 'archived' })
    await addAgent(server, tenant.id, { policyId: policy.id, environmentId: tenant.development })
    const at = `/policies/${policy.id}`
    expect((await tenant.owner.api.put(at, { environment_id: tenant.production })).status).toBe(409)
    expect((await tenant.owner.api.put(at, { environment_id: tenant.development })).body.version).toBe(2)
    expect((await tenant.owner.api.put(at, { environment_id: null })).body.environment_id).toBeNull()
  })
})

describe('DELETE /policies/{policy_id}', () => {
  it('409 while an agent uses it; then 204, and its versions and rules are deleted and archived agents lose it', async () => {
    const policy = await create({ rules: [rule(1)] })
    const agent = await addAgent(server, tenant.id, { policyId: policy.id, environmentId: tenant.production })
    const at = `/policies/${policy.id}`
    expect((await tenant.owner.api.delete(at)).status).toBe(409)
    await server.owner.query(`update agents set status = 'archived' where id = $1`, [agent])
    expect((await tenant.owner.api.delete(at)).status).toBe(204)
    expect((await tenant.owner.api.get(at)).status).toBe(404)
    const { rows } = await server.owner.query(
      'select (select count(*)::int from policy_versions where policy_id = $1) + (select count(*)::int from policy_rules where policy_id = $1) as left',
      [policy.id],
    )
    expect(rows[0].left).toBe(0)
    const entry = (await auditEntries(server, tenant.id)).at(-1)
    expect(entry).toMatchObject({ event_type: 'policy.deleted', resource_id: policy.id, details: { version: 1 } })
  })
})

describe('a policy that is being assigned to an agent', () => {
  it('409 for a deletion and for a move that waited for the assignment', async () => {
    const [doomed, moved] = [await create({ name: 'A' }), await create({ name: 'B' })]
    const agents = await Promise.all(
      [doomed, moved].map(() => addAgent(server, tenant.id, { environmentId: tenant.production })),
    )
    const assigning = await server.owner.connect()
    try {
      await assigning.query('begin')
      await assigning.query('update agents set policy_id = $1 where id = $2', [doomed.id, agents[0]])
      await assigning.query('update agents set policy_id = $1 where id = $2', [moved.id, agents[1]])
      const waiting = Promise.all([
        tenant.owner.api.delete(`/policies/${doomed.id}`),
        tenant.owner.api.put(`/policies/${moved.id}`, { environment_id: tenant.development }),
      ])
      await blocked(2)
      await assigning.query('commit')
      expect((await waiting).map(({ status }) => status)).toEqual([409, 409])
    } finally {
      assigning.release()
    }
  })
})

/** Resolves when this many statements of the database wait for a lock. */
async function blocked(count: number): Promise<void> {
  const waiting = `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  while ((await server.owner.query(waiting)).rows[0].count < count) await new Promise((done) => setTimeout(done, 10))
}

describe('GET /policies', () => {
  it('lists newest first, by page, and filters by environment', async () => {
    const first = await create({ name: 'first', environment_id: tenant.production })
    const second = await create({ name: 'second', rules: [rule(1)] })
    const page = (await tenant.owner.api.get('/policies?limit=1&include=rules')).body
    expect(page).toMatchObject({ total: 2, limit: 1, offset: 0, data: [{ id: second.id, rules: [{ priority: 1 }] }] })
    const beyond = (await tenant.owner.api.get('/policies?offset=5&limit=999')).body
    expect(beyond).toEqual({ data: [], total: 2, limit: 200, offset: 5 })
    const narrowed = (await tenant.owner.api.get(`/policies?environment_id=${tenant.production}`)).body
    expect(narrowed.data.map(({ id }: { id: string }) => id)).toEqual([first.id])
    expect(narrowed.total).toBe(1)
  })

  const names = async (query: string, api = tenant.owner.api) => {
    const { status, body } = await api.get(`/policies?${query}`)
    expect(status, query).toBe(200)
    expect(body.total).toBe(body.data.length)
    return body.data.map(({ name }: { name: string }) => name)
  }

  it('search finds a text in the name of the policy or of a rule', async () => {
    await create({ name: 'Payments 100%' })
    await create({ name: 'Files', rules: [{ ...rule(1), name: 'No payments_here' }] })
    expect(await names('search=PAYMENTS')).toEqual(['Files', 'Payments 100%'])
    expect(await names('search=100%25')).toEqual(['Payments 100%'])
    expect(await names('search=payments_')).toEqual(['Files'])
    expect(await names(`search=files&environment_id=${tenant.production}`)).toEqual([])
    expect((await tenant.owner.api.get(`/policies?search=${'a'.repeat(201)}`)).status).toBe(400)
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    expect(await names('search=payments', bound.api)).toEqual([])
  })

  it('sort orders by name or by the last save; another value counts as the newest first', async () => {
    const b = await create({ name: 'b' })
    await create({ name: 'C' })
    await create({ name: 'a' })
    await tenant.owner.api.put(`/policies/${b.id}`, { description: 'saved last' })
    expect(await names('sort=name')).toEqual(['a', 'b', 'C'])
    expect(await names('sort=updated_at')).toEqual(['b', 'a', 'C'])
    for (const sort of ['', 'sort=created_at', 'sort=size']) expect(await names(sort)).toEqual(['a', 'C', 'b'])
  })

  it('the rules are in the list only with include=rules', async () => {
    await create({ rules: [rule(1)] })
    const [{ rules, ...rest }] = (await tenant.owner.api.get('/policies?include=rules')).body.data
    expect(rules).toHaveLength(1)
    expect((await tenant.owner.api.get('/policies')).body.data).toEqual([rest])
    expect((await tenant.owner.api.get('/policies?include=may,rules')).body.data).toMatchObject([{ rules }])
    expect((await tenant.owner.api.get('/policies?include=may')).body.data[0]).not.toHaveProperty('rules')
    expect((await tenant.owner.api.get('/policies?include=versions')).status).toBe(400)
  })

  it('agents counts the agents that the caller sees, without archived ones', async () => {
    const { id } = await create()
    const [first] = [
      await addAgent(server, tenant.id, { environmentId: tenant.development, policyId: id }),
      await addAgent(server, tenant.id, { environmentId: tenant.production, policyId: id }),
      await addAgent(server, tenant.id, { environmentId: tenant.development, policyId: id, status: 'archived' }),
      await addAgent(server, tenant.id, { environmentId: tenant.development }),
    ]
    const agents = async (api: ApiClient) => {
      const one = (await api.get(`/policies/${id}`)).body.agents
      expect((await api.get('/policies')).body.data[0]?.agents).toBe(one)
      return one
    }
    expect(await agents(tenant.owner.api)).toBe(2)
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    expect(await agents(scoped.api)).toBe(0)
    await grantAgent(server, tenant.id, scoped.id, first!)
    expect(await agents(scoped.api)).toBe(1)
    const own = await create({ environment_id: tenant.production })
    await addAgent(server, tenant.id, { environmentId: tenant.production, policyId: own.id })
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    expect((await bound.api.get('/policies')).body.data).toMatchObject([{ id: own.id, agents: 1 }])
    const saved = (await tenant.owner.api.put(`/policies/${id}`, { description: 'saved' })).body
    expect([own.agents, saved.agents]).toEqual([0, 2])
  })
})
