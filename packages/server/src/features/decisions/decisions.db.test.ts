import { randomUUID } from 'node:crypto'
import { v7 } from 'uuid'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  addAgent,
  addKey,
  addPerson,
  createTenant,
  giveEnvironment,
  grantAgent,
  type TestTenant,
} from '../../testing/arrange.ts'
import { addEdge, giveAgentKey } from '../../testing/arrange-agents.ts'
import { newDecision } from '../../testing/new-decision.ts'
import { useOwnServer } from '../../testing/use-test-server.ts'
import { expireDecisions } from './expiry/expire-decisions.ts'

const server = useOwnServer()
let tenant: TestTenant
let agentId: string
let edge: Awaited<ReturnType<typeof addEdge>>

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
const daysAgo = (days: number) => minutesAgo(days * 24 * 60)

beforeEach(async () => {
  tenant = await createTenant(server)
  agentId = await addAgent(server, tenant.id, { environmentId: tenant.development })
  await tenant.owner.api.put(`/agents/${agentId}`, { name: 'Reader' })
  edge = await addEdge(server, tenant.id, tenant.development)
})

const decision = (rest: object = {}) => newDecision(agentId, rest)

async function record(...decisions: object[]) {
  const { status, body } = await edge.post('/edge/decisions', { decisions })
  expect({ status, body }).toMatchObject({ status: 202 })
  return body
}

const list = async (query = '', api = tenant.owner.api) => (await api.get(`/decisions${query}`)).body
const tools = async (query = '', api = tenant.owner.api) =>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
  (await list(query, api)).data.map((row: any) => row.tool)

