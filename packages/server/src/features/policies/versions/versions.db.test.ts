import { contentHash } from '@mandate/proofs/canonical'
import { beforeEach, describe, expect, it } from 'vitest'
import { addAgent, addPerson, auditEntries, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant

beforeEach(async () => {
  tenant = await createTenant(server)
})

const rule = (priority: number, tools = ['mcp:files/read']) => ({ priority, effect: 'allow', match: { tools } })
type VersionShown = { version: number; produced_by: string; change_summary: object }
const noChange = { fields: [], rules_added: 0, rules_removed: 0, rules_changed: 0 }

async function create(body: object = {}) {
  const policy = (await tenant.owner.api.post('/policies', { name: 'P', rules: [rule(1)], ...body })).body
  return { ...policy, at: `/policies/${policy.id}` }
}
const versions = async (at: string) => (await tenant.owner.api.get(`${at}/versions`)).body.data

describe('policy versions', () => {
  it('every save is a version with its author, time, cause and change summary, newest first', async () => {
    const { at, rules } = await create()
    const manager = await addPerson(server, tenant.id, { role: 'manager', displayName: 'Mara' })
    await manager.api.put(at, { name: 'Q', dlp_enabled: true })
    const added = (await manager.api.post(`${at}/rules`, rule(2))).body
    await manager.api.put(`${at}/rules/${rules[0].id}`, { priority: 3 })
    await manager.api.delete(`${at}/rules/${added.id}`)
    const { data, total } = (await tenant.owner.api.get(`${at}/versions`)).body
    expect(total).toBe(5)
    expect(data.map((saved: VersionShown) => [saved.version, saved.produced_by, saved.change_summary])).toEqual([
      [5, 'rule_deleted', { ...noChange, rules_removed: 1 }],
      [4, 'rule_updated', { ...noChange, rules_changed: 1 }],
      [3, 'rule_created', { ...noChange, rules_added: 1 }],
      [2, 'updated', { ...noChange, fields: ['name', 'dlp_enabled'] }],
      [1, 'created', noChange],
    ])
    expect(data[0]).toEqual({
      version: 5,
      produced_by: 'rule_deleted',
      saved_by: { user_id: manager.id, display_name: 'Mara', email: manager.email },
      saved_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      change_summary: expect.anything(),
      change_class: 'neutral',
      content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    const page = (await tenant.owner.api.get(`${at}/versions?limit=2&offset=1`)).body
    expect(page).toMatchObject({ total: 5, limit: 2, offset: 1, data: [{ version: 4 }, { version: 3 }] })
  })

  it('a version has the change class of its save, in the list and alone; the first is neutral', async () => {
    const { at, rules } = await create()
    const first = `${at}/rules/${rules[0].id}`
    await tenant.owner.api.put(at, { name: 'Q' })
    await tenant.owner.api.put(first, { effect: 'deny' })
    await tenant.owner.api.put(at, { default_effect: 'allow' })
    await tenant.owner.api.put(first, { match: { tools: ['mcp:files/write'] } })
    await tenant.owner.api.post(`${at}/versions/1/restore`)
    const listed = (await versions(at)).toReversed() as { version: number; change_class: string }[]
    const classes = listed.map(({ change_class }) => change_class)
    expect(classes).toEqual(['neutral', 'neutral', 'tightens', 'loosens', 'mixed', 'mixed'])
    for (const { version, change_class } of listed) {
      expect((await tenant.owner.api.get(`${at}/versions/${version}`)).body.change_class).toBe(change_class)
    }
  })

  it('the author’s name in a version does not change after a rename', async () => {
    const { at } = await create()
    const member = await addPerson(server, tenant.id, { displayName: 'Before' })
    await member.api.put(at, { description: 'x' })
    await server.owner.query(`update users set display_name = 'After' where id = $1`, [member.id])
    expect((await versions(at))[0].saved_by.display_name).toBe('Before')
  })

  it('a snapshot has the fields and the rules by priority as the interface returns them, hashed in canonical form', async () => {
    const { at, id, tenant_id, version, agents, created_at, updated_at, warnings, ...document } = await create({
      rules: [
        { ...rule(9), match: { tools: ['*'], when: [{ path: 'args.n', op: 'in', value: [1.5, 'ä', true] }] } },
        rule(2),
      ],
    })
    const { body } = await tenant.owner.api.get(`${at}/versions/1`)
    expect(body.snapshot).toEqual(document)
    expect(body.content_hash).toBe(contentHash(body.snapshot))
  })

  it('the first version has no diff; a later one has the differences of fields and rules from the version before', async () => {
    const { at, rules } = await create()
    await tenant.owner.api.put(at, { name: 'Q' })
    await tenant.owner.api.put(`${at}/rules/${rules[0].id}`, { effect: 'deny' })
    const added = (await tenant.owner.api.post(`${at}/rules`, rule(7))).body
    await tenant.owner.api.delete(`${at}/rules/${rules[0].id}`)
    const diffOf = async (version: number) => (await tenant.owner.api.get(`${at}/versions/${version}`)).body.diff
    const none = { added: [], removed: [], changed: [] }
    expect(await diffOf(1)).toBeNull()
    expect(await diffOf(2)).toEqual({
      fields: [{ field: 'name', from: 'P', to: 'Q', change_class: 'neutral' }],
      rules: none,
    })
    expect((await diffOf(3)).rules).toEqual({
      ...none,
      changed: [
        { id: rules[0].id, fields: [{ field: 'effect', from: 'allow', to: 'deny' }], change_class: 'tightens' },
      ],
    })
    expect((await diffOf(4)).rules.added).toMatchObject([{ id: added.id }])
    expect((await diffOf(5)).rules.removed).toMatchObject([{ id: rules[0].id, effect: 'deny' }])
  })

  it('against compares with another version, older or newer; 404 for a version that does not exist', async () => {
    const { at, rules } = await create()
    await tenant.owner.api.put(at, { name: 'Q' })
    await tenant.owner.api.put(`${at}/rules/${rules[0].id}`, { effect: 'deny' })
    const diff = async (version: number, against: number) =>
      (await tenant.owner.api.get(`${at}/versions/${version}?against=${against}`)).body.diff
    expect(await diff(3, 1)).toMatchObject({
      fields: [{ field: 'name', from: 'P', to: 'Q', change_class: 'neutral' }],
      rules: { changed: [{ id: rules[0].id, change_class: 'tightens' }] },
    })
    expect(await diff(1, 3)).toMatchObject({ rules: { changed: [{ id: rules[0].id, change_class: 'loosens' }] } })
    expect(await diff(2, 2)).toEqual({ fields: [], rules: { added: [], removed: [], changed: [] } })
    expect((await tenant.owner.api.get(`${at}/versions/1?against=9`)).status).toBe(404)
    for (const against of ['0', '-1', 'x', ''])
      expect((await tenant.owner.api.get(`${at}/versions/1?against=${against}`)).status).toBe(400)
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    await tenant.owner.api.put(at, { environment_id: tenant.production })
    expect((await scoped.api.get(`${at}/versions/2?against=1`)).status).toBe(404)
  })

  it('a save without changes records a version with an empty change summary', async () => {
    const { at } = await create()
    expect((await tenant.owner.api.put(at, {})).body.version).toBe(2)
    expect((await tenant.owner.api.put(at, { name: 'P' })).body.version).toBe(3)
    const [third, second, first] = await versions(at)
    expect(third.change_summary).toEqual(noChange)
    expect(second.change_summary).toEqual(noChange)
    expect(new Set([first, second, third].map(({ content_hash }) => content_hash)).size).toBe(1)
  })

  it('50 concurrent saves make versions 1 to 51 without a gap, each compared with the version before it', async () => {
    const { at } = await create()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        n % 2
          ? tenant.owner.api.put(at, { description: `save ${n}` })
          : tenant.owner.api.post(`${at}/rules`, rule(100 + n)),
      ),
    )
    expect(answers.every(({ status }) => status === 200 || status === 201)).toBe(true)
    const data = (await tenant.owner.api.get(`${at}/versions?limit=200`)).body.data
    expect(data.map(({ version }: { version: number }) => version)).toEqual(
      Array.from({ length: 51 }, (_, n) => 51 - n),
    )
    for (const { produced_by, change_summary } of data.slice(0, 50)) {
      const expected = produced_by === 'updated' ? { fields: ['description'] } : { rules_added: 1 }
      expect(change_summary).toEqual({ ...noChange, ...expected })
    }
    const { body: policy } = await tenant.owner.api.get(at)
    expect(policy).toMatchObject({ version: 51 })
    expect(policy.rules.length).toBe(26)
    const { snapshot } = (await tenant.owner.api.get(`${at}/versions/51`)).body
    expect(snapshot).toMatchObject({ description: policy.description, rules: policy.rules })
  })

  it('of 10 concurrent saves with the same If-Match one succeeds and nine get 412', async () => {
    const { at } = await create()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => tenant.owner.api.put(at, { name: `N${n}` }, { 'if-match': '"1"' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)])
  })

  it('of two rules with one priority added at the same time, one is saved and the other is 400', async () => {
    const { at } = await create()
    const answers = await Promise.all([1, 2].map(() => tenant.owner.api.post(`${at}/rules`, rule(50))))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
  })

  it('400 for a version that is not a positive integer, 404 for an unknown version', async () => {
    const { at } = await create()
    for (const bad of ['0', '-1', '1.0', '01', 'one', '1e1', '%201']) {
      expect((await tenant.owner.api.get(`${at}/versions/${bad}`)).status).toBe(400)
      expect((await tenant.owner.api.post(`${at}/versions/${bad}/restore`)).status).toBe(400)
    }
    for (const missing of ['2', '2147483647', '2147483648', '99999999999999999999']) {
      expect((await tenant.owner.api.get(`${at}/versions/${missing}`)).status).toBe(404)
      expect((await tenant.owner.api.post(`${at}/versions/${missing}/restore`)).status).toBe(404)
    }
  })
})

