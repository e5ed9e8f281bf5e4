import { beforeEach, describe, expect, it } from 'vitest'
import { addPerson, auditEntries, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant
let policy: { id: string; rules: { id: string; name: string; priority: number }[] }
let at: string

beforeEach(async () => {
  tenant = await createTenant(server)
  policy = (await tenant.owner.api.post('/policies', { name: 'P', rules: [rule('a', 10), rule('b', 20)] })).body
  at = `/policies/${policy.id}`
})

const rule = (name: string, priority: number) => ({ name, priority, effect: 'allow', match: { tools: ['fn:a/b'] } })
const document = (rules: unknown[], fields = {}) => ({
  name: 'P',
  description: '',
  environment_id: null,
  override_mode: 'inherit',
  default_effect: 'deny',
  dlp_enabled: false,
  rules,
  ...fields,
})

describe('replacing a whole policy', () => {
  it('200: fields and rules change in one version, with one audit entry', async () => {
    const [a, b] = policy.rules
    const rules = [{ ...rule('b', 10), id: b!.id }, rule('c', 30)]
    const sent = document(rules, { name: 'Q', default_effect: 'require_approval' })
    const { status, body, headers } = await tenant.owner.api.put(`${at}/document`, sent)
    expect(status).toBe(200)
    expect(headers.get('etag')).toBe('"2"')
    expect(body).toMatchObject({ version: 2, name: 'Q', default_effect: 'require_approval', rules })
    expect((await tenant.owner.api.get(at)).body).toMatchObject({ version: 2, name: 'Q', rules })
    const { diff, produced_by } = (await tenant.owner.api.get(`${at}/versions/2`)).body
    expect(produced_by).toBe('updated')
    expect(diff.rules).toMatchObject({ added: [{ name: 'c' }], removed: [{ id: a!.id }], changed: [{ id: b!.id }] })
    const events = (await auditEntries(server, tenant.id)).map((entry) => [entry.event_type, entry.details.version])
    expect(events).toEqual([
      ['policy.created', 1],
      ['policy.updated', 2],
    ])
  })

  it('rules may exchange their priorities, which saving one rule cannot do', async () => {
    const [a, b] = policy.rules
    const rules = [
      { ...rule('b', 10), id: b!.id },
      { ...rule('a', 20), id: a!.id },
    ]
    expect((await tenant.owner.api.put(`${at}/document`, document(rules))).body).toMatchObject({ rules })
  })

  it('a rule with the id of another policy or tenant gets a new id, and the other rule does not change', async () => {
    const other = await createTenant(server)
    const policies = [
      (await tenant.owner.api.post('/policies', { name: 'X', rules: [rule('x', 1)] })).body,
      (await other.owner.api.post('/policies', { name: 'X', rules: [rule('x', 1)] })).body,
    ]
    const rules = policies.map(({ rules: [{ id }] }, index) => ({ ...rule('mine', index), id }))
    const { body } = await tenant.owner.api.put(`${at}/document`, document(rules))
    expect(body.rules.map(({ name }: { name: string }) => name)).toEqual(['mine', 'mine'])
    for (const { id } of rules) expect(body.rules.map((one: { id: string }) => one.id)).not.toContain(id)
    expect((await tenant.owner.api.get(`/policies/${policies[0].id}`)).body.rules).toEqual(policies[0].rules)
    expect((await other.owner.api.get(`/policies/${policies[1].id}`)).body.rules).toEqual(policies[1].rules)
  })

  it('412 if the policy has changed, before faults of the document; nothing is saved', async () => {
    await tenant.owner.api.put(at, { description: 'moved' })
    const tied = document([rule('a', 1), rule('b', 1)])
    const stale = await tenant.owner.api.put(`${at}/document`, tied, { 'if-match': '"1"' })
    expect(stale).toMatchObject({ status: 412, body: { error: 'the policy is now at version 2' } })
    expect((await tenant.owner.api.put(`${at}/document`, tied, { 'if-match': '"2"' })).status).toBe(400)
    expect((await tenant.owner.api.get(`${at}/versions`)).body.total).toBe(2)
  })

  it('400 with the missing field, the repeated id or the invalid rule', async () => {
    const id = policy.rules[0]!.id
    const bad: [Record<string, unknown>, string][] = [
      [document([], { environment_id: undefined }), 'environment_id is required'],
      [document([], { default_effect: undefined }), 'default_effect is required'],
      [document([], { rules: undefined }), 'rules is required'],
      [
        document([
          { ...rule('a', 1), id },
          { ...rule('b', 2), id },
        ]),
        'rules must not name an id twice',
      ],
      [document([rule('a', 1), { ...rule('b', 2), match: { tools: ['nonsense'] } }]), 'rules[1].match.tools[0]'],
    ]
    for (const [body, text] of bad) {
      const refused = await tenant.owner.api.put(`${at}/document`, body)
      expect(refused.status).toBe(400)
      expect(refused.body.error).toContain(text)
    }
    expect((await tenant.owner.api.get(`${at}/versions`)).body.total).toBe(1)
  })

  it('403 for a viewer, before the 400 of a malformed body, and 404 for a policy that the caller cannot see', async () => {
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    expect((await viewer.api.put(`${at}/document`, {})).status).toBe(403)
    const stranger = (await createTenant(server)).owner
    expect((await stranger.api.put(`${at}/document`, document([]))).status).toBe(404)
    expect((await stranger.api.put(`${at}/document`, {})).status).toBe(404)
  })

  it('402 if DLP is turned on without the plan, 403 for a scoped user who would move it to all environments', async () => {
    const free = await createTenant(server, { plan: 'free' })
    const { body } = await free.owner.api.post('/policies', { name: 'P' })
    const refused = await free.owner.api.put(`/policies/${body.id}/document`, document([], { dlp_enabled: true }))
    expect(refused).toMatchObject({ status: 402, body: { code: 'plan_upgrade_required' } })
    const scoped = await addPerson(server, tenant.id, { role: 'member', accessScope: 'scoped' })
    expect((await scoped.api.put(`${at}/document`, document([]))).status).toBe(403)
  })
})
