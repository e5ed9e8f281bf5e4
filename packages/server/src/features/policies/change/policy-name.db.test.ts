import { nameKey } from '@mandate/contract/fields/name-key'
import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../../db/ids/new-id.ts'
import {
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  giveEnvironment,
  type TestTenant,
} from '../../../testing/arrange.ts'
import { addPolicy } from '../../../testing/arrange-agents.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant

beforeEach(async () => {
  tenant = await createTenant(server)
})

const post = (body: object) => tenant.owner.api.post('/policies', body)
const put = (id: string, body: object) => tenant.owner.api.put(`/policies/${id}`, body)
const create = async (body: object): Promise<string> => {
  const { status, body: policy } = await post(body)
  expect(status, JSON.stringify(policy)).toBe(201)
  return policy.id
}
/** The refusal of a name that the policy has. */
const takenBy = (id: string) => ({
  status: 409,
  body: { code: 'policy_name_taken', error: expect.stringMatching(new RegExp(`^name: policy ${id} already has`)) },
})
/** Gives a policy a name directly in the database, as policies have that are older than the rule. */
async function addNamed(name: string): Promise<string> {
  const { id } = await addPolicy(server, tenant.id)
  await server.owner.query('update policies set name = $2 where id = $1', [id, name])
  return id
}

describe('two policies of an environment have different names', () => {
  it('409 for a creation with a name of the environment in any Unicode form, or with characters that nobody sees, and nothing is saved', async () => {
    const first = await create({ name: 'Réad é'.normalize('NFD') })
    const mixed = `${'Réad '.normalize('NFD')}${'é'.normalize('NFC')}`
    const before = (await auditEntries(server, tenant.id)).length
    const hidden = ['R\u200déad é', '\ufeffRéad é', 'Réad\u{e0041} é\ufe0f', 'Re\u034f\u0301ad é', 'Réad é \u00ad']
    for (const name of ['Réad é'.normalize('NFC'), 'Réad é'.normalize('NFD'), mixed, ` ${mixed} `, ...hidden]) {
      expect(await post({ name })).toMatchObject(takenBy(first))
    }
    expect((await tenant.owner.api.get('/policies')).body.total).toBe(1)
    expect((await auditEntries(server, tenant.id)).length).toBe(before)
  })

  it('each environment, the policies for every environment, and each tenant have names of their own; letter case differs', async () => {
    const placed = { name: 'Read', environment_id: tenant.production }
    const first = await create(placed)
    await create({ ...placed, environment_id: tenant.development })
    await create({ name: 'Read' })
    await create({ name: 'read' })
    const other = await createTenant(server)
    expect((await other.owner.api.post('/policies', { name: 'Read' })).status).toBe(201)
    expect(await post(placed)).toMatchObject(takenBy(first))
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    expect(await key.api.post('/policies', { name: 'Read' })).toMatchObject(takenBy(first))
  })

  it('409 for a new name and for a move, by both routes; the policy stays as it was', async () => {
    const [first, second] = [await create({ name: 'A' }), await create({ name: 'B' })]
    const elsewhere = await create({ name: 'A', environment_id: tenant.production })
    expect(await put(second, { name: 'A' })).toMatchObject(takenBy(first))
    expect(await put(elsewhere, { environment_id: null })).toMatchObject(takenBy(first))
    expect(await put(first, { environment_id: tenant.production })).toMatchObject(takenBy(elsewhere))
    const { body: stored } = await tenant.owner.api.get(`/policies/${second}`)
    const { description, environment_id, override_mode, default_effect, dlp_enabled, rules } = stored
    const document = { name: 'A', description, environment_id, override_mode, default_effect, dlp_enabled, rules }
    expect(await put(`${second}/document`, document)).toMatchObject(takenBy(first))
    expect((await tenant.owner.api.get(`/policies/${second}`)).body).toEqual(stored)
    expect((await put(second, { name: 'A', environment_id: tenant.development })).status).toBe(200)
  })

  it('409 for a restored version whose name another policy got since', async () => {
    const [first, second] = [await create({ name: 'A' }), await create({ name: 'B' })]
    expect((await put(second, { name: 'C' })).status).toBe(200)
    expect((await put(first, { name: 'B' })).status).toBe(200)
    expect(await tenant.owner.api.post(`/policies/${second}/versions/1/restore`)).toMatchObject(takenBy(first))
    expect((await tenant.owner.api.delete(`/policies/${first}`)).status).toBe(204)
    expect((await tenant.owner.api.post(`/policies/${second}/versions/1/restore`)).status).toBe(200)
  })

  it('400 for a document with faults and 403 for a place out of reach come before the 409', async () => {
    await create({ name: 'A', environment_id: tenant.production })
    await create({ name: 'A' })
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    const faulty = { name: 'A', rules: [{ priority: 1, effect: 'allow', match: { tools: ['mcp:files'] } }] }
    expect((await post(faulty)).status).toBe(400)
    expect((await scoped.api.post('/policies', { name: 'A', environment_id: null })).status).toBe(403)
    expect((await scoped.api.post('/policies', { name: 'A', environment_id: tenant.production })).status).toBe(400)
    expect((await scoped.api.post('/policies', { name: 'A', environment_id: tenant.development })).status).toBe(201)
  })
})

