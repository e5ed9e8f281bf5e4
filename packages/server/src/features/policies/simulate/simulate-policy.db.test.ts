import { beforeAll, describe, expect, it } from 'vitest'
import { addPerson, type TestPerson } from '../../../testing/arrange.ts'
import { useTenant, useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
const tenant = useTenant(server)
let viewer: TestPerson
// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
let policy: any

beforeAll(async () => {
  viewer = await addPerson(server, tenant.id, { role: 'viewer' })
  const large = { path: 'args.amount', op: 'gt', value: 100 }
  policy = (
    await tenant.owner.api.post('/policies', {
      name: 'P',
      rules: [
        { priority: 1, effect: 'allow', match: { tools: ['mcp:bank/*'] }, reason: 'fine' },
        { priority: 2, effect: 'deny', match: { tools: ['mcp:bank/pay'], when: [large] }, reason: 'too much' },
      ],
    })
  ).body
})

const simulate = (body: object) => viewer.api.post(`/policies/${policy.id}/simulate`, body)

describe('a simulation has a limit of work', () => {
  const tooMuch = { error: 'calls are too many or too large for a policy of this size: send fewer calls per request' }
  const call = { tool: 'mcp:bank/pay', args: { text: 'a'.repeat(100) } }
  const rules = (count: number, tools: string[], when: object[] = []) =>
    Array.from({ length: count }, (_, priority) => ({ priority, effect: 'deny', match: { tools, when } }))

  it('400 for more than 500,000 calls times patterns', async () => {
    const patterns = Array.from({ length: 51 }, (_, n) => `mcp:x${n}/*`)
    const document = { rules: rules(100, patterns) }
    expect(await simulate({ calls: Array(100).fill(call), document })).toMatchObject({ status: 400, body: tooMuch })
    expect((await simulate({ calls: Array(98).fill(call), document })).status).toBe(200)
  })

  it('400 for conditions on texts that are too large together', async () => {
    const when = Array(50).fill({ path: 'args.text', op: 'contains', value: 'b' })
    const document = { rules: rules(10, ['*'], when) }
    const calls = Array(2).fill({ ...call, args: { text: 'a'.repeat(60_000) } })
    expect(await simulate({ calls, document })).toMatchObject({ status: 400, body: tooMuch })
    expect((await simulate({ calls: calls.slice(1), document })).status).toBe(200)
  })

  it('a document with 200,000 faults gets the first 1,000', async () => {
    const document = { rules: rules(1000, Array(100).fill('x')) }
    const { status, body } = await viewer.api.post('/policies/validate', { name: 'p', ...document })
    expect(status).toBe(400)
    expect(body.errors).toHaveLength(1000)
  })
})

describe('POST /policies/{policy_id}/simulate', () => {
  it('200: denies a tool whose name is not valid, as edges do, whatever the policy is', async () => {
    const calls = ['bank.pay', 'bank', 'mcp:bank', 'mcp:bank/pay/now', `mcp:bank/${'x'.repeat(300)}`].map((tool) => ({
      tool,
    }))
    const document = { default_effect: 'allow', rules: [{ priority: 1, effect: 'allow', match: { tools: ['*'] } }] }
    const { status, body } = await simulate({ calls, document })
    expect(status).toBe(200)
    const reason = 'the name of the tool is not valid, so no rule can match it'
    expect(body.results).toMatchObject(
      calls.map(({ tool }) => ({ tool, effect: 'deny', rule_id: null, reason, undecided: null, over_limit: null })),
    )
  })

  it('200: applies a rule on an address to each spelling of it, as edges do', async () => {
    const secret = { path: 'args.uri', op: 'starts_with', value: 'file:///secret/' }
    const uris = ['file:///secret/x', 'file:///public/../secret/x', 'FILE:///secret/x', 'file:///%73ecret/x']
    const calls = [...uris, 'file:///public/x'].map((uri) => ({ tool: 'resource:s/read', args: { uri } }))
    const rules = (effect: string) => [{ priority: 1, effect, match: { tools: ['resource:s/*'], when: [secret] } }]
    const effects = async (document: object) => {
      const { body } = await simulate({ calls, document })
      return body.results.map(({ effect }: { effect: string }) => effect)
    }
    expect(await effects({ default_effect: 'allow', rules: rules('deny') })).toEqual([
      ...uris.map(() => 'deny'),
      'allow',
    ])
    // Another spelling does not open what the default effect denies.
    const held = await effects({ default_effect: 'deny', rules: rules('allow') })
    expect(held).toEqual(['allow', 'deny', 'deny', 'deny', 'deny'])
  })

  it('200 with the verdict of each call: deny wins, an undecidable deny closes, and the default is last', async () => {
    const calls = [
      { tool: 'mcp:bank/pay', args: { amount: 5 } },
      { tool: 'mcp:bank/pay', args: { amount: 500 } },
      { tool: 'mcp:bank/pay' },
      { tool: 'fn:other/tool' },
    ]
    const { status, body } = await simulate({ calls })
    expect(status).toBe(200)
    const [allow, deny] = policy.rules.map(({ id }: { id: string }) => id)
    const nothingFound = { content: [], labels: [] }
    expect(body).toEqual({
      policy_version: 1,
      results: [
        {
          tool: 'mcp:bank/pay',
          effect: 'allow',
          rule_id: allow,
          reason: 'fine',
          undecided: null,
          over_limit: null,
          ...nothingFound,
        },
        {
          tool: 'mcp:bank/pay',
          effect: 'deny',
          rule_id: deny,
          reason: 'too much',
          undecided: null,
          over_limit: null,
          ...nothingFound,
        },
        {
          tool: 'mcp:bank/pay',
          effect: 'deny',
          rule_id: deny,
          reason: 'too much',
          undecided: 'args.amount',
          over_limit: null,
          ...nothingFound,
        },
        {
          tool: 'fn:other/tool',
          effect: 'deny',
          rule_id: null,
          reason: 'no rule matched',
          undecided: null,
          over_limit: null,
          ...nothingFound,
        },
      ],
      warnings: [],
    })
  })

  it('facts named __proto__ are ordinary facts', async () => {
    const when = [{ path: 'args.__proto__.path', op: 'eq', value: '/etc' }]
    const rules = [{ priority: 1, effect: 'deny', match: { tools: ['*'], when }, reason: 'no' }]
    const calls = ['{"__proto__":{"path":"/etc"}}', '{"__proto__":{"path":"/ok"}}'].map((args) => {
      return { tool: 'fn:a/b', args: JSON.parse(args) }
    })
    const { body } = await simulate({ calls, document: { default_effect: 'allow', rules } })
    expect(body.results).toMatchObject([{ effect: 'deny', undecided: null, over_limit: null }, { effect: 'allow' }])
  })

  it('a sent document is used instead of the stored policy, which does not change', async () => {
    const rules = [{ priority: 1, effect: 'require_approval', match: { tools: ['fn:*/*'] } }]
    const { body } = await simulate({
      calls: [{ tool: 'fn:a/b' }, { tool: 'mcp:bank/pay' }],
      document: { default_effect: 'allow', rules },
    })
    expect(body.policy_version).toBeNull()
    expect(body.results).toMatchObject([
      { effect: 'require_approval', rule_id: 'rules[0]' },
      { effect: 'allow', rule_id: null },
    ])
    const fieldsOnly = await simulate({ calls: [{ tool: 'fn:a/b' }], document: { default_effect: 'allow' } })
    expect(fieldsOnly.body.results).toMatchObject([{ effect: 'allow' }])
    expect((await viewer.api.get(`/policies/${policy.id}`)).body.version).toBe(1)
  })

  it.each([
    [{}, 'calls'],
    [{ calls: [] }, 'calls'],
    [{ calls: Array(101).fill({ tool: 'fn:a/b' }) }, 'calls'],
    [{ calls: [{ tool: 5 }] }, 'calls[0].tool'],
    [{ calls: [{ tool: 'fn:a/b', args: [] }] }, 'calls[0].args'],
    [
      { calls: [{ tool: 'fn:a/b' }], document: { rules: [{ priority: 1, effect: 'deny', match: { tools: ['x'] } }] } },
      'document.rules[0].match.tools[0]',
    ],
  ])('400 naming the field: %j', async (body, field) => {
    const answer = await simulate(body)
    expect(answer.status).toBe(400)
    expect(answer.body.error.startsWith(field)).toBe(true)
  })
})

describe('POST /policies/validate', () => {
  it('400 with the text of a refused save, and the fields that are missing or wrong in errors', async () => {
    const rules = [
      { priority: 'first', effect: 'deny', match: { tools: ['mcp:a/b', 5] } },
      { priority: 2, effect: 'allow', match: { tools: ['*'], when: [{ path: 'args.a', op: 'like', value: 1 }] } },
      { priority: 3, match: { tools: ['*'] } },
      { priority: 4, effect: 'deny', match: { tools: ['*'] } },
      'rule',
    ]
    const saved = await tenant.owner.api.post('/policies', { name: 'P', default_effect: 'maybe', rules })
    const { status, body } = await viewer.api.post('/policies/validate', { name: 'P', default_effect: 'maybe', rules })
    expect(status).toBe(400)
    expect(body.error).toBe(saved.body.error)
    expect(saved.body.errors).toBeUndefined()
    expect(body.errors).toEqual([
      { path: 'default_effect', message: 'must be one of allow, deny, require_approval' },
      { path: 'rules[0].priority', message: 'must be a number' },
      { path: 'rules[0].match.tools[1]', message: 'must be a string' },
      { path: 'rules[1].match.when[0].op', message: expect.stringMatching(/^must be one of eq, /) },
      { path: 'rules[2].effect', message: 'is required' },
      { path: 'rules[4]', message: 'must be an object' },
    ])
  })

  it('400 with one error for a body that is no document, and with 20 of many errors', async () => {
    const list = await viewer.api.post('/policies/validate', [])
    expect(list.body).toEqual({ error: 'body must be an object', errors: [{ path: '', message: 'must be an object' }] })
    const many = await viewer.api.post('/policies/validate', { name: 'P', rules: Array(1000).fill({}) })
    expect(many.body.error).toBe('rules[0].priority is required')
    expect(many.body.errors).toHaveLength(20)
  })

  it('400 with the path of a value that is too long', async () => {
    const rules = [{ priority: 'first', effect: 'deny', match: { tools: ['mcp:a/b', 'x'.repeat(1001)] } }]
    const { status, body } = await viewer.api.post('/policies/validate', { name: 'P', rules })
    const message = 'must be at most 1000 characters'
    const path = 'rules[0].match.tools[1]'
    expect({ status, body }).toEqual({
      status: 400,
      body: { error: `${path} ${message}`, errors: [{ path, message }] },
    })
    const saved = await tenant.owner.api.post('/policies', { name: 'P', rules })
    expect(saved).toMatchObject({ status: 400, body: { error: body.error } })
    expect(saved.body.errors).toBeUndefined()
  })

  it('200 with the warnings a save would give, and nothing is saved', async () => {
    const rules = [
      { priority: 1, effect: 'deny', match: { tools: ['*'] } },
      { priority: 2, effect: 'allow', match: { tools: ['fn:a/b'] } },
    ]
    const { status, body } = await viewer.api.post('/policies/validate', { rules })
    expect(status).toBe(200)
    expect(body).toEqual({ valid: true, warnings: [expect.objectContaining({ path: 'rules[1]' })] })
    expect((await viewer.api.get('/policies')).body.total).toBe(1)
  })

  it('400 with the text of a refused save, and all faults in errors', async () => {
    const rules = [
      { priority: 1, effect: 'deny', match: { tools: ['mcp:a/b', 'nope'] } },
      { priority: 1, effect: 'allow', match: { tools: ['*'] } },
    ]
    const saved = await tenant.owner.api.post('/policies', { name: 'P', rules })
    const { status, body } = await viewer.api.post('/policies/validate', { rules })
    expect(status).toBe(400)
    expect(body.error).toBe(saved.body.error)
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual([
      'rules[0].match.tools[1]',
      'rules[1].priority',
    ])
  })
})