describe('GET /decisions', () => {
  it('200: newest first, with the names of agent, edge, policy and rule', async () => {
    const rules = [{ priority: 1, name: 'Reads', effect: 'allow', match: { tools: ['mcp:files/*'] } }]
    const policy = (await tenant.owner.api.post('/policies', { name: 'Files', rules })).body
    const rule_id = policy.rules[0].id
    const details = {
      labels: ['untrusted_output'],
      content: [{ pattern_id: randomUUID(), on: 'arguments', count: 2, action: 'flag' }],
      chain: [{ type: 'user', id: 'u', name: 'Ada' }],
      threat: { indicator_id: randomUUID(), type: 'domain', where: 'arguments', action: 'alert' },
      profile: { hash: 'a'.repeat(64), seq: 4 },
    }
    const full = decision({
      at: minutesAgo(1),
      rule_id,
      policy_id: policy.id,
      policy_version: 1,
      policy_hash: 'b'.repeat(64),
      session_id: 's',
      approval_id: randomUUID(),
      duration_us: 12,
      on_behalf_of: 'Ada',
      ...details,
    })
    await record(full, decision({ at: minutesAgo(2), tool: 'fn:a/b' }))
    const { data, next_page_token } = await list()
    expect(next_page_token).toBeUndefined()
    expect(data).toHaveLength(2)
    const { approval_id, duration_us, on_behalf_of, session_id, at, decision_id } = full as Record<string, unknown>
    expect(data[0]).toEqual({
      decision_id,
      agent: { id: agentId, name: 'Reader' },
      edge: { id: expect.any(String), name: expect.any(String) },
      environment_id: tenant.development,
      tool: 'mcp:files/read',
      effect: 'allow',
      mode: 'enforce',
      rule: { id: rule_id, name: 'Reads' },
      denied_because: null,
      policy: { id: policy.id, name: 'Files', version: 1, content_hash: 'b'.repeat(64) },
      args_digest: 'd',
      ...{ approval_id, duration_us, on_behalf_of, session_id, at },
      ...details,
      integrity: 'unsigned',
      receipt: null,
      received_at: expect.any(String),
    })
    expect(data[1]).toMatchObject({ tool: 'fn:a/b', rule: null, policy: null, chain: null, labels: null, threat: null })
  })

  it.each([['v7'], ['v4']])(
    'pages of decisions whose ids are %s are complete, also over many days',
    async (version) => {
      const ids = Array.from({ length: 25 }, (_, n) => {
        const at = daysAgo(n * 1.3)
        return { at, id: version === 'v7' ? v7({ msecs: Date.parse(at) }) : randomUUID() }
      })
      await record(...ids.map(({ at, id }) => decision({ at, decision_id: id })))
      for (const query of ['', `&agent_id=${agentId}`, '&tool=mcp:files/*', '&mode=enforce']) {
        const found: string[] = []
        let token: string | undefined
        do {
          const page: { data: { decision_id: string }[]; next_page_token?: string } = await list(
            `?page_size=4${query}${token ? `&page_token=${token}` : ''}`,
          )
          found.push(...page.data.map(({ decision_id }) => decision_id))
          token = page.next_page_token
        } while (token)
        expect(found).toEqual(ids.map(({ id }) => id))
      }
    },
  )

  it('each filter selects its decisions', async () => {
    const [policy_id, rule_id] = [randomUUID(), randomUUID()]
    const other = await addAgent(server, tenant.id, { environmentId: tenant.development })
    await record(
      decision({ tool: 'fn:a/agent', agent_id: other }),
      decision({ tool: 'fn:a/policy', policy_id }),
      decision({ tool: 'fn:a/rule', rule_id }),
      decision({ tool: 'fn:a/session', session_id: 'thread 1' }),
      decision({ tool: 'fn:a/denied', effect: 'deny' }),
      decision({ tool: 'fn:a/monitored', mode: 'monitor' }),
      decision({ tool: 'odd name' }),
      decision({ tool: 'fn:a/old', at: minutesAgo(100) }),
    )
    expect(await tools(`?agent_id=${other}`)).toEqual(['fn:a/agent'])
    expect(await tools(`?policy_id=${policy_id}`)).toEqual(['fn:a/policy'])
    expect(await tools(`?rule_id=${rule_id}`)).toEqual(['fn:a/rule'])
    expect(await tools('?session_id=thread+1')).toEqual(['fn:a/session'])
    expect(await tools('?effect=deny')).toEqual(['fn:a/denied'])
    expect(await tools('?effect=deny&mode=monitor')).toEqual([])
    expect(await tools('?mode=monitor')).toEqual(['fn:a/monitored'])
    expect(await tools('?tool=odd+name')).toEqual(['odd name'])
    expect(await tools('?tool=fn:a/mon*')).toEqual(['fn:a/monitored'])
    expect(await tools(`?to=${minutesAgo(50)}`)).toEqual(['fn:a/old'])
    expect(await tools(`?from=${minutesAgo(50)}`)).toHaveLength(7)
    expect(await tools(`?environment_id=${tenant.development}`)).toHaveLength(8)
    expect(await tools(`?environment_id=${tenant.production}`)).toEqual([])
    const edgeId = (await list('?page_size=1')).data[0].edge.id
    expect(await tools(`?edge_id=${edgeId}`)).toHaveLength(8)
    expect(await tools(`?edge_id=${randomUUID()}`)).toEqual([])
  })

  it('with approval_id: the calls that used the approval or asked for it, for callers who see their agent', async () => {
    const approval_id = randomUUID()
    const other = await addAgent(server, tenant.id, { environmentId: tenant.development })
    const asked = { tool: 'fn:a/asked', effect: 'require_approval', approval_id, at: daysAgo(2) }
    await record(
      decision({ tool: 'fn:a/used', approval_id }),
      decision(asked),
      decision({ tool: 'fn:a/other', approval_id, agent_id: other, at: daysAgo(3) }),
      decision({ tool: 'fn:a/another approval', approval_id: randomUUID() }),
      decision({ tool: 'fn:a/none' }),
    )
    const of = `?approval_id=${approval_id}`
    expect(await tools(of)).toEqual(['fn:a/used', 'fn:a/asked', 'fn:a/other'])
    expect(await tools(`${of}&effect=require_approval`)).toEqual(['fn:a/asked'])
    expect(await tools(`${of}&agent_id=${other}`)).toEqual(['fn:a/other'])
    expect(await tools(`${of}&session_id=s`)).toEqual([])
    const { next_page_token } = await list(`${of}&page_size=2`)
    expect(await tools(`${of}&page_token=${next_page_token}`)).toEqual(['fn:a/other'])
    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    expect(await tools(of, scoped.api)).toEqual([])
    await grantAgent(server, tenant.id, scoped.id, agentId)
    expect(await tools(of, scoped.api)).toEqual(['fn:a/used', 'fn:a/asked'])
    expect(await tools(`${of}&agent_id=${other}`, scoped.api)).toEqual([])
    const { api: bound } = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    expect(await tools(of, bound)).toEqual([])
    expect(await tools(of, (await createTenant(server)).owner.api)).toEqual([])
  })

  it('a decision keeps what is known after its rule, policy, edge and agent are gone', async () => {
    const { api } = tenant.owner
    const rules = [{ priority: 1, name: 'Reads', effect: 'allow', match: { tools: ['mcp:files/*'] } }]
    const policy = (await api.post('/policies', { name: 'Files', rules })).body
    const sent = decision({ policy_id: policy.id, rule_id: policy.rules[0].id, policy_version: 1 })
    await record(sent)
    const edgeId = (await list()).data[0].edge.id
    const read = async () => (await api.get(`/decisions/${sent.decision_id}`)).body
    await api.delete(`/policies/${policy.id}/rules/${policy.rules[0].id}`)
    expect((await read()).rule).toEqual({ id: policy.rules[0].id, name: 'Reads' })
    await api.delete(`/policies/${policy.id}`)
    await api.delete(`/edges/${edgeId}`)
    await api.delete(`/agents/${agentId}`)
    expect(await read()).toMatchObject({
      rule: { id: policy.rules[0].id, name: null },
      policy: { id: policy.id, name: null, version: 1 },
      edge: { id: edgeId, name: expect.any(String) },
      agent: { id: agentId, name: 'Reader' },
    })
    expect((await list()).data).toHaveLength(1)
    const { keys } = (await api.get('/decisions/timeline?group_by=policy')).body
    expect(keys).toEqual([{ key: policy.id, name: null, total: 1 }])
  })

  it('decisions of edges whose clocks are an hour off are listed and counted by their own time', async () => {
    const [behind, ahead] = [minutesAgo(60), minutesAgo(-60)]
    await record(
      decision({ tool: 'fn:a/ahead', at: ahead, decision_id: v7({ msecs: Date.parse(ahead) }) }),
      decision({ tool: 'fn:a/behind', at: behind, decision_id: v7({ msecs: Date.parse(behind) }) }),
      decision({ tool: 'fn:a/now' }),
    )
    expect(await tools()).toEqual(['fn:a/ahead', 'fn:a/now', 'fn:a/behind'])
    expect(await tools(`?to=${minutesAgo(30)}`)).toEqual(['fn:a/behind'])
    const { keys } = (await tenant.owner.api.get(`/decisions/timeline?from=${minutesAgo(120)}&to=${minutesAgo(-120)}`))
      .body
    expect(keys).toEqual([{ key: 'allow', name: 'allow', total: 3 }])
  })

  it('with session_id: how many calls the session has, and when the first was decided', async () => {
    const first = minutesAgo(30)
    await record(decision({ session_id: 's', at: first }), decision({ session_id: 's' }), decision())
    expect((await list('?session_id=s')).session).toEqual({ calls: 2, first_at: first })
    expect((await list('?session_id=none')).session).toEqual({ calls: 0, first_at: null })
  })

  it('with session_id: counts the whole session, whatever the span of the list', async () => {
    const first = daysAgo(3)
    await record(
      decision({ session_id: 's', at: first, decision_id: v7({ msecs: Date.parse(first) }) }),
      decision({ session_id: 's' }),
    )
    const { data, session } = await list(`?session_id=s&from=${daysAgo(1)}`)
    expect(data).toHaveLength(1)
    expect(session).toEqual({ calls: 2, first_at: first })
  })

  it('pages of a user who sees some agents are complete, whichever of them made the calls', async () => {
    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    const agents: string[] = []
    for (let n = 0; n < 120; n++) {
      const id = await addAgent(server, tenant.id, { environmentId: tenant.development })
      await grantAgent(server, tenant.id, scoped.id, id)
      agents.push(id)
    }
    const [busy, ...others] = agents
    await record(
      ...Array.from({ length: 40 }, (_, n) => decision({ agent_id: busy, at: minutesAgo(n) })),
      ...others.map((agent_id, n) => decision({ agent_id, at: minutesAgo(20 + n / 10) })),
      decision({ at: minutesAgo(10) }),
    )
    const all = (await list('?page_size=200')).data.filter(
      ({ agent }: { agent: { id: string } }) => agent.id !== agentId,
    )
    expect(all).toHaveLength(159)
    for (const query of ['', '&tool=mcp:files/*']) {
      const found: unknown[] = []
      let token: string | undefined
      do {
        const page = await list(`?page_size=50${query}${token ? `&page_token=${token}` : ''}`, scoped.api)
        found.push(...page.data)
        token = page.next_page_token
      } while (token)
      expect(found).toEqual(all)
    }
  })

  it('a caller sees the decisions of the agents that they see', async () => {
    const inProduction = await addAgent(server, tenant.id, { environmentId: tenant.production })
    const production = await addEdge(server, tenant.id, tenant.production)
    await record(decision({ tool: 'fn:a/dev' }))
    const sent = { decisions: [decision({ agent_id: inProduction, tool: 'fn:a/prod' })] }
    expect((await production.post('/edge/decisions', sent)).status).toBe(202)
    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    expect(await tools('', scoped.api)).toEqual([])
    await grantAgent(server, tenant.id, scoped.id, agentId)
    expect(await tools('', scoped.api)).toEqual(['fn:a/dev'])
    expect(await tools(`?agent_id=${inProduction}`, scoped.api)).toEqual([])
    await giveEnvironment(server, tenant.id, scoped.id, tenant.production)
    expect(await tools('', scoped.api)).toEqual(['fn:a/dev'])
    const { api: bound } = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    expect(await tools('', bound)).toEqual(['fn:a/prod'])
    const id = (await list(`?agent_id=${agentId}`)).data[0].decision_id
    expect((await bound.get(`/decisions/${id}`)).status).toBe(404)
    expect((await scoped.api.get(`/decisions/${id}`)).status).toBe(200)
    const stranger = await createTenant(server)
    expect(await tools('', stranger.owner.api)).toEqual([])
    expect((await stranger.owner.api.get(`/decisions/${id}`)).status).toBe(404)
  })

  it('names a policy and its rule only to callers who see the policy or its environment', async () => {
    const rules = [{ priority: 1, name: 'Reads', effect: 'allow', match: { tools: ['mcp:files/*'] } }]
    const add = async (name: string, environment_id: string | null) => {
      const { body } = await tenant.owner.api.post('/policies', { name, rules, environment_id })
      const { decision_id } = await sendUnder(body)
      return { id: body.id, ruleId: body.rules[0].id, decisionId: decision_id }
    }
    const sendUnder = async ({ id, rules }: { id: string; rules: { id: string }[] }) => {
      const sent = decision({ policy_id: id, rule_id: rules[0]?.id, policy_version: 1 })
      await record(sent)
      return sent
    }
    const policies = [
      await add('Everywhere', null),
      await add('Development', tenant.development),
      await add('Production', tenant.production),
    ]
    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    await grantAgent(server, tenant.id, scoped.id, agentId)
    const { api: bound } = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    for (const { api, isNamed } of [
      { api: tenant.owner.api, isNamed: true },
      { api: scoped.api, isNamed: false },
      { api: bound, isNamed: false },
    ]) {
      const named = ['Everywhere', 'Development', isNamed ? 'Production' : null]
      for (const [at, { id, ruleId, decisionId }] of policies.entries()) {
        const { body } = await api.get(`/decisions/${decisionId}`)
        expect(body.policy).toMatchObject({ id, name: named[at] })
        expect(body.rule).toEqual({ id: ruleId, name: named[at] && 'Reads' })
        const listed = (await list(`?policy_id=${id}`, api)).data
        expect(listed.map((one: object) => ({ ...one, kept_arguments: null }))).toEqual([body])
        const { body: replayed } = await api.get(`/decisions/${decisionId}/replay`)
        expect(replayed.result).toBe(named[at] ? 'same' : 'undecidable')
        expect(replayed.recorded.rule.name).toBe(named[at] && 'Reads')
      }
      const names = async (group: string) => {
        const { keys } = (await api.get(`/decisions/timeline?group_by=${group}`)).body
        return new Map(keys.map(({ key, name }: { key: string; name: string | null }) => [key, name]))
      }
      expect(await names('policy')).toEqual(new Map(policies.map(({ id }, at) => [id, named[at]])))
      expect(await names('rule')).toEqual(new Map(policies.map(({ ruleId }, at) => [ruleId, named[at] && 'Reads'])))
    }
    const usage = (await scoped.api.get('/usage?group_by=policy')).body.data
    expect(usage.find(({ key }: { key: string }) => key === policies[2]?.id).name).toBeNull()
    const [, , unseen] = policies
    const reasonFor = async (api: typeof bound) =>
      (await api.get(`/decisions/${unseen?.decisionId}/replay`)).body.reason
    const hidden = await reasonFor(scoped.api)
    await tenant.owner.api.delete(`/policies/${unseen?.id}`)
    expect(await reasonFor(tenant.owner.api)).toBe(hidden)
  })

  it('a page token shows nothing of a decision that the caller does not see', async () => {
    const hidden = decision({ at: minutesAgo(1) })
    await record(hidden, decision({ at: minutesAgo(2) }))
    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    expect(await list(`?agent_id=${agentId}&page_size=1`, scoped.api)).toEqual({ data: [] })
    const { next_page_token: token } = await list('?page_size=1')
    const readable = Buffer.from(token, 'base64url')
    expect(readable.toString('hex')).not.toContain(hidden.decision_id.replaceAll('-', ''))
    expect(readable.toString()).not.toContain(hidden.decision_id)
    expect((await list(`?page_size=1&page_token=${token}`)).data).toHaveLength(1)
    const stranger = await createTenant(server)
    expect((await stranger.owner.api.get(`/decisions?page_token=${token}`)).status).toBe(400)
  })

  it.each([
    ['?effect=maybe', 'effect must be one of allow, deny, require_approval'],
    ['?mode=on', 'mode must be one of enforce, monitor'],
    ['?tool=mcp:*', 'tool must have two segments separated by one "/"'],
    ['?approval_id=x', 'approval_id must be a UUID'],
    ['?page_token=x', 'page_token is not a cursor of this list'],
    ['?from=2026-02-02T00:00:00Z&to=2026-02-01T00:00:00Z', 'to must not be before from'],
  ])('400 for %s', async (query, error) => {
    expect(await tenant.owner.api.get(`/decisions${query}`)).toMatchObject({ status: 400, body: { error } })
  })
})

