import { compilePolicy, evaluate } from '@mandate/policy/evaluate'
import { type Condition, type Effect, newSession, type PolicyDocument } from '@mandate/policy/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { call, snapshot } from '../../../../policy/test/arbitrary-policy.ts'
import { checkMessage } from '../../../src/mcp/mediation/check-message.ts'
import { filterLists } from '../../../src/mcp/mediation/filter-lists.ts'
import { passServerText } from '../../../src/mcp/mediation/pass-server-text.ts'
import type { JsonObject } from '../../../src/mcp/messages/json.ts'
import { type GuardOptions, policyGuard, rulesFor } from '../testing/policy-guard.ts'

const log = { info: () => {}, warn: () => {} }
const request = (method: string, params: JsonObject) => ({ jsonrpc: '2.0', id: 1, method, params })
const complete = (ref: JsonObject, context: JsonObject = {}) =>
  request('completion/complete', { ref, argument: { name: 'path', value: 'a' }, context: { arguments: context } })

/** A document with one rule with a condition. Everything else is allowed. */
const ruleOn = (effect: Effect, pattern: string, when: Condition): PolicyDocument => {
  const document = rulesFor({ [pattern]: effect })
  const [rule] = document.rules
  return { ...document, rules: [{ ...rule!, match: { tools: [pattern], when: [when] } }] }
}
const secretUri = { path: 'args.uri', op: 'starts_with', value: 'file:///secret/' } as const

async function check(document: PolicyDocument, message: JsonObject, options: GuardOptions = {}) {
  const guard = policyGuard(document, options)
  const checked = await checkMessage({ guard, server: 'files', log }, message)
  return { checked, decided: guard.decided, guard }
}