describe('restoring a version', () => {
  it('restoring version 2 of a policy at version 5 makes version 6, equal to version 2, with its number; earlier versions stay', async () => {
    const { at } = await create()
    await tenant.owner.api.put(at, { name: 'Two', default_effect: 'allow' })
    for (const name of ['Three', 'Four', 'Five']) await tenant.owner.api.put(at, { name, default_effect: 'deny' })
    const before = await versions(at)
    const { status, body, headers } = await tenant.owner.api.post(`${at}/versions/2/restore`)
    expect(status).toBe(200)
    expect(headers.get('etag')).toBe('"6"')
    expect(body).toMatchObject({ version: 6, name: 'Two', default_effect: 'allow', warnings: [] })
    const [newest, ...earlier] = await versions(at)
    expect(newest).toMatchObject({ version: 6, produced_by: 'restored', restored_from: 2 })
    expect(newest.content_hash).toBe(before[3].content_hash)
    expect(earlier).toEqual(before)
    expect(earlier.every((version: object) => !('restored_from' in version))).toBe(true)
  })

  it('audited as policy.restored with the restored version and the new version', async () => {
    const { at, id } = await create()
    await tenant.owner.api.put(at, { name: 'Q' })
    await tenant.owner.api.post(`${at}/versions/1/restore`)
    const entry = (await auditEntries(server, tenant.id)).at(-1)
    expect(entry).toMatchObject({
      event_type: 'policy.restored',
      resource_type: 'policy',
      resource_id: id,
      details: { restored_from: 1, version: 3 },
    })
  })

  it('rules keep their ids: a changed rule is shown as changed, and a deleted rule has its old id again', async () => {
    const { at, rules } = await create({ rules: [rule(1), rule(2)] })
    const [kept, gone] = rules
    await tenant.owner.api.put(`${at}/rules/${kept.id}`, { effect: 'deny' })
    await tenant.owner.api.delete(`${at}/rules/${gone.id}`)
    const { body } = await tenant.owner.api.post(`${at}/versions/1/restore`)
    expect(body.rules).toEqual(rules)
    const { diff, change_summary } = (await tenant.owner.api.get(`${at}/versions/4`)).body
    expect(diff.rules.changed).toEqual([
      { id: kept.id, fields: [{ field: 'effect', from: 'deny', to: 'allow' }], change_class: 'loosens' },
    ])
    expect(diff.rules.added).toMatchObject([{ id: gone.id }])
    expect(change_summary).toEqual({ ...noChange, rules_added: 1, rules_changed: 1 })
  })

  it('rules that exchanged their priorities are restored', async () => {
    const { at, rules } = await create({ rules: [rule(1), rule(2)] })
    const [a, b] = rules
    await tenant.owner.api.put(`${at}/rules/${a.id}`, { priority: 3 })
    await tenant.owner.api.put(`${at}/rules/${b.id}`, { priority: 1 })
    await tenant.owner.api.put(`${at}/rules/${a.id}`, { priority: 2 })
    expect((await tenant.owner.api.post(`${at}/versions/1/restore`)).body.rules).toEqual(rules)
  })

  it('403 for a member; managers and owners may restore', async () => {
    const { at } = await create()
    const [member, manager] = await Promise.all([
      addPerson(server, tenant.id),
      addPerson(server, tenant.id, { role: 'manager' }),
    ])
    expect((await member.api.post(`${at}/versions/1/restore`)).status).toBe(403)
    expect((await manager.api.post(`${at}/versions/1/restore`)).status).toBe(200)
  })

  it('400 with the field for a version whose pattern is no longer valid; the policy does not change', async () => {
    const { at, id } = await create({ rules: [rule(1), rule(2)] })
    await tenant.owner.api.put(at, { name: 'Q' })
    await server.owner.query(
      `update policy_versions set snapshot = jsonb_set(snapshot, '{rules,1,match,tools}', '["mcp:ok/ok", "mcp:**"]')
       where policy_id = $1 and version = 1`,
      [id],
    )
    const before = (await tenant.owner.api.get(at)).body
    const { status, body } = await tenant.owner.api.post(`${at}/versions/1/restore`)
    expect(status).toBe(400)
    expect(body.error).toMatch(/^rules\[1\]\.match\.tools\[1\] /)
    expect((await tenant.owner.api.get(at)).body).toEqual(before)
    expect((await versions(at)).length).toBe(2)
  })

  it('402 if the restored document turns DLP on and the plan no longer includes it', async () => {
    const { at } = await create({ dlp_enabled: true })
    await tenant.owner.api.put(at, { dlp_enabled: false })
    await server.owner.query(`update tenants set plan = 'free' where id = $1`, [tenant.id])
    const refused = await tenant.owner.api.post(`${at}/versions/1/restore`)
    expect(refused).toMatchObject({ status: 402, body: { code: 'plan_upgrade_required', minimum_plan: 'pro' } })
    expect((await tenant.owner.api.post(`${at}/versions/2/restore`)).status).toBe(200)
  })

  it('400 for a version whose environment was deleted, 409 if its environment is not that of the agents', async () => {
    const { body: environment } = await tenant.owner.api.post('/environments', { name: 'Test', slug: 'test' })
    const { at, id } = await create({ environment_id: environment.id })
    await tenant.owner.api.put(at, { environment_id: tenant.development })
    await tenant.owner.api.put(at, { environment_id: null })
    await addAgent(server, tenant.id, { policyId: id, environmentId: tenant.production })
    expect((await tenant.owner.api.post(`${at}/versions/2/restore`)).status).toBe(409)
    await server.owner.query('delete from environments where id = $1', [environment.id])
    const gone = await tenant.owner.api.post(`${at}/versions/1/restore`)
    expect(gone).toMatchObject({ status: 400, body: { error: 'environment_id: environment not found' } })
    expect((await versions(at)).length).toBe(3)
  })
})