describe('POST /edge/decisions', () => {
  it('a decision more than a day ahead is 400, one older than the retention is not stored', async () => {
    const ahead = (rest: object) => edge.post('/edge/decisions', { decisions: [decision(), decision(rest)] })
    expect(await ahead({ at: daysAgo(-1.1) })).toMatchObject({
      status: 400,
      body: { error: 'decisions[1].at must not be more than 24 hours ahead' },
    })
    expect((await ahead({ decision_id: v7({ msecs: Date.now() + 25 * 3_600_000 }) })).status).toBe(400)
    expect(await record(decision({ at: daysAgo(91) }), decision({ at: daysAgo(89) }))).toEqual({
      accepted: 1,
      duplicates: 0,
    })
    expect((await list()).data).toHaveLength(1)
  })

  it('a denial keeps why the edge denied it, also a reason that the server does not know', async () => {
    const denied = (rest: object) => decision({ effect: 'deny', ...rest })
    const sent = [denied({ denied_because: 'frozen' }), denied({ denied_because: 'a_later_reason' }), denied({})]
    await record(...sent, decision({ denied_because: 'frozen' }))
    const reasons = Object.fromEntries(
      (await list()).data.map((row: { decision_id: string; denied_because: string | null }) => [
        row.decision_id,
        row.denied_because,
      ]),
    )
    expect(sent.map(({ decision_id }) => reasons[decision_id])).toEqual(['frozen', 'a_later_reason', null])
    expect(Object.values(reasons)).toContain(null)
    expect((await tenant.owner.api.get(`/decisions/${sent[0]?.decision_id}`)).body.denied_because).toBe('frozen')
    for (const denied_because of ['', 'Frozen', 'a b', 'x'.repeat(41), 5, null])
      expect(await edge.post('/edge/decisions', { decisions: [denied({ denied_because })] })).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('decisions[0].denied_because') },
      })
  })

  it('a record with `of` adds what the result showed to its decision, and is not counted', async () => {
    const first = decision()
    const pattern_id = randomUUID()
    const content = [{ pattern_id, on: 'results', count: 1, action: 'redact' }]
    const result = decision({ of: first.decision_id, content })
    await record(first)
    await record(result)
    const { data } = await list()
    expect(data).toHaveLength(1)
    expect(data[0]).toMatchObject({ decision_id: first.decision_id, content })
    const { body } = await tenant.owner.api.get(`/decisions/${result.decision_id}`)
    expect(body).toEqual({ ...data[0], kept_arguments: null })
    expect((await tenant.owner.api.get('/usage')).body.total).toEqual({ allow: 1, deny: 0, require_approval: 0 })
  })

  it('404 for an agent that the edge does not serve, also with a decision more than a day ahead', async () => {
    const foreign = await addAgent(server, tenant.id, { environmentId: tenant.production })
    const ahead = [{ at: daysAgo(-1.1) }, { decision_id: 'ffffffff-ffff-7fff-bfff-ffffffffffff' }]
    for (const rest of ahead) {
      const answer = await edge.post('/edge/decisions', { decisions: [decision({ agent_id: foreign, ...rest })] })
      expect(answer).toMatchObject({ status: 404, body: { error: 'agent not found' } })
    }
    expect((await edge.post('/edge/decisions', { decisions: ahead.map(decision) })).status).toBe(400)
  })

  describe('a record with `of`', () => {
    const hit = (count: number) => ({ pattern_id: randomUUID(), on: 'results', count, action: 'flag' })
    const found = async (id: string) => (await tenant.owner.api.get(`/decisions/${id}`)).body
    const counts = async (id: string) => (await found(id)).content?.map(({ count }: { count: number }) => count) ?? null
    const resultOf = ({ decision_id }: { decision_id: string }, rest: object) => decision({ of: decision_id, ...rest })

    it('changes no decision of another agent, of another edge or of an agent key, and no other result', async () => {
      const first = decision()
      await record(first)
      const change = { content: [hit(1)], labels: ['forged'] }
      const other = await addAgent(server, tenant.id, { environmentId: tenant.development })
      await record(resultOf(first, { ...change, agent_id: other }))
      const otherEdge = await addEdge(server, tenant.id, tenant.development)
      const agentKey = await giveAgentKey(server, tenant.id, agentId)
      for (const sender of [otherEdge, agentKey]) {
        expect((await sender.post('/edge/decisions', { decisions: [resultOf(first, change)] })).status).toBe(202)
      }
      expect(await found(first.decision_id)).toMatchObject({ content: null, labels: null })
      const result = resultOf(first, { content: [hit(2)] })
      await record(result)
      await record(resultOf(result, change))
      expect(await counts(first.decision_id)).toEqual([2])
      expect((await found(first.decision_id)).labels).toBeNull()
    })

    it('changes a decision that it waited for only if the sender is the same', async () => {
      const first = decision()
      const otherEdge = await addEdge(server, tenant.id, tenant.development)
      const early = [resultOf(first, { content: [hit(1)] })]
      expect((await otherEdge.post('/edge/decisions', { decisions: early })).status).toBe(202)
      await record(first)
      expect(await counts(first.decision_id)).toBeNull()
    })

    it('adds at most 100 content matches to a decision in total', async () => {
      const first = decision({ content: Array.from({ length: 60 }, () => hit(1)) })
      await record(first, resultOf(first, { content: Array.from({ length: 30 }, () => hit(2)) }))
      await record(resultOf(first, { content: Array.from({ length: 30 }, () => hit(3)) }))
      await record(resultOf(first, { content: [hit(4)], labels: ['last'] }))
      expect(await counts(first.decision_id)).toEqual([
        ...Array(60).fill(1),
        ...Array(30).fill(2),
        ...Array(10).fill(3),
      ])
      expect((await found(first.decision_id)).labels).toEqual(['last'])
    })

    it('is merged together with others of its batch, in their order', async () => {
      const [first, second] = [decision({ content: [hit(1)] }), decision()]
      await record(first, second)
      await record(
        resultOf(first, { content: [hit(2)], labels: ['one'] }),
        resultOf(second, { content: [hit(7)] }),
        resultOf(first, { content: [hit(3)], labels: ['two'] }),
        resultOf(first, { content: [hit(4)] }),
      )
      expect(await counts(first.decision_id)).toEqual([1, 2, 3, 4])
      expect(await counts(second.decision_id)).toEqual([7])
      expect((await found(first.decision_id)).labels).toEqual(['two'])
    })

    it.each([['v7'], ['v4']])('may arrive before its decision, whose id is %s', async (version) => {
      const first = decision({ decision_id: version === 'v7' ? v7() : randomUUID(), content: [hit(1)] })
      await record(resultOf(first, { content: [hit(2)] }), resultOf(first, { content: [hit(3)] }))
      await record(resultOf(first, { content: [hit(4)] }))
      await record(resultOf(first, { content: [hit(5)] }), first)
      expect(await counts(first.decision_id)).toEqual([1, 2, 3, 4, 5])
      await record(first, resultOf(first, { content: [hit(6)] }))
      expect(await counts(first.decision_id)).toEqual([1, 2, 3, 4, 5, 6])
      const { rows } = await server.owner.query('select from decision_waiting_results where tenant_id = $1', [
        tenant.id,
      ])
      expect(rows).toEqual([])
    })

    it('is merged later if neither transaction saw the other', async () => {
      const first = decision()
      await record(resultOf(first, { content: [hit(1)] }))
      const { rows } = await server.owner.query('select * from decision_waiting_results where tenant_id = $1', [
        tenant.id,
      ])
      await server.owner.query('delete from decision_waiting_results where tenant_id = $1', [tenant.id])
      await record(first)
      await server.owner.query(
        `insert into decision_waiting_results select * from jsonb_populate_recordset(null::decision_waiting_results, $1)`,
        [JSON.stringify(rows)],
      )
      expect(await counts(first.decision_id)).toBeNull()
      await expireDecisions(server.services, new Date().toISOString())
      await expireDecisions(server.services, new Date().toISOString())
      expect(await counts(first.decision_id)).toEqual([1])
    })

    it('is merged days after its decision, and after a change of the retention', async () => {
      const first = decision({ decision_id: v7({ msecs: Date.parse(daysAgo(20)) }), at: daysAgo(20) })
      const second = decision({ decision_id: randomUUID() })
      await record(first, second)
      const keep = (days: number) => tenant.owner.api.put(`/tenants/${tenant.id}`, { decision_retention_days: days })
      for (const [n, days] of [400, 30, 90].entries()) {
        expect((await keep(days)).status).toBe(200)
        await record(resultOf(first, { content: [hit(n + 1)] }), resultOf(second, { content: [hit(n + 1)] }))
      }
      expect(await counts(first.decision_id)).toEqual([1, 2, 3])
      expect(await counts(second.decision_id)).toEqual([1, 2, 3])
    })

    it('waits for a decision that never arrives, and then expires', async () => {
      const never = 'ffffffff-ffff-7fff-bfff-ffffffffffff'
      await record(decision({ of: never, content: [hit(1)] }), decision({ of: randomUUID(), labels: ['x'] }))
      const waiting = async () =>
        (await server.owner.query('select from decision_waiting_results where tenant_id = $1', [tenant.id])).rowCount
      await expireDecisions(server.services, new Date().toISOString())
      expect(await waiting()).toBe(2)
      await expireDecisions(server.services, daysAgo(-91))
      expect(await waiting()).toBe(0)
    })

    it('waits at most 100 times for one decision', async () => {
      const first = decision()
      for (let batch = 0; batch < 2; batch++) {
        await record(...Array.from({ length: 60 }, (_, n) => resultOf(first, { labels: [`${batch} ${n}`] })))
      }
      await record(first)
      expect((await found(first.decision_id)).labels).toEqual(['1 39'])
    })
  })

  it('counts the first 1,000 new tools of a day by name, and further ones as `other`', async () => {
    for (let batch = 0; batch < 10; batch++) {
      await record(...Array.from({ length: 1000 }, (_, n) => decision({ tool: `fn:invented/${batch * 1000 + n}` })))
    }
    const { rows } = await server.owner.query('select count(*)::int as n from decision_tools where tenant_id = $1', [
      tenant.id,
    ])
    expect(rows[0].n).toBe(1000)
    const { data, total } = (await tenant.owner.api.get('/usage?group_by=tool')).body
    expect(total.allow).toBe(10_000)
    expect(data.at(-1)).toMatchObject({ key: 'other', allow: 9_500 })
    expect(await tools('?tool=fn:invented/9999')).toEqual(['fn:invented/9999'])
  })

  it('after the new kinds of a day are used up, lists by rule and policy are whole and a policy is still counted', async () => {
    const policy = (await tenant.owner.api.post('/policies', { name: 'Files', rules: [] })).body
    await useUpKinds()
    const [rule_id, unknown] = [randomUUID(), randomUUID()]
    const named = decision({ tool: 'fn:a/named', policy_id: policy.id, rule_id })
    await record(named, decision({ tool: 'fn:a/unknown', policy_id: unknown }))
    expect(await tools(`?rule_id=${rule_id}`)).toEqual(['fn:a/named'])
    expect(await tools(`?policy_id=${policy.id}`)).toEqual(['fn:a/named'])
    expect(await tools(`?policy_id=${unknown}`)).toEqual(['fn:a/unknown'])
    const keys = async (query: string) => (await tenant.owner.api.get(`/decisions/timeline?${query}`)).body.keys
    expect(await keys(`policy_id=${policy.id}`)).toEqual([{ key: 'allow', name: 'allow', total: 1 }])
    expect(await keys('group_by=policy')).toEqual([
      { key: policy.id, name: 'Files', total: 1 },
      { key: 'other', name: 'other', total: 1 },
    ])
    expect(await keys('group_by=rule')).toEqual([{ key: 'other', name: 'other', total: 2 }])
    const { body: simulated } = await tenant.owner.api.post(`/policies/${policy.id}/simulate`, { replay: {} })
    expect(simulated.replay).toMatchObject({ decisions: 1, changed: 0, undecidable: 1 })
  })

  it('a kind of decisions counts once for the new kinds of a day', async () => {
    const used = async () => {
      const text = 'select kinds from decision_new_names where tenant_id = $1'
      return (await server.owner.query(text, [tenant.id])).rows[0].kinds
    }
    await record(decision({ tool: 'fn:a/one' }), decision({ tool: 'fn:a/two' }))
    expect(await used()).toBe(3)
    await record(decision({ tool: 'fn:a/three' }), decision({ tool: 'fn:a/one' }))
    expect(await used()).toBe(4)
    const sent = () => edge.post('/edge/decisions', { decisions: [decision({ tool: 'fn:a/four' })] })
    await Promise.all(Array.from({ length: 8 }, sent))
    expect(await used()).toBe(5)
  })

  async function useUpKinds() {
    await server.owner.query(
      `insert into decision_new_names (tenant_id, day, tools, kinds) values ($1, date_trunc('day', now(), 'UTC'), 0, 10000)`,
      [tenant.id],
    )
  }
})

