import { beforeEach, describe, expect, it } from 'vitest'
import { auditEntries, createTenant, type TestTenant } from '../../testing/arrange.ts'
import { useOwnServer } from '../../testing/use-test-server.ts'

const server = useOwnServer()
let tenant: TestTenant

beforeEach(async () => {
  tenant = await createTenant(server)
  await server.owner.query(`update tenants set plan = 'pro' where id = $1`, [tenant.id])
})

/** A pattern of words with about as many bytes as a pattern can have. */
const large = (name: string, group = 'internal') => ({
  name,
  group,
  kind: 'words',
  words: Array.from({ length: 20 }, (_, index) => `${index} ${'語'.repeat(190)}`),
})
const post = (body: object) => tenant.owner.api.post('/content-patterns', body)
let policies = 0
const newPolicy = async () => (await tenant.owner.api.post('/policies', { name: `P${policies++}` })).body.id as string
const bindingsOf = (id: string) => `/policies/${id}/content-bindings`
const put = (id: string, bindings: object[]) => tenant.owner.api.put(bindingsOf(id), { bindings })
const count = async (table: string) =>
  (await server.owner.query(`select count(*)::int as rows from ${table} where tenant_id = $1`, [tenant.id])).rows[0]
    .rows

describe('the size of patterns', () => {
  it('400 for words that are too long together', async () => {
    const words = Array.from({ length: 21 }, () => 'x'.repeat(200))
    expect(await post({ name: 'W', group: 'g', kind: 'words', words })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('words must have at most 4000 characters together') },
    })
  })

  it('409 if all patterns of the organization are too large together; a change may make them smaller', async () => {
    const statuses: number[] = []
    let last: { id: string } | null = null
    for (let n = 0; n < 25; n++) {
      const { status, body } = await post(large(`W${n}`))
      statuses.push(status)
      if (status === 201) last = body
      else expect(body.error).toBe('the content patterns of an organization have at most 262144 bytes together')
    }
    expect(statuses.filter((status) => status === 201)).toHaveLength(22)
    expect(new Set(statuses.slice(22))).toEqual(new Set([409]))
    const at = `/content-patterns/${last?.id}`
    expect((await tenant.owner.api.put(at, { name: 'x'.repeat(200), words: large('').words })).status).toBe(200)
    expect((await tenant.owner.api.put(at, { words: ['small'] })).status).toBe(200)
    expect((await post(large('again'))).status).toBe(201)
    expect((await tenant.owner.api.put(at, { words: large('').words })).status).toBe(409)
  })
})

describe('a save that changes nothing', () => {
  it('of a pattern stores no version of bindings and no audit entry', async () => {
    const { body } = await post({ name: 'P', group: 'internal', kind: 'regex', expression: 'falcon' })
    const id = await newPolicy()
    await put(id, [{ group: 'internal', on: 'results', action: 'flag' }])
    const entries = (await auditEntries(server, tenant.id)).length
    const same = await tenant.owner.api.put(`/content-patterns/${body.id}`, { name: 'P', expression: 'falcon' })
    expect(same).toMatchObject({ status: 200, body: { id: body.id, name: 'P' } })
    expect((await tenant.owner.api.get(bindingsOf(id))).body.version).toBe(1)
    expect(await auditEntries(server, tenant.id)).toHaveLength(entries)
  })

  it('of bindings keeps their version', async () => {
    const id = await newPolicy()
    const bindings = [{ group: 'secrets', on: 'results', action: 'flag' }]
    expect((await put(id, [])).body.version).toBe(1)
    expect((await put(id, bindings)).body.version).toBe(2)
    const entries = (await auditEntries(server, tenant.id)).length
    expect((await put(id, bindings)).body).toEqual({ version: 2, bindings })
    expect(await count('content_bindings_versions')).toBe(2)
    expect(await auditEntries(server, tenant.id)).toHaveLength(entries)
    expect((await put(id, [])).body.version).toBe(3)
  })
})

it('a change of a pattern stores its content once, however many policies bind it', async () => {
  const { body: pattern } = await post(large('Large'))
  await post(large('Other'))
  // More policies than are changed at once.
  const bound = await Promise.all(Array.from({ length: 60 }, newPolicy))
  for (const id of bound) await put(id, [{ group: 'internal', on: 'results', action: 'flag' }])
  expect(await count('content_pattern_revisions')).toBe(2)
  const changed = await tenant.owner.api.put(`/content-patterns/${pattern.id}`, { name: 'Renamed' })
  expect(changed.status).toBe(200)
  expect(await count('content_pattern_revisions')).toBe(3)
  expect(await count('content_bindings_versions')).toBe(120)
  const { rows } = await server.owner.query('select max(pg_column_size(v.*)) as bytes from content_bindings_versions v')
  expect(rows[0].bytes).toBeLessThan(2_000)
  for (const id of bound) {
    const { body } = await tenant.owner.api.get(`${bindingsOf(id)}/versions`)
    expect(body.data[0]).toMatchObject({ version: 2, diff: { patterns: [{ name: 'Renamed', change: 'changed' }] } })
  }
  const { body: detail } = await tenant.owner.api.get(`${bindingsOf(bound[0] as string)}/versions/2`)
  expect(detail.patterns.map(({ name }: { name: string }) => name)).toEqual(['Renamed', 'Other'])
  expect(detail.patterns[0].words).toEqual(large('').words)
  const refused = await tenant.owner.api.delete(`/content-patterns/${pattern.id}`)
  expect(refused).toMatchObject({
    status: 409,
    body: { error: expect.stringMatching(/"P\d+", "P\d+", "P\d+" and 57 more/) },
  })
})

it('429 while too many texts of the organization wait for their search', async () => {
  const slow = {
    id: 's',
    name: 's',
    group: 's',
    kind: 'regex',
    expression: '\\b(?:\\d[ -]?){13,19}\\b',
    builtin: false,
  } as const
  const job = { kind: 'find', patterns: [slow], text: '1 '.repeat(500_000), most: 1 } as const
  const jobs = Array.from({ length: 8 }, () => server.services.contentPool.run(job, tenant.id).catch(() => null))
  const refused = await tenant.owner.api.post('/content-patterns/test', { text: 'x' })
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  await Promise.all(jobs)
})
