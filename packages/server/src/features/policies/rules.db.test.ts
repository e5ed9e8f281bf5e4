import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../db/ids/new-id.ts'
import { auditEntries, createTenant, type TestTenant } from '../../testing/arrange.ts'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant
let at: string

beforeEach(async () => {
  tenant = await createTenant(server)
  const { body } = await tenant.owner.api.post('/policies', { name: 'P', rules: [rule(10)] })
  at = `/policies/${body.id}`
})

const rule = (priority: number, tools = ['mcp:files/read']) => ({ priority, effect: 'allow', match: { tools } })

describe('the rules of a policy', () => {
  it('201 with the rule, its policy’s new version and entity tag', async () => {
    const sent = { ...rule(5), name: 'R', reason: 'why', match: { tools: ['fn:a/*'], when: [] } }
    const { status, body, headers } = await tenant.owner.api.post(`${at}/rules`, sent)
    expect(status).toBe(201)
    expect(headers.get('etag')).toBe('"2"')
    expect(body).toEqual({ ...sent, id: expect.any(String), enabled: true, policy_version: 2, warnings: [] })
    const { rules, version } = (await tenant.owner.api.get(at)).body
    expect(version).toBe(2)
    expect(rules.map(({ priority }: { priority: number }) => priority)).toEqual([5, 10])
  })

  it('200: only the sent fields change, and the rule keeps its id', async () => {
    const before = (await tenant.owner.api.get(at)).body.rules[0]
    const { status, body } = await tenant.owner.api.put(`${at}/rules/${before.id}`, { effect: 'deny', id: newId() })
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, effect: 'deny', policy_version: 2, warnings: [] })
  })

  it('204 removes a rule, as a new version', async () => {
    const [{ id }] = (await tenant.owner.api.get(at)).body.rules
    const { status, headers } = await tenant.owner.api.delete(`${at}/rules/${id}`)
    expect(status).toBe(204)
    expect(headers.get('etag')).toBe('"2"')
    expect((await tenant.owner.api.get(at)).body).toMatchObject({ version: 2, rules: [] })
    expect((await tenant.owner.api.delete(`${at}/rules/${id}`)).status).toBe(404)
  })

  it('400 with rules[i] of the whole document for a bad pattern and for equal priorities, and nothing is saved', async () => {
    const bad = await tenant.owner.api.post(`${at}/rules`, rule(5, ['mcp:ok/ok', 'mcp:/x']))
    expect(bad.status).toBe(400)
    expect(bad.body.error).toMatch(/^rules\[1\]\.match\.tools\[1\] /)
    const tied = await tenant.owner.api.post(`${at}/rules`, rule(10))
    expect(tied.status).toBe(400)
    expect(tied.body.error).toMatch(/^rules\[1\]\.priority /)
    expect((await tenant.owner.api.get(`${at}/versions`)).body.total).toBe(1)
  })

  it('404 for a rule of another policy, before the 400 of a malformed body', async () => {
    const { body: other } = await tenant.owner.api.post('/policies', { name: 'Q', rules: [rule(1)] })
    for (const id of [other.rules[0].id, newId()]) {
      expect((await tenant.owner.api.put(`${at}/rules/${id}`, { enabled: false })).status).toBe(404)
      expect((await tenant.owner.api.put(`${at}/rules/${id}`, { enabled: 'no' })).status).toBe(404)
      expect((await tenant.owner.api.delete(`${at}/rules/${id}`)).status).toBe(404)
    }
    expect((await tenant.owner.api.put(`${at}/rules/nonsense`, {})).status).toBe(400)
  })

  it('audit entries of policy and rule changes have the version, and the policy as resource', async () => {
    const { id } = (await tenant.owner.api.post(`${at}/rules`, { ...rule(1), name: 'R' })).body
    await tenant.owner.api.put(`${at}/rules/${id}`, { enabled: false })
    await tenant.owner.api.delete(`${at}/rules/${id}`)
    await tenant.owner.api.put(at, { description: 'x' })
    const entries = await auditEntries(server, tenant.id)
    expect(entries.map(({ event_type, details }) => [event_type, details])).toEqual([
      ['policy.created', { version: 1 }],
      ['policy.rule_created', { version: 2, rule_id: id, rule_name: 'R' }],
      ['policy.rule_updated', { version: 3, rule_id: id, rule_name: 'R' }],
      ['policy.rule_deleted', { version: 4, rule_id: id, rule_name: 'R' }],
      ['policy.updated', { version: 5 }],
    ])
    for (const entry of entries) {
      expect(entry).toMatchObject({ resource_type: 'policy', resource_id: at.split('/')[2], resource_name: 'P' })
    }
  })
})