describe('GET /decisions/timeline', () => {
  const timeline = async (query: string, api = tenant.owner.api) => (await api.get(`/decisions/timeline?${query}`)).body

  it('200: every bucket of the span, and counts by key', async () => {
    const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000).getTime()
    const at = (hours: number) => new Date(hour - hours * 3_600_000 + 60_000).toISOString()
    await record(
      decision({ at: at(1) }),
      decision({ at: at(1), effect: 'deny' }),
      decision({ at: at(3) }),
      decision({ at: at(30) }),
    )
    const span = `from=${new Date(hour - 3 * 3_600_000).toISOString()}&to=${new Date(hour).toISOString()}`
    const start = (hours: number) => new Date(hour - hours * 3_600_000).toISOString()
    expect(await timeline(span)).toEqual({
      buckets: [
        { start: start(3), counts: { allow: 1 } },
        { start: start(2), counts: {} },
        { start: start(1), counts: { allow: 1, deny: 1 } },
      ],
      keys: [
        { key: 'allow', name: 'allow', total: 2 },
        { key: 'deny', name: 'deny', total: 1 },
      ],
    })
    const byAgent = await timeline(`${span}&group_by=agent`)
    expect(byAgent.keys).toEqual([{ key: agentId, name: 'Reader', total: 3 }])
    expect((await timeline(`${span}&group_by=rule`)).keys).toEqual([{ key: 'none', name: 'none', total: 3 }])
    expect((await timeline(`${span}&bucket=minute`)).buckets).toHaveLength(180)
    expect((await timeline(`${span}&bucket=day`)).buckets.length).toBeLessThan(3)
  })

  it('filters and sums agree with the list', async () => {
    const other = await addAgent(server, tenant.id, { environmentId: tenant.development })
    const [policy_id, rule_id] = [randomUUID(), randomUUID()]
    const kinds = [{}, { effect: 'deny' }, { mode: 'monitor' }, { policy_id }, { rule_id, tool: 'fn:a/b' }]
    await record(...kinds.flatMap((kind) => [decision(kind), decision({ ...kind, agent_id: other })]))
    const edgeId = (await list('?page_size=1')).data[0].edge.id
    for (const filter of [
      `agent_id=${other}`,
      'effect=deny',
      'mode=monitor',
      `policy_id=${policy_id}`,
      `rule_id=${rule_id}`,
      'tool=fn:a/b',
      `edge_id=${edgeId}`,
      `edge_id=${edgeId}&agent_id=${other}&effect=deny`,
      `environment_id=${tenant.development}`,
      `environment_id=${tenant.production}`,
    ]) {
      const expected = (await list(`?${filter}`)).data.length
      for (const group of ['effect', 'agent', 'tool', 'rule', 'policy']) {
        const { keys } = await timeline(`${filter}&group_by=${group}`)
        const sum = keys.reduce((sum: number, { total }: { total: number }) => sum + total, 0)
        expect({ filter, group, sum }).toEqual({ filter, group, sum: expected })
      }
    }
  })

  it('a caller gets the counts of the agents that they see', async () => {
    await record(decision(), decision({ effect: 'deny' }))
    const total = async (api: typeof tenant.owner.api, query = '') =>
      (await timeline(query, api)).keys.reduce((sum: number, { total }: { total: number }) => sum + total, 0)
    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    expect(await total(scoped.api)).toBe(0)
    expect(await total(scoped.api, `agent_id=${agentId}`)).toBe(0)
    await grantAgent(server, tenant.id, scoped.id, agentId)
    expect(await total(scoped.api, 'group_by=agent')).toBe(2)
    const { api: bound } = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    expect(await total(bound)).toBe(0)
    expect(await total(bound, `environment_id=${tenant.development}`)).toBe(0)
    expect(await total(bound, 'group_by=agent')).toBe(0)
    expect((await bound.get('/usage')).status).toBe(403)
  })

  it('at most 20 keys, those with the most calls first; the rest is `other`', async () => {
    const numbers = Array.from({ length: 25 }, (_, n) => n)
    await record(
      ...numbers.flatMap((n) => Array.from({ length: n + 1 }, () => decision({ tool: `fn:t/${n}` }))),
      ...Array.from({ length: 30 }, () => decision({ tool: 'other' })),
      decision({ tool: 'fn:t/10', effect: 'deny' }),
    )
    const { buckets, keys } = await timeline('group_by=tool&bucket=day')
    const shown = [24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 10, 11, 9, 8, 7, 6, 5]
    const other = { key: 'other', name: 'other', total: 1 + 2 + 3 + 4 + 5 + 30 }
    expect(keys).toEqual([
      ...shown.map((n) => ({ key: `fn:t/${n}`, name: `fn:t/${n}`, total: n === 10 ? 12 : n + 1 })),
      other,
    ])
    expect(buckets.at(-1).counts).toMatchObject({ 'fn:t/24': 25, 'fn:t/10': 12, other: other.total })
  })

  it('with a filter, the keys are the agents with the most calls that match it', async () => {
    const agents: string[] = []
    for (let n = 0; n < 28; n++) agents.push(await addAgent(server, tenant.id, { environmentId: tenant.development }))
    const [policy_id, rule_id] = [randomUUID(), randomUUID()]
    const quiet = agents.slice(0, 3).sort()
    const busy = agents.slice(3).flatMap((agent_id) => Array.from({ length: 20 }, () => decision({ agent_id })))
    await record(...busy)
    const second = await addEdge(server, tenant.id, tenant.development)
    const rare = { policy_id, rule_id, tool: 'fn:a/rare', effect: 'deny', mode: 'monitor' }
    const decisions = quiet.map((agent_id) => decision({ agent_id, ...rare }))
    expect((await second.post('/edge/decisions', { decisions })).status).toBe(202)
    const edge_id = (await list(`?rule_id=${rule_id}`)).data[0].edge.id
    for (const [name, value] of Object.entries({ ...rare, edge_id })) {
      for (const span of ['', `&bucket=day&from=${daysAgo(20)}`]) {
        const { keys } = await timeline(`group_by=agent&${name}=${value}${span}`)
        const expected = quiet.map((key) => ({ key, total: 1 }))
        expect({ name, keys }).toMatchObject({ name, keys: expected })
        expect(keys).toHaveLength(3)
      }
    }
  })

  it('by agent, the keys are the busiest of the span, not of the day', async () => {
    const agents: string[] = []
    for (let n = 0; n < 23; n++) agents.push(await addAgent(server, tenant.id, { environmentId: tenant.development }))
    const [quiet, ...busy] = agents
    const yesterday = daysAgo(1).slice(0, 10)
    const [noon, later] = [`${yesterday}T12:00:00.000Z`, `${yesterday}T13:00:00.000Z`]
    await record(
      ...busy.flatMap((agent_id) => [decision({ agent_id, at: later }), decision({ agent_id, at: later })]),
      decision({ agent_id: quiet, at: noon }),
    )
    const { keys } = await timeline(`group_by=agent&from=${noon}&to=${later}`)
    expect(keys).toMatchObject([{ key: quiet, total: 1 }])
  })

  it('at most 20 of the agents that a scoped user sees; the rest is `other`', async () => {
    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    const agents: string[] = []
    for (let n = 0; n < 22; n++) {
      const id = await addAgent(server, tenant.id, { environmentId: tenant.development })
      await grantAgent(server, tenant.id, scoped.id, id)
      agents.push(id)
    }
    await record(decision(), ...agents.map((agent_id) => decision({ agent_id })), decision({ agent_id: agents[21] }))
    const { keys } = await timeline('group_by=agent', scoped.api)
    const [busiest, ...others] = [agents[21], ...agents.slice(0, 21).sort()]
    expect(keys).toMatchObject([
      { key: busiest, total: 2 },
      ...others.slice(0, 19).map((key) => ({ key, total: 1 })),
      { key: 'other', name: 'other', total: 2 },
    ])
  })

  it.each([['constructor'], ['__proto__']])('counts calls of a tool with the name %s', async (tool) => {
    await record(decision({ tool }), decision({ tool }))
    const { buckets, keys } = await timeline('group_by=tool&bucket=day')
    expect(keys).toEqual([{ key: tool, name: tool, total: 2 }])
    expect(Object.entries(buckets.at(-1).counts)).toEqual([[tool, 2]])
  })

  it.each([
    ['bucket=minute&from=2020-01-01T00:00:00Z&to=2020-01-01T01:00:00Z', /kept for 2 days/],
    ['bucket=hour&from=2020-01-01T00:00:00Z&to=2020-01-02T01:00:00Z', /kept for 35 days/],
    ['bucket=minute&from=2026-01-01T00:00:00Z&to=2026-01-02T01:00:00Z', /more than 1000 buckets/],
    ['tool=fn:a/*', /tool with \* needs agent_id/],
    ['group_by=mood', /group_by must be one of/],
    ['from=2026-02-02T00:00:00Z&to=2026-02-01T00:00:00Z', /to must not be before from/],
  ])('400 for %s', async (query, error) => {
    const { status, body } = await tenant.owner.api.get(`/decisions/timeline?${query}`)
    expect({ status, error: body.error }).toEqual({ status: 400, error: expect.stringMatching(error) })
  })
})

