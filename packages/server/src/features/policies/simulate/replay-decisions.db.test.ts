// May take over 10 s: replays thousands of recorded decisions.
import { randomUUID } from 'node:crypto'
import { compilePolicy, evaluate } from '@mandate/policy/evaluate'
import { contentHash } from '@mandate/proofs/canonical'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  actorOf,
  addAgent,
  addKey,
  addPerson,
  createTenant,
  giveEnvironment,
  grantAgent,
  type TestTenant,
} from '../../../testing/arrange.ts'
import { addEdge, giveAgentKey } from '../../../testing/arrange-agents.ts'
import { countFilledDecisions } from '../../../testing/count-filled-decisions.ts'
import { newDecision } from '../../../testing/new-decision.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { findKeptCalls } from './replay-queries.ts'

const server = useOwnServer()
let tenant: TestTenant
// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
let policy: any
let agentId: string

const large = { path: 'args.amount', op: 'gt', value: 100 }
const rule = (effect: string, tool: string, when: object[] = []) => ({ effect, match: { tools: [tool], when } })
const numbered = (...rules: object[]) => rules.map((each, index) => ({ priority: index + 1, ...each }))

beforeEach(async () => {
  tenant = await createTenant(server)
  const rules = numbered(rule('allow', 'mcp:files/*'), rule('deny', 'fn:bank/pay', [large]), rule('allow', 'fn:bank/*'))
  policy = (await tenant.owner.api.post('/policies', { name: 'P', rules })).body
  agentId = await newAgent()
})

const newAgent = (rest = {}) =>
  addAgent(server, tenant.id, { environmentId: tenant.development, policyId: policy.id, ...rest })
const hourOf = (time: string) => `${time.slice(0, 13)}:00:00.000Z`
/** The start of the bucket that counts a decision: the hour if it was made today, otherwise the day. */
const bucket = (time: string) =>
  time.slice(0, 10) === new Date().toISOString().slice(0, 10) ? hourOf(time) : `${time.slice(0, 10)}T00:00:00.000Z`
const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60_000).toISOString()

async function record(tool: string, effect: string, count = 1, rest: object = {}) {
  const recorded = { tool, effect, policy_version: 1, at: daysAgo(1), ...rest }
  const decisions = Array.from({ length: count }, () => newDecision(agentId, recorded))
  const edge = await addEdge(server, tenant.id, tenant.development)
  expect((await edge.post('/edge/decisions', { decisions })).status).toBe(202)
}

const simulate = (body: object, api = tenant.owner.api) => api.post(`/policies/${policy.id}/simulate`, body)
const replay = async (body: object = {}, api = tenant.owner.api) =>
  (await simulate({ replay: {}, ...body }, api)).body.replay

