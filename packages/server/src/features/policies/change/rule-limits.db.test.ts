import { contentHash } from '@mandate/proofs/canonical'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiClient } from '../../../testing/api-client.ts'
import { addAgent, addPerson, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { addEdge } from '../../../testing/arrange-agents.ts'
import { newDecision } from '../../../testing/new-decision.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
const hourly = { count: 10, window_s: 3600 }
const tools = (...names: string[]) => ({ match: { tools: names } })
const notAllowed =
  /^rules\[0\]\.limit is only for rules with the effect allow: set limit to null, or the effect to allow$/
let tenant: TestTenant
let owner: ApiClient
let at: string
let ruleAt: string

beforeEach(async () => {
  tenant = await createTenant(server)
  owner = tenant.owner.api
  const rules = [
    { name: 'mails', priority: 1, effect: 'allow', limit: hourly, ...tools('mcp:mail/*') },
    { name: 'notes', priority: 2, effect: 'allow', ...tools('mcp:notes/*') },
  ]
  const { status, body } = await owner.post('/policies', { name: 'P', rules })
  expect(status).toBe(201)
  at = `/policies/${body.id}`
  ruleAt = `${at}/rules/${body.rules[0].id}`
})

const versions = async () => (await owner.get(`${at}/versions`)).body.total

describe('the limit of a rule', () => {
  it('is a part of the policy, of its lists and of its versions, and absent from a rule without one', async () => {
    const { rules } = (await owner.get(at)).body
    expect(rules[0].limit).toEqual(hourly)
    expect(rules[1]).not.toHaveProperty('limit')
    expect((await owner.get('/policies?include=rules')).body.data[0].rules).toEqual(rules)
    const { snapshot, content_hash } = (await owner.get(`${at}/versions/1`)).body
    expect(snapshot.rules).toEqual(rules)
    expect(content_hash).toBe(contentHash(snapshot))
  })

  it('201 in a new rule, 200 in a change that keeps or replaces it, and null removes it', async () => {
    const sent = { priority: 5, effect: 'allow', limit: { count: 1, window_s: 86_400 }, ...tools('fn:a/b') }
    expect((await owner.post(`${at}/rules`, sent)).body.limit).toEqual(sent.limit)
    expect((await owner.put(ruleAt, { name: 'mail' })).body).toMatchObject({ name: 'mail', limit: hourly })
    expect((await owner.put(ruleAt, { limit: { count: 5, window_s: 60 } })).body.limit).toEqual({
      count: 5,
      window_s: 60,
    })
    expect((await owner.put(ruleAt, { limit: null })).body).not.toHaveProperty('limit')
    expect((await owner.get(at)).body.rules[0]).not.toHaveProperty('limit')
  })

  it('a new or lower limit tightens the policy, a higher or removed one loosens it, and the difference shows it', async () => {
    const changes = [
      [{ count: 5, window_s: 3600 }, 'tightens'],
      [{ count: 6, window_s: 3600 }, 'loosens'],
      [null, 'loosens'],
      [hourly, 'tightens'],
    ] as const
    let from: object | null = hourly
    for (const [index, [limit, change_class]] of changes.entries()) {
      expect((await owner.put(ruleAt, { limit })).status).toBe(200)
      const { body } = await owner.get(`${at}/versions/${index + 2}`)
      expect(body.change_class).toBe(change_class)
      expect(body.diff.rules.changed).toEqual([
        { id: expect.any(String), fields: [{ field: 'limit', from, to: limit }], change_class },
      ])
      from = limit
    }
    expect((await owner.post(`${at}/versions/3/restore`)).body.rules[0].limit).toEqual({ count: 6, window_s: 3600 })
  })

  it('is replaced with the whole document, which removes a limit that it does not have', async () => {
    const {
      id: _,
      tenant_id: __,
      version: ___,
      agents: ____,
      created_at,
      updated_at,
      ...document
    } = (await owner.get(at)).body
    expect((await owner.put(`${at}/document`, document)).body.rules[0].limit).toEqual(hourly)
    const { limit: _____, ...rest } = document.rules[0]
    const rules = [rest, document.rules[1]]
    expect((await owner.put(`${at}/document`, { ...document, rules })).body.rules[0]).not.toHaveProperty('limit')
  })

  it.each([
    [{ limit: { count: 0, window_s: 60 } }, /^limit\.count must/],
    [{ limit: { count: 1_000_001, window_s: 60 } }, /^limit\.count must/],
    [{ limit: { count: 1.5, window_s: 60 } }, /^limit\.count must/],
    [{ limit: { count: 1, window_s: 0 } }, /^limit\.window_s must/],
    [{ limit: { count: 1, window_s: 86_401 } }, /^limit\.window_s must/],
    [{ effect: 'deny' }, notAllowed],
    [{ effect: 'require_approval', limit: hourly }, notAllowed],
  ])('400 that names the field, and nothing is saved: %j', async (sent, error) => {
    const { status, body } = await owner.put(ruleAt, sent)
    expect([status, body.error]).toEqual([400, expect.stringMatching(error)])
    expect(await versions()).toBe(1)
  })

  it.each([[{ limit: {} }], [{ limit: 5 }], [{ limit: { count: '1', window_s: 1 } }], [{ limit: [] }]])(
    '400 for a limit of another form, and nothing is saved: %j',
    async (sent) => {
      const { status, body } = await owner.put(ruleAt, sent)
      expect([status, body.error]).toEqual([400, expect.stringMatching(/^limit/)])
      expect(await versions()).toBe(1)
    },
  )

  it('403 for a viewer, 404 for a person of another tenant', async () => {
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    const stranger = await createTenant(server)
    expect((await viewer.api.put(ruleAt, { limit: null })).status).toBe(403)
    expect((await stranger.owner.api.put(ruleAt, { limit: null })).status).toBe(404)
    expect(await versions()).toBe(1)
  })
})

describe('a policy with a limit', () => {
  it('is simulated from zero for each agent, in the order of the calls, and says when the limit is used up', async () => {
    await owner.put(ruleAt, { limit: { count: 2, window_s: 60 } })
    const call = (id?: string) => ({ tool: 'mcp:mail/send', ...(id && { agent: { id } }) })
    const calls = [call('a'), call('b'), call('a'), call(), call('a'), call('b'), call()]
    const { results } = (await owner.post(`${at}/simulate`, { calls })).body
    expect(results.map(({ effect }: { effect: string }) => effect)).toEqual([
      ...['allow', 'allow', 'allow', 'allow', 'deny', 'allow', 'allow'],
    ])
    expect(results[0].over_limit).toBeNull()
    const reason = 'the limit of the rule "mails" is used up: at most 2 times in 1 minute'
    expect(results[4]).toMatchObject({
      rule_id: null,
      reason: `no other rule matched, and ${reason}`,
      over_limit: { rule_id: expect.any(String), uses: 2, reason },
    })
    const again = (await owner.post(`${at}/simulate`, { calls: [call('a')] })).body.results
    expect(again[0].effect).toBe('allow')
  })

  it('does not count a simulated call that content rules deny', async () => {
    await owner.put(ruleAt, { limit: { count: 1, window_s: 60 } })
    const secret = { tool: 'mcp:mail/send', args: { text: `ghp_${'a1B2c3D4'.repeat(5).slice(0, 36)}` } }
    const content = { bindings: [{ group: 'secrets', on: 'arguments', action: 'deny' }] }
    const plain = { tool: 'mcp:mail/send' }
    const { results } = (await owner.post(`${at}/simulate`, { calls: [secret, plain, plain], content })).body
    expect(results.map(({ effect }: { effect: string }) => effect)).toEqual(['deny', 'allow', 'deny'])
  })

  it('leaves recorded calls of the rule open in a replay, because nobody knows how often the rule was used then', async () => {
    const agentId = await addAgent(server, tenant.id, {
      environmentId: tenant.development,
      policyId: at.split('/')[2] as string,
    })
    const edge = await addEdge(server, tenant.id, tenant.development)
    const recorded = { effect: 'allow', policy_version: 1 }
    const decisions = ['mcp:mail/send', 'mcp:mail/send', 'mcp:notes/read'].map((tool) =>
      newDecision(agentId, { tool, ...recorded }),
    )
    expect((await edge.post('/edge/decisions', { decisions })).status).toBe(202)
    const { replay } = (await owner.post(`${at}/simulate`, { replay: {} })).body
    expect(replay).toMatchObject({ decisions: 3, changed: 0, undecidable: 2 })
    expect(replay.matrix.allow).toMatchObject({ allow: 1, depends: 2 })
    expect(replay.examples[0]).toMatchObject({ tool: 'mcp:mail/send', would_be: null, undecidable: ['limit'] })
  })

  it('shows the limit with what an agent may do', async () => {
    const agentId = await addAgent(server, tenant.id, {
      environmentId: tenant.development,
      policyId: at.split('/')[2] as string,
      status: 'active',
    })
    const edge = await addEdge(server, tenant.id, tenant.development)
    expect((await edge.post('/edge/tools', { server: 'mail', tools: [{ name: 'send' }] })).status).toBe(202)
    const [row] = (await owner.get(`/agents/${agentId}/reach`)).body.data
    expect(row).toMatchObject({ verdict: 'allow', rules: [{ name: 'mails', limit: hourly }] })
  })

  it('goes to edges with the rules that have limits apart, under the hash of the version', async () => {
    const agentId = await addAgent(server, tenant.id, {
      environmentId: tenant.development,
      policyId: at.split('/')[2] as string,
      status: 'active',
    })
    const edge = await addEdge(server, tenant.id, tenant.development)
    const one = (await edge.get(`/edge/agents/${agentId}/mission-profile`)).body
    const [other] = (await edge.post('/edge/profiles', { agent_ids: [agentId] })).body.data
    for (const { policy, limited_rules: limited } of [one, other]) {
      expect(policy.rules.map(({ name }: { name: string }) => name)).toEqual(['notes'])
      expect(limited).toMatchObject([{ name: 'mails', limit: hourly }])
      const { content_hash } = (await owner.get(`${at}/versions/1`)).body
      expect(contentHash({ ...policy, rules: [...limited, ...policy.rules] })).toBe(content_hash)
    }
    await owner.put(ruleAt, { limit: null })
    const plain = (await edge.get(`/edge/agents/${agentId}/mission-profile`)).body
    expect(plain).not.toHaveProperty('limited_rules')
    expect(plain.policy.rules).toHaveLength(2)
  })
})