describe('the comparison of names', () => {
  it('ignores the same characters in SQL as in the contract, and trims the same white space', async () => {
    const { rows } = await server.owner.query(
      `select code, name_key('a' || chr(code) || 'b') inside, name_key('a' || chr(code)) behind
       from unnest(array[int4range(1, x'd800'::int), int4range(x'e000'::int, x'20000'::int), int4range(x'e0000'::int, x'e1010'::int)]) blocks,
         generate_series(lower(blocks), upper(blocks) - 1) code`,
    )
    expect(rows.length).toBeGreaterThan(130_000)
    const differ = rows.filter(({ code, inside, behind }) => {
      const character = String.fromCodePoint(code)
      return inside !== nameKey(`a${character}b`) || behind !== nameKey(`a${character}`)
    })
    expect(differ).toEqual([])
  })
})

describe('policies that already have the same name', () => {
  it('are saved with a warning while neither name nor environment changes, and can be renamed', async () => {
    const [first, second] = [await addNamed('A'), await addNamed('A\u200d')]
    const warnings = [{ path: 'name', message: expect.stringContaining(first) }]
    expect(await put(second, { description: 'd' })).toMatchObject({ status: 200, body: { warnings } })
    expect(await put(second, { name: 'A' })).toMatchObject({ status: 200, body: { warnings } })
    const rule = { priority: 1, effect: 'allow', match: { tools: ['mcp:files/read'] } }
    const added = await tenant.owner.api.post(`/policies/${second}/rules`, rule)
    expect(added).toMatchObject({ status: 201, body: { warnings } })
    expect(await put(second, { name: 'B' })).toMatchObject({ status: 200, body: { warnings: [] } })
    expect(await put(second, { name: 'A' })).toMatchObject(takenBy(first))
  })
})

describe('a check without a save', () => {
  it('validate warns of a name that another policy has, if the caller sees this policy', async () => {
    const id = await create({ name: 'A', environment_id: tenant.production })
    const placed = { name: 'A', environment_id: tenant.production }
    const validate = async (api = tenant.owner.api, body: object = placed) =>
      (await api.post('/policies/validate', body)).body.warnings
    const about = [{ path: 'name', message: expect.stringContaining(id) }]
    expect(await validate()).toEqual(about)
    expect(await validate(tenant.owner.api, { name: 'A' })).toEqual([])
    expect(await validate(tenant.owner.api, { environment_id: tenant.production })).toEqual([])
    expect(await validate(tenant.owner.api, { ...placed, environment_id: newId() })).toEqual([])
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    expect(await validate(scoped.api)).toEqual([])
  })

  it('simulate warns of a document with a new name or environment that another policy has', async () => {
    const [first, second] = [await create({ name: 'A' }), await create({ name: 'B' })]
    const warnings = async (document: object) =>
      (await tenant.owner.api.post(`/policies/${second}/simulate`, { document, calls: [{ tool: 'fn:a/b' }] })).body
        .warnings
    expect(await warnings({ name: 'A' })).toEqual([{ path: 'name', message: expect.stringContaining(first) }])
    expect(await warnings({ name: 'B' })).toEqual([])
    expect(await warnings({ name: 'A', environment_id: tenant.production })).toEqual([])
  })
})

describe('saves at the same time', () => {
  it('of 10 creations with one name one is saved and nine are 409', async () => {
    const forms = ['é', 'é'.normalize('NFD'), 'é\u200d', '\u2060é', 'é\ufe0f']
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => post({ name: forms[n % 5] })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
  })

  it('of a creation, a new name, a move and a restore to one name, one is saved', async () => {
    const renamed = await create({ name: 'B' })
    const moved = await create({ name: 'A', environment_id: tenant.production })
    const restored = await create({ name: 'A' })
    expect((await put(restored, { name: 'C' })).status).toBe(200)
    const answers = await Promise.all([
      post({ name: 'A' }),
      put(renamed, { name: 'A' }),
      put(moved, { environment_id: null }),
      tenant.owner.api.post(`/policies/${restored}/versions/1/restore`),
    ])
    expect(answers.filter(({ status }) => status === 409).length).toBe(3)
    const { body } = await tenant.owner.api.get('/policies')
    const same = body.data.filter((p: { name: string; environment_id: null }) => p.name === 'A' && !p.environment_id)
    expect(same.length).toBe(1)
  })
})