describe('POST /policies/{policy_id}/simulate with replay', () => {
  it('200: decides by the labels of tools, and takes conditions on sessions as errors', async () => {
    const edge = await addEdge(server, tenant.id, tenant.development)
    expect((await edge.post('/edge/tools', { server: 'files', tools: [{ name: 'read' }] })).status).toBe(202)
    await record('mcp:files/read', 'allow', 2)
    await record('mcp:files/write', 'allow', 3)
    const untrusted = { path: 'tool.labels', op: 'has', value: 'untrusted_output' }
    const tainted = { path: 'session.labels', op: 'has', value: 'seen' }
    const byLabels = numbered(rule('deny', 'mcp:files/*', [untrusted]), rule('allow', 'mcp:files/*'))
    expect(await replay({ document: { rules: byLabels } })).toMatchObject({ decisions: 5, changed: 2, undecidable: 0 })
    const bySession = numbered(rule('deny', 'mcp:files/read', [tainted]), rule('allow', 'mcp:files/*', []))
    expect(await replay({ document: { rules: bySession } })).toMatchObject({ decisions: 5, changed: 2, undecidable: 0 })
  })

  describe('of tools whose declared arguments are known', () => {
    const [x, y] = ['x', 'y'].map((name) => ({ path: `args.${name}`, op: 'eq', value: 1 }))
    const declare = async (names: string[], from?: Awaited<ReturnType<typeof addEdge>>) => {
      const edge = from ?? (await addEdge(server, tenant.id, tenant.development))
      const properties = Object.fromEntries(names.map((name) => [name, {}]))
      const tools = ['read', 'write'].map((name) => ({ name, input_schema: { type: 'object', properties } }))
      expect((await edge.post('/edge/tools', { server: 'files', tools })).status).toBe(202)
    }

    it('200: decides by them if any call gets the effect, and only while nobody declares others', async () => {
      await record('mcp:files/read', 'allow', 3)
      const rules = numbered(rule('deny', 'mcp:files/*', [x!]), rule('allow', 'mcp:files/*'))
      const ask = async () => await replay({ document: { rules } })
      expect(await ask()).toMatchObject({ decisions: 3, changed: 0, undecidable: 3 })
      await declare(['y'])
      expect(await ask()).toMatchObject({ decisions: 3, changed: 3, undecidable: 0, matrix: { allow: { deny: 3 } } })
      await declare(['x'])
      expect(await ask()).toMatchObject({ decisions: 3, changed: 0, undecidable: 3 })
    })

    it('200: names that an agent’s own key declares do not count', async () => {
      await record('mcp:files/read', 'allow')
      await declare(['y'], await giveAgentKey(server, tenant.id, agentId))
      const rules = numbered(rule('deny', 'mcp:files/*', [x!]), rule('allow', 'mcp:files/*'))
      expect(await replay({ document: { rules } })).toMatchObject({ changed: 0, undecidable: 1 })
    })

    it('200: the size of the stored policy limits how many tools are decided by them', async () => {
      const huge = Array.from({ length: 1000 }, () =>
        rule(
          'allow',
          '*',
          Array.from({ length: 18 }, () => y!),
        ),
      )
      const stored = { name: 'Huge', rules: numbered(...huge) }
      policy = (await tenant.owner.api.post('/policies', stored)).body
      await tenant.owner.api.post(`/agents/${agentId}/assign-policy`, { policy_id: policy.id })
      const edge = await addEdge(server, tenant.id, tenant.development)
      const names = Array.from({ length: 150 }, (_, at) => `tool-${at}`)
      const tools = names.map((name) => ({ name, input_schema: { type: 'object', properties: { y: {} } } }))
      expect((await edge.post('/edge/tools', { server: 'files', tools })).status).toBe(202)
      const recorded = { effect: 'allow', policy_id: policy.id, policy_version: 1, at: daysAgo(1) }
      const decisions = names.map((name) => newDecision(agentId, { ...recorded, tool: `mcp:files/${name}` }))
      expect((await edge.post('/edge/decisions', { decisions })).body).toMatchObject({ accepted: 150 })
      const document = { default_effect: 'allow', rules: numbered(rule('deny', '*', [x!])) }
      const { decisions: calls, changed, undecidable } = await replay({ document })
      expect(calls).toBe(150)
      // A huge policy is looked at for a hundred tools.
      expect(changed).toBeGreaterThan(90)
      expect(undecidable).toBe(150 - changed)
      expect(undecidable).toBeGreaterThan(40)
    })

    it('200: an unchanged policy changes no call, however the edge knew the arguments of the tool', async () => {
      const absent = (value: boolean) => ({ ...x!, absent: value })
      const policies = [
        numbered(rule('deny', 'mcp:files/*', [x!]), rule('allow', 'mcp:files/*')),
        numbered(rule('deny', 'mcp:files/*', [absent(false)]), rule('allow', 'mcp:files/*')),
        numbered(rule('allow', 'mcp:files/*', [x!]), rule('require_approval', 'mcp:files/read')),
        numbered(rule('allow', 'mcp:files/*', [absent(true), y!])),
        numbered(rule('require_approval', 'mcp:files/*', [absent(false), y!]), rule('allow', '*')),
      ]
      await declare(['y'])
      const argumentsOfCalls = [{}, { x: 1 }, { y: 1 }, { x: 1, y: 1 }, { y: 2, z: 1 }]
      for (const [at, rules] of policies.entries()) {
        policy = (await tenant.owner.api.post('/policies', { name: `P${at}`, rules })).body
        await tenant.owner.api.post(`/agents/${agentId}/assign-policy`, { policy_id: policy.id })
        const compiled = compilePolicy(policy)
        const decisions: object[] = []
        for (const tool of ['mcp:files/read', 'mcp:files/write']) {
          for (const declaredArgs of [new Set(['y']), new Set(['x', 'y']), null]) {
            for (const args of argumentsOfCalls) {
              const { effect, rule_id } = evaluate(compiled, { tool, args, agent: {}, environment: {}, declaredArgs })
              const recorded = { tool, effect, policy_id: policy.id, policy_version: 1, at: daysAgo(1) }
              decisions.push(newDecision(agentId, { ...recorded, ...(rule_id && { rule_id }) }))
            }
          }
        }
        const edge = await addEdge(server, tenant.id, tenant.development)
        expect((await edge.post('/edge/decisions', { decisions })).body).toMatchObject({ accepted: 30 })
        expect(await replay(), `policy ${at}`).toMatchObject({ decisions: 30, changed: 0 })
      }
    })
  })

  it('200: a call of a tool whose name is not valid stays denied, whatever the candidate is', async () => {
    await record('files.delete', 'deny', 2, { policy_version: 1 })
    await record('mcp:files/read', 'allow', 1)
    const anything = { default_effect: 'allow', rules: numbered(rule('allow', '*')) }
    expect(await replay({ document: anything })).toMatchObject({ decisions: 3, changed: 0, undecidable: 0 })
  })

  it('200: returns which recorded calls the candidate would decide differently, and how often', async () => {
    const at = daysAgo(0.5)
    await record('mcp:files/read', 'allow', 3)
    await record('mcp:files/delete', 'allow', 2, { at })
    await record('mcp:files/delete', 'allow', 1, { mode: 'monitor', policy_version: null, at })
    await record('fn:mail/send', 'deny', 4)
    const rules = [
      { ...policy.rules[0], effect: 'deny', match: { tools: ['mcp:files/delete'] } },
      { ...policy.rules[1], id: undefined, effect: 'allow', match: { tools: ['*'] } },
    ]
    const { status, body } = await simulate({ replay: { days: 3 }, document: { rules } })
    expect(status).toBe(200)
    expect(body).toMatchObject({ policy_version: null, results: [], warnings: [] })
    const deleted = {
      tool: 'mcp:files/delete',
      was: 'allow',
      would_be: 'deny',
      rule_id: policy.rules[0].id,
      last_at: bucket(at),
      agent: { id: agentId, name: expect.any(String) },
    }
    expect(body.replay).toEqual({
      from: hourOf(new Date(Date.parse(body.replay.to) - 3 * 24 * 60 * 60_000).toISOString()),
      to: expect.stringMatching(/Z$/),
      arguments: { decided: 0, missing: [] },
      decisions: 10,
      complete: true,
      changed: 7,
      undecidable: 0,
      change_class: 'mixed',
      agents: { total: 1, affected: 1 },
      matrix: {
        allow: { allow: 3, deny: 3, require_approval: 0, depends: 0 },
        deny: { allow: 4, deny: 0, require_approval: 0, depends: 0 },
        require_approval: { allow: 0, deny: 0, require_approval: 0, depends: 0 },
      },
      totals: expect.arrayContaining([
        { was: 'allow', would_be: 'allow', calls: 3, enforced: 3 },
        { was: 'allow', would_be: 'deny', calls: 3, enforced: 2 },
        { was: 'deny', would_be: 'allow', calls: 4, enforced: 4 },
      ]),
      examples: [
        {
          tool: 'fn:mail/send',
          was: 'deny',
          would_be: 'allow',
          rule_id: 'rules[1]',
          undecidable: [],
          mode: 'enforce',
          policy_version: 1,
          calls: 4,
          last_at: expect.any(String),
          agent: { id: agentId, name: expect.any(String) },
        },
        { ...deleted, undecidable: [], mode: 'enforce', policy_version: 1, calls: 2 },
        { ...deleted, undecidable: [], mode: 'monitor', policy_version: null, calls: 1 },
      ],
    })
    expect(body.replay.totals).toHaveLength(3)
  })

  it('a call that depends on its arguments is undecidable and is returned with the paths it depends on', async () => {
    await record('fn:bank/pay', 'allow', 2)
    await record('fn:bank/read', 'allow')
    expect(await replay()).toMatchObject({
      decisions: 3,
      changed: 0,
      undecidable: 2,
      totals: [
        { was: 'allow', would_be: null, calls: 2 },
        { was: 'allow', would_be: 'allow', calls: 1 },
      ],
      examples: [{ tool: 'fn:bank/pay', would_be: null, rule_id: null, undecidable: ['args.amount'] }],
    })
    const rules = numbered(rule('deny', 'fn:bank/*'), rule('require_approval', 'fn:bank/pay', [large]))
    expect(await replay({ document: { rules } })).toMatchObject({ changed: 3, undecidable: 0 })
  })

  it('leaves out calls that were denied because the agent was not allowed to act', async () => {
    await record('fn:bank/read', 'deny', 3, { policy_version: null, denied_because: 'frozen' })
    await record('fn:bank/read', 'deny', 2)
    const rules = numbered(rule('allow', '*'))
    expect(await replay({ document: { rules } })).toMatchObject({ decisions: 2, changed: 2, complete: true })
  })

  it('a call that a person approved counts as one that the policy held', async () => {
    const rules = numbered(rule('require_approval', 'fn:bank/*'), rule('allow', 'mcp:files/*'))
    const { body: held } = await tenant.owner.api.post('/policies', { name: 'H', rules })
    await tenant.owner.api.post(`/agents/${agentId}/assign-policy`, { policy_id: held.id })
    const of = (index: number) => ({ policy_id: held.id, policy_version: 1, rule_id: held.rules[index].id })
    await record('fn:bank/pay', 'require_approval', 3, of(0))
    await record('fn:bank/pay', 'allow', 2, of(0))
    await record('fn:bank/pay', 'deny', 1, of(0))
    await record('fn:bank/pay', 'allow', 4, { ...of(0), mode: 'monitor' })
    await record('mcp:files/read', 'allow', 5, of(1))
    const ask = async (document: object) =>
      (await tenant.owner.api.post(`/policies/${held.id}/simulate`, { replay: {}, document })).body.replay
    expect((await ask({})).matrix).toMatchObject({
      allow: { allow: 5, require_approval: 4 },
      deny: { require_approval: 1 },
      require_approval: { require_approval: 5, allow: 0 },
    })
    expect((await ask({ rules: numbered(rule('allow', '*')) })).matrix.require_approval).toMatchObject({ allow: 5 })
    await tenant.owner.api.put(`/policies/${held.id}`, { default_effect: 'require_approval' })
    await record('fn:mail/send', 'allow', 6, { policy_id: held.id, policy_version: 2 })
    expect((await ask({})).matrix.require_approval).toMatchObject({ require_approval: 11 })
  })

  it('works together with calls, and uses the stored policy if no document is sent', async () => {
    await record('fn:mail/send', 'allow')
    const calls = [{ tool: 'fn:bank/pay', args: { amount: 500 } }]
    const { replay: replayed, ...rest } = (await simulate({ calls, replay: {} })).body
    expect(rest).toEqual((await simulate({ calls })).body)
    expect(rest).toMatchObject({ policy_version: 1, results: [{ effect: 'deny' }] })
    expect(replayed).toMatchObject({ changed: 1, examples: [{ was: 'allow', would_be: 'deny', rule_id: null }] })
    await simulate({ replay: {}, document: { default_effect: 'allow' } })
    expect((await tenant.owner.api.get(`/policies/${policy.id}`)).body).toMatchObject({ version: 1 })
  })

  it('covers 7 days, or the requested number of days', async () => {
    for (const days of [0.1, 6.9, 7.1, 29.9, 30.1]) await record('mcp:files/read', 'allow', 1, { at: daysAgo(days) })
    await record('mcp:files/read', 'allow', 1, { at: daysAgo(-0.5) })
    expect((await replay()).decisions).toBe(2)
    expect((await replay({ replay: { days: 1 } })).decisions).toBe(1)
    expect((await replay({ replay: { days: 30 } })).decisions).toBe(4)
  })

  it('covers the agents under the policy, without archived ones', async () => {
    await record('mcp:files/read', 'allow')
    const other = (await tenant.owner.api.post('/policies', { name: 'Q' })).body
    for (const agent_id of [await newAgent({ policyId: other.id }), await newAgent({ status: 'archived' })]) {
      await record('mcp:files/write', 'allow', 1, { agent_id })
    }
    const before = await replay()
    expect(before.decisions).toBe(1)
    await tenant.owner.api.post(`/agents/${agentId}/assign-policy`, { policy_id: other.id })
    expect((await replay()).decisions).toBe(0)
  })

  it('covers only agents that the caller sees; 404 for a policy they do not see', async () => {
    await record('mcp:files/read', 'allow')
    const granted = await newAgent()
    await record('mcp:files/granted', 'deny', 2, { agent_id: granted })
    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    await grantAgent(server, tenant.id, scoped.id, granted)
    const seen = await replay({}, scoped.api)
    expect(seen).toMatchObject({ decisions: 2, examples: [{ tool: 'mcp:files/granted' }] })
    const neighbour = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    await giveEnvironment(server, tenant.id, neighbour.id, tenant.development)
    expect(await replay({}, neighbour.api)).toMatchObject({ decisions: 0, totals: [], examples: [] })
    const stranger = (await createTenant(server)).owner
    const elsewhere = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    for (const { api } of [stranger, elsewhere]) expect((await simulate({ replay: {} }, api)).status).toBe(404)
  })

  it('200 with agent_id: only the calls of this agent; 400 for an agent that the caller does not see', async () => {
    const named = { policy_id: policy.id }
    const other = await newAgent()
    await record('mcp:files/read', 'allow', 2, named)
    await record('mcp:files/write', 'allow', 1)
    await record('mcp:files/read', 'allow', 5, { ...named, agent_id: other })
    const document = { rules: [], default_effect: 'deny' }
    const ofAgent = (agent_id: string, api?: typeof tenant.owner.api) =>
      simulate({ document, replay: { agent_id } }, api)
    const { body } = await ofAgent(agentId)
    expect(body.replay).toMatchObject({ decisions: 3, changed: 3, agents: { total: 1, affected: 1 } })
    expect(body.replay.examples).toMatchObject([
      { calls: 2, agent: { id: agentId } },
      { calls: 1, agent: { id: agentId } },
    ])
    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    await grantAgent(server, tenant.id, scoped.id, other)
    expect((await ofAgent(other, scoped.api)).body.replay).toMatchObject({ decisions: 5 })
    const moved = await newAgent({ policyId: (await tenant.owner.api.post('/policies', { name: 'Q' })).body.id })
    expect((await ofAgent(moved)).body.replay).toMatchObject({ decisions: 0, agents: { total: 0, affected: 0 } })
    const archived = await newAgent()
    await tenant.owner.api.delete(`/agents/${archived}`)
    expect((await ofAgent(archived)).body.replay).toMatchObject({ decisions: 0, agents: { total: 0, affected: 0 } })
    const { id: unknown } = policy
    const stranger = await createTenant(server)
    const theirs = await addAgent(server, stranger.id, { environmentId: stranger.development })
    for (const refused of [await ofAgent(agentId, scoped.api), await ofAgent(unknown), await ofAgent(theirs)]) {
      expect(refused).toMatchObject({ status: 400, body: { error: 'replay.agent_id: agent not found' } })
    }
  })

  it('lists at most 20 changed and 20 undecidable calls, the most frequent first', async () => {
    for (let n = 1; n <= 22; n++) {
      await record(`fn:mail/${n}`, 'allow', n)
      await record('fn:bank/pay', 'allow', 1, { policy_version: n })
    }
    const { examples, changed, undecidable, decisions } = await replay()
    expect([decisions, changed, undecidable]).toEqual([275, 253, 22])
    expect(examples).toHaveLength(40)
    expect(examples.slice(0, 20).map(({ calls }: { calls: number }) => calls)).toEqual(
      Array.from({ length: 20 }, (_, n) => 22 - n),
    )
    expect(examples.slice(20).every(({ would_be }: { would_be: unknown }) => would_be === null)).toBe(true)
  })

  it('decides only the most frequent kinds of calls if there are too many, and says so', async () => {
    await server.owner.query(
      `insert into decision_records (tenant_id, decision_id, retention_days, filed_at, at, received_at, agent_id, environment_id, policy_id,
         tool, effect, mode, args_digest)
       select $1, gen_random_uuid(), 90, now(), $3, now(), $2, $4, $5, 'fn:mail/' || n, 'deny', 'enforce', 'd' from generate_series(1, 5100) n`,
      [tenant.id, agentId, daysAgo(1), tenant.development, policy.id],
    )
    for (const text of countFilledDecisions) await server.owner.query(text, [tenant.id])
    await record('mcp:files/read', 'deny', 2)
    expect(await replay()).toMatchObject({ complete: false, decisions: 5001, changed: 2 })
    const tools = Array.from({ length: 100 }, (_, n) => `mcp:x${n}*/*`)
    const rules = numbered(...Array.from({ length: 50 }, () => ({ effect: 'allow', match: { tools } })))
    expect(await replay({ document: { rules } })).toMatchObject({ complete: false, decisions: 101, changed: 0 })
  })

  it.each([
    [{ replay: { days: 0 } }, 'replay.days'],
    [{ replay: { days: 31 } }, 'replay.days'],
    [{ replay: { days: 1.5 } }, 'replay.days'],
    [{ replay: { days: null } }, 'replay.days'],
    [{ replay: 7 }, 'replay'],
    [{ calls: [], replay: {} }, 'calls'],
    [{ document: {} }, 'calls'],
  ])('400 naming the field: %j', async (body, field) => {
    const answer = await simulate(body)
    expect(answer.status).toBe(400)
    expect(answer.body.error.startsWith(field)).toBe(true)
  })
})