describe('GET /usage', () => {
  it('200: counts by day, agent, policy, tool and environment', async () => {
    await record(decision(), decision({ effect: 'require_approval', at: daysAgo(1) }))
    const usage = async (group: string) => (await tenant.owner.api.get(`/usage?group_by=${group}`)).body
    const days = await usage('day')
    expect(days.total).toEqual({ allow: 1, deny: 0, require_approval: 1 })
    expect(days.data).toHaveLength(30)
    expect(days.data.at(-1)).toEqual({ key: days.to, name: days.to, allow: 1, deny: 0, require_approval: 0 })
    const both = { allow: 1, deny: 0, require_approval: 1 }
    expect((await usage('agent')).data).toEqual([{ key: agentId, name: 'Reader', ...both }])
    expect((await usage('policy')).data).toEqual([{ key: 'none', name: 'none', ...both }])
    expect((await usage('tool')).data).toEqual([{ key: 'mcp:files/read', name: 'mcp:files/read', ...both }])
    expect((await usage('environment')).data).toEqual([{ key: tenant.development, name: expect.any(String), ...both }])
  })

  it('at most 500 rows, those with the most calls first; the rest is `other`', async () => {
    const policies = Array.from({ length: 510 }, () => randomUUID()).sort()
    const decisions = policies.map((policy_id) => decision({ policy_id }))
    await record(...decisions.slice(0, 300))
    await record(...decisions.slice(300), decision({ policy_id: policies[509], effect: 'deny' }))
    const { data, total } = (await tenant.owner.api.get('/usage?group_by=policy')).body
    expect(total).toEqual({ allow: 510, deny: 1, require_approval: 0 })
    const one = { name: null, allow: 1, deny: 0, require_approval: 0 }
    expect(data).toEqual([
      { ...one, key: policies[509], deny: 1 },
      ...policies.slice(0, 499).map((key) => ({ ...one, key })),
      { key: 'other', name: 'other', allow: 10, deny: 0, require_approval: 0 },
    ])
  })

  it('200: days at the ends of the range of times have no calls', async () => {
    const usage = async (query: string) => (await tenant.owner.api.get(`/usage?${query}`)).body
    const none = { allow: 0, deny: 0, require_approval: 0 }
    expect(await usage('from=2026-11-27T00:00&to=2026-11-28T01:00%2B01:00')).toMatchObject({
      from: '2026-11-27',
      to: '2026-11-28',
    })
    expect(await usage('to=9999-12-31')).toMatchObject({ from: '9999-12-02', to: '9999-12-31', total: none })
    expect(await usage('to=0001-01-02')).toMatchObject({ from: '0001-01-01', to: '0001-01-02', total: none })
    expect((await usage('to=0001-01-02')).data).toHaveLength(2)
  })

  it.each([
    [
      'from=2026-11-27T09:00',
      'from must be a date such as 2026-03-01, or the start of this day in UTC, such as 2026-03-01T00:00',
    ],
    [
      'from=2026-02-30',
      'from must be a date such as 2026-03-01, or the start of this day in UTC, such as 2026-03-01T00:00',
    ],
    ['from=0000-01-01&to=0000-01-02', 'from must be a date between the years 1 and 9999'],
    ['from=2020-01-01&to=2026-01-01', 'the span has 2193 days; at most 800 are possible'],
    ['from=2026-01-02&to=2026-01-01', 'to must not be before from'],
  ])('400 for %s', async (query, error) => {
    expect(await tenant.owner.api.get(`/usage?${query}`)).toMatchObject({ status: 400, body: { error } })
  })
})