describe('resources and prompts are decided like tools', () => {
  it.each([
    [request('resources/read', { uri: 'file:///a' }), 'resource:files/read', { uri: 'file:///a' }],
    [request('resources/subscribe', { uri: 'file:///a' }), 'resource:files/subscribe', { uri: 'file:///a' }],
    [request('prompts/get', { name: 'greet', arguments: { who: 'x' } }), 'prompt:files/greet', { who: 'x' }],
    [request('prompts/get', { name: 'a b' }), 'prompt:files/a%20b', {}],
    [
      complete({ type: 'ref/prompt', name: 'greet' }, { who: 'x', path: 'y' }),
      'prompt:files/greet',
      { who: 'x', path: null },
    ],
    [complete({ type: 'ref/resource', uri: 'file:///{path}' }), 'resource:files/read', { uri: null }],
  ])('%j', async (message, tool, args) => {
    const allowed = await check(rulesFor({}), message)
    expect(allowed.decided).toEqual([expect.objectContaining({ tool, args })])
    expect(allowed.checked).toMatchObject({ passes: true })
    const denied = await check(rulesFor({}, 'deny'), message)
    expect(denied.checked).toMatchObject({
      passes: false,
      answer: { id: 1, error: { code: -32010, data: { 'mandate/decision': { verdict: 'deny' } } } },
    })
    const held = await check(rulesFor({ '*': 'require_approval' }), message)
    expect(held.checked).toMatchObject({
      answer: { error: { data: { 'mandate/approval': { approval_id: 'approval-1', status: 'pending' } } } },
    })
    const monitored = await check(rulesFor({}, 'deny'), message, { mode: 'monitor' })
    expect([monitored.checked.passes, monitored.decided.length]).toEqual([true, 1])
  })

  it('decides each resource of a subscription, and one denial stops it', async () => {
    const listen = (...uris: string[]) =>
      request('subscriptions/listen', { notifications: { resourceSubscriptions: uris } })
    const document = ruleOn('deny', 'resource:files/subscribe', secretUri)
    expect((await check(document, listen('file:///a', 'file:///b'))).checked.passes).toBe(true)
    const { checked, decided } = await check(document, listen('file:///a', 'file:///secret/b'))
    expect([checked.passes, decided.length]).toEqual([false, 2])
    expect((await check(document, listen(...Array(101).fill('file:///a')))).checked.passes).toBe(false)
  })

  it('withdraws the decisions on a subscription that does not pass, or passes no longer', async () => {
    const listen = (...uris: string[]) =>
      request('subscriptions/listen', { notifications: { resourceSubscriptions: uris } })
    const document = ruleOn('deny', 'resource:files/subscribe', secretUri)
    const denied = await check(document, listen('file:///a', 'file:///b', 'file:///secret/c'))
    expect(denied.guard.withdrawn).toEqual(['decision-1', 'decision-2'])
    const { checked, guard } = await check(document, listen('file:///a', 'file:///b'))
    if (!checked.passes) throw new Error('the subscription does not pass')
    expect([checked.holds(), guard.withdrawn]).toEqual([true, []])
    guard.change(document)
    expect([checked.holds(), guard.withdrawn]).toEqual([false, ['decision-1', 'decision-2']])
  })

  it('denies the completion of a template if a rule has a condition on the address', async () => {
    const document = ruleOn('deny', 'resource:files/read', secretUri)
    const template = complete({ type: 'ref/resource', uri: 'file:///{path}' })
    expect((await check(document, template)).checked.passes).toBe(false)
    expect((await check(document, request('resources/read', { uri: 'file:///a' }))).checked.passes).toBe(true)
  })

  const onPath = { path: 'args.path', op: 'eq', value: 'b' } as const
  const exists = (path: string, value: boolean): Condition => ({ path, op: 'exists', value })
  it.each<[Effect, string, Condition]>([
    ['deny', 'resource:files/read', { ...secretUri, absent: false }],
    ['deny', 'resource:files/read', exists('args.uri', true)],
    ['allow', 'resource:files/read', { ...secretUri, absent: true }],
    ['allow', 'resource:files/read', exists('args.uri', false)],
    ['deny', 'prompt:files/greet', { ...onPath, absent: false }],
    ['deny', 'prompt:files/greet', exists('args.path', true)],
    ['allow', 'prompt:files/greet', { ...onPath, absent: true }],
    ['allow', 'prompt:files/greet', exists('args.path', false)],
  ])(
    'a completion does not evade a rule that says what an absent argument means: %s %s %o',
    async (effect, tool, when) => {
      const document: PolicyDocument = {
        ...ruleOn(effect, tool, when),
        default_effect: effect === 'deny' ? 'allow' : 'deny',
      }
      const ref: JsonObject = tool.startsWith('prompt:')
        ? { type: 'ref/prompt', name: 'greet' }
        : { type: 'ref/resource', uri: 'file:///{path}' }
      expect((await check(document, complete(ref))).checked.passes).toBe(false)
    },
  )

  it.each([
    'file:///secret/x',
    'FILE:///secret/x',
    'file:///public/../secret/x',
    'file:///public/%2e%2e/secret/x',
    'file:///%73ecret/x',
    'file:///%73ecret/x?%ff',
    'file:///%73ecret/%f0x',
    'file:///%73ecret/x#%zz',
    'file://localhost/secret/x',
    'file:/secret/x',
    'file:\\\\\\secret\\x',
  ])('applies a rule on an address to another spelling: %s', async (uri) => {
    const document = ruleOn('deny', 'resource:files/read', secretUri)
    expect((await check(document, request('resources/read', { uri }))).checked.passes).toBe(false)
  })

  it('allows an address by another spelling if a rule allows it', async () => {
    const document = { ...ruleOn('allow', 'resource:files/read', { path: 'args.uri', op: 'eq', value: 'http://a' }) }
    const closed: PolicyDocument = { ...document, default_effect: 'deny' }
    expect((await check(closed, request('resources/read', { uri: 'http://a' }))).checked.passes).toBe(true)
    expect((await check(closed, request('resources/read', { uri: 'HTTP://a' }))).checked.passes).toBe(false)
  })
})