describe('POST /policies/{policy_id}/simulate with replay of calls whose arguments are kept', () => {
  const amount = (value: number) => ({ path: 'args.amount', state: 'value', value })
  const hidden = { path: 'args.amount', state: 'not_kept', because: 'redacted' }

  /** Records calls of `fn:bank/pay` with what the edge keeps of their arguments. */
  async function recordPaid(kept: object[], agent_id = agentId, at = daysAgo(1)) {
    await tenant.owner.api.put(`/environments/${tenant.development}`, { keep_arguments_for_replay: true })
    const { body } = await tenant.owner.api.get(`/policies/${policy.id}/versions/1`)
    const recorded = { tool: 'fn:bank/pay', effect: 'allow', at, policy_id: policy.id, policy_version: 1 }
    const made = kept.map((reading) => {
      const decision = newDecision(agent_id, { ...recorded, policy_hash: body.content_hash })
      const item = { decision_id: decision.decision_id, salt: '0'.repeat(32), undeclared: false, readings: [[reading]] }
      return { decision: { ...decision, kept_digest: contentHash(item) }, item }
    })
    const edge = await addEdge(server, tenant.id, tenant.development)
    const sent = { decisions: made.map(({ decision }) => decision), kept_arguments: made.map(({ item }) => item) }
    expect((await edge.post('/edge/decisions', sent)).body).toMatchObject({ accepted: kept.length })
  }

  it('200: decides each call by its own values, and says what is missing of the others and why', async () => {
    await recordPaid([amount(50), amount(50), amount(150), hidden])
    await record('fn:bank/pay', 'allow', 3, { policy_id: policy.id })
    const strict = numbered(
      rule('deny', 'fn:bank/pay', [{ ...large, value: 40 }]),
      rule('require_approval', 'fn:bank/pay', [{ path: 'args.amount', op: 'gt', value: 10 }]),
      rule('allow', 'fn:bank/*'),
    )
    const first = await replay()
    expect(first).toMatchObject({ decisions: 7, changed: 1, undecidable: 4 })
    expect(first.arguments).toEqual({
      decided: 3,
      missing: [
        { path: 'args.amount', because: 'not_recorded', calls: 3 },
        { path: 'args.amount', because: 'redacted', calls: 1 },
      ],
    })
    expect(first.matrix.allow).toEqual({ allow: 2, deny: 1, require_approval: 0, depends: 4 })
    const changed = await replay({ document: { rules: strict } })
    expect(changed).toMatchObject({ changed: 3, undecidable: 4, arguments: { decided: 3 } })
    const other = numbered(
      rule('deny', 'fn:bank/pay', [{ ...large, path: 'args.currency' }]),
      rule('allow', 'fn:bank/*'),
    )
    expect((await replay({ document: { rules: other } })).arguments).toEqual({
      decided: 0,
      missing: [{ path: 'args.currency', because: 'not_recorded', calls: 7 }],
    })
  })

  it('200: looks for kept calls of an agent among the newest calls of all agents', async () => {
    const other = await newAgent()
    await recordPaid([amount(50)], agentId, daysAgo(3))
    await recordPaid([1, 2, 3, 4].map(amount), other, daysAgo(2))
    const { rows } = await server.owner.query('select kind_id from decision_arguments where tenant_id = $1', [
      tenant.id,
    ])
    // With so many kinds, five calls of each are read.
    const kinds = [rows[0].kind_id, ...Array.from({ length: 9_999 }, () => randomUUID())]
    const span = { policyId: policy.id, agentId, from: daysAgo(4), to: daysAgo(0) }
    const find = () => findKeptCalls(server.services.db.reader(tenant.id), actorOf(tenant), kinds, span, 10)
    expect(await find()).toMatchObject([{ calls: 1 }])
    await recordPaid([amount(5)], other, daysAgo(2))
    expect(await find()).toEqual([])
  })

  it('200: uses no values of an environment that keeps none any more', async () => {
    await recordPaid([amount(50)])
    await tenant.owner.api.put(`/environments/${tenant.development}`, { keep_arguments_for_replay: false })
    expect(await replay()).toMatchObject({ decisions: 1, undecidable: 1, arguments: { decided: 0 } })
  })

  it('200: a scoped user gets only what the values of agents that they see decide', async () => {
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    await grantAgent(server, tenant.id, scoped.id, agentId)
    await recordPaid([amount(50)])
    await recordPaid([amount(150), amount(150)], await newAgent())
    expect(await replay({}, scoped.api)).toMatchObject({ decisions: 1, changed: 0, arguments: { decided: 1 } })
    expect(await replay()).toMatchObject({ decisions: 3, changed: 2, arguments: { decided: 3, missing: [] } })
    const ofAgent = await replay({ replay: { agent_id: agentId } })
    expect(ofAgent).toMatchObject({ decisions: 1, changed: 0, arguments: { decided: 1, missing: [] } })
  })
})