describe('messages of the server are filtered', () => {
  const pass = (document: PolicyDocument, message: object, options: GuardOptions = {}) => {
    const guard = policyGuard(document, options)
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    const passed = passServerText(text, { guard, server: 'files', log }, () => {})
    return passed?.text == null ? null : JSON.parse(passed.text)
  }
  const secrets = ruleOn('deny', 'resource:files/read', secretUri)
  const resources = [{ uri: 'file:///a' }, { uri: 'file:///secret/b' }, { uri: 'FILE:///secret/b' }, { uri: 1 }, 'x']

  it('a tool that is declared twice is listed once, with the definition that is reported and pinned', () => {
    const tools = ['other', 'pinned'].map((description) => ({ name: 'a', description }))
    const { message, offered } = filterLists(
      { jsonrpc: '2.0', id: 1, result: { tools } },
      'files',
      policyGuard(secrets),
    )
    expect(message.result).toEqual({ tools: [tools[1]] })
    expect(offered.map(({ definition }) => definition?.declared.description)).toEqual(['pinned'])
  })

  it('a list of resources shows the readable ones', () => {
    const shown = pass(secrets, { id: 1, result: { resources, nextCursor: 'c' } })
    expect(shown.result).toEqual({ resources: [{ uri: 'file:///a' }], nextCursor: 'c' })
  })

  it('a template is listed unless every read is denied', () => {
    const templates = { id: 1, result: { resourceTemplates: [{ uriTemplate: 'file:///{a}' }] } }
    expect(pass(secrets, templates).result.resourceTemplates).toHaveLength(1)
    expect(pass(rulesFor({ 'resource:files/read': 'deny' }), templates).result.resourceTemplates).toEqual([])
  })

  it('a template is hidden if the policy denies every address that begins as it does', () => {
    const all = ['file:///{a}', 'file:///secret/{a}', '{+any}', 'demo://{a}', `demo://${'a'.repeat(8192)}{b}`]
    const message = { id: 1, result: { resourceTemplates: all.map((uriTemplate) => ({ uriTemplate })) } }
    const shown = (document: PolicyDocument, options: GuardOptions = {}) =>
      pass(document, message, options).result.resourceTemplates.map((one: JsonObject) => one.uriTemplate)
    expect(shown(secrets)).toEqual(['file:///{a}', '{+any}', 'demo://{a}'])
    const demos = { ...ruleOn('allow', '*', { path: 'args.uri', op: 'starts_with', value: 'demo://' }) }
    expect(shown({ ...demos, default_effect: 'deny' })).toEqual(['{+any}', 'demo://{a}'])
    expect(shown(secrets, { mode: 'monitor' })).toEqual(all.slice(0, 4))
  })

  it('a list of prompts shows the allowed ones', () => {
    const prompts = { id: 1, result: { prompts: [{ name: 'greet' }, { name: 'admin' }, { name: '' }] } }
    expect(pass(rulesFor({ 'prompt:files/admin': 'deny' }), prompts).result.prompts).toEqual([{ name: 'greet' }])
  })

  const promptOf = (name: string, names?: readonly string[]) => ({
    name,
    ...(names && { arguments: names.map((one) => ({ name: one, required: false })) }),
  })

  it('a prompt is hidden if a rule denies every call with the arguments that it declares', () => {
    const paths = ruleOn('deny', 'prompt:files/*', { path: 'args.path', op: 'under', value: '/secrets' })
    const prompts = [
      promptOf('read', ['path', 'tone']),
      promptOf('greet', ['tone']),
      promptOf('help', []),
      promptOf('bare'),
      { name: 'odd', arguments: 'path' },
      { name: 'odder', arguments: [{ name: 'tone' }, { title: 'path' }] },
    ]
    const shown = (document: PolicyDocument, options: GuardOptions = {}) =>
      pass(document, { id: 1, result: { prompts } }, options).result.prompts.map(({ name }: JsonObject) => name)
    expect(shown(paths)).toEqual(['read', 'odd', 'odder'])
    const absent = { path: 'args.path', op: 'under', value: '/secrets', absent: false } as const
    expect(shown(ruleOn('deny', 'prompt:files/*', absent))).toHaveLength(6)
    expect(shown(paths, { mode: 'monitor' })).toHaveLength(6)
  })

  it('property: a hidden prompt or tool is denied in every call with the arguments that it declares', () => {
    const hidden = { prompts: 0, tools: 0 }
    const declaredNames = fc.subarray(['x', 'y', 'list'])
    fc.assert(
      fc.property(snapshot, declaredNames, call, (document, names, { args: all }) => {
        const policy = compilePolicy(document)
        const properties = Object.fromEntries(names.map((name) => [name, {}]))
        const args = Object.fromEntries(Object.entries(all as object).filter(([name]) => names.includes(name)))
        const facts = { args, agent: {}, environment: {}, session: newSession }
        const lists = {
          prompts: [promptOf('b', names)],
          tools: [{ name: 'b', inputSchema: { type: 'object', properties } }],
        }
        const { message } = filterLists({ jsonrpc: '2.0', id: 1, result: lists }, 'a', policyGuard(document))
        const shown = message.result as typeof lists
        if (shown.prompts.length === 0) {
          hidden.prompts++
          expect(evaluate(policy, { tool: 'prompt:a/b', ...facts }).effect).toBe('deny')
        }
        if (shown.tools.length === 0) {
          hidden.tools++
          expect(evaluate(policy, { tool: 'mcp:a/b', ...facts, declaredArgs: new Set(names) }).effect).toBe('deny')
        }
      }),
      { numRuns: 2000 },
    )
    expect(Math.min(hidden.prompts, hidden.tools)).toBeGreaterThan(0)
  })

  it('monitor mode shows everything', () => {
    const all = { id: 1, result: { resources: resources.slice(0, 2) } }
    expect(pass(secrets, all, { mode: 'monitor' }).result.resources).toHaveLength(2)
  })

  it('a client gets updates only of resources that it may read', () => {
    const updated = (uri: string) => ({ method: 'notifications/resources/updated', params: { uri } })
    expect(pass(secrets, updated('file:///a'))).toMatchObject({ params: { uri: 'file:///a' } })
    expect(pass(secrets, updated('file:///secret/b'))).toBeNull()
  })

  it('links to resources in the result of a call stay', () => {
    const result = { content: [{ type: 'resource_link', uri: 'file:///secret/b', name: 'b' }] }
    expect(pass(secrets, { id: 1, result })).toEqual({ jsonrpc: '2.0', id: 1, result })
  })

  it('shows the first ten thousand entries of a list', () => {
    const many = Array.from({ length: 10_001 }, (_, n) => ({ uri: `file:///${n}` }))
    expect(pass(rulesFor({}), { id: 1, result: { resources: many } }).result.resources).toHaveLength(10_000)
  })
})

describe('a tool that imitates a tool of a rule', () => {
  it.each(['Forbidden', 'forbidden\0', 'forb\u200bidden', 'for//bidden', 'f\u043erbidden', '\uff46orbidden'])(
    'denies and records %j under default allow, and does not list it',
    async (name) => {
      const document = rulesFor({ 'mcp:files/forbidden': 'deny' })
      const { checked, decided } = await check(document, request('tools/call', { name }))
      expect([checked.passes, decided.length]).toEqual([false, 1])
      const list = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools: [{ name }, { name: 'other' }] } })
      const passed = passServerText(list, { guard: policyGuard(document), server: 'files', log }, () => {})
      expect(JSON.parse(passed?.text ?? '').result.tools).toEqual([{ name: 'other' }])
    },
  )
})
