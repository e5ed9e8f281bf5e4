import { describe, expect, it } from 'vitest'
import type { ToolCall } from '../../../src/guard/guard.ts'
import { checkMessage } from '../../../src/mcp/mediation/check-message.ts'
import type { JsonObject } from '../../../src/mcp/messages/json.ts'
import { allowAll, type PolicyGuard, policyGuard, rulesFor } from '../testing/policy-guard.ts'

const log = { info: () => {}, warn: () => {} }
const call = (params: unknown, more: object = {}) =>
  ({ jsonrpc: '2.0', id: 7, method: 'tools/call', params, ...more }) as JsonObject
const check = (guard: PolicyGuard, message: JsonObject) => checkMessage({ guard, server: 'files', log }, message)
const denyDelete = () => policyGuard(rulesFor({ 'mcp:files/delete*': 'deny' }))

describe('a tool call is decided before it is forwarded', () => {
  it('by its name under the configured server and by its arguments', async () => {
    const guard = policyGuard(allowAll)
    expect(await check(guard, call({ name: 'read', arguments: { path: '/a' } }))).toMatchObject({ passes: true })
    expect(await check(guard, call({ name: 'now' }))).toMatchObject({ passes: true })
    const each = { canRedact: true, tellsResult: true, unchangeable: [7] }
    expect(guard.decided).toEqual([
      { ...each, tool: 'mcp:files/read', args: { path: '/a' }, givenName: 'read' },
      { ...each, tool: 'mcp:files/now', args: {}, givenName: 'now' },
    ])
  })

  it('with the name that the client gave, also in a completion', async () => {
    const guard = policyGuard(allowAll)
    const ref = { type: 'ref/prompt', name: 'greet' }
    const params = { ref, argument: { name: 'a', value: 'b' } }
    await check(guard, call(params, { method: 'completion/complete' }))
    await check(guard, call({ name: 'greet' }, { method: 'prompts/get' }))
    await check(guard, call({ uri: 'file:///a' }, { method: 'resources/read' }))
    expect(guard.decided.map(({ tool, givenName }) => [tool, givenName])).toEqual([
      ['prompt:files/greet', 'greet'],
      ['prompt:files/greet', 'greet'],
      ['resource:files/read', undefined],
    ])
    expect(guard.decided[0]?.unchangeable).toEqual([{ ref: { type: 'ref/prompt' }, argument: params.argument }, 7])
  })

  it('a denied call is answered with the reason, the rule and the decision', async () => {
    const { answer } = (await check(denyDelete(), call({ name: 'delete_file' }))) as { answer: JsonObject }
    const text =
      'Denied by policy. Rule "deny mcp:files/delete*" (rule-0): because of mcp:files/delete*. Decision decision-1.'
    expect(answer).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: {
        content: [{ type: 'text', text }],
        isError: true,
        _meta: {
          'mandate/decision': {
            decision_id: 'decision-1',
            verdict: 'deny',
            rule: { id: 'rule-0', name: 'deny mcp:files/delete*' },
            reason: 'because of mcp:files/delete*',
            policy_version: 3,
          },
        },
      },
    })
  })

  it('the answer to a stopped call names the page about its decision, if there is one', async () => {
    const page = 'https://mandate.example/decisions/decision-1'
    for (const effect of ['deny', 'require_approval'] as const) {
      const guard = policyGuard(rulesFor({ 'mcp:files/*': effect }))
      const decide = async (asked: ToolCall) => ({ ...(await guard.decide(asked)), page })
      const { answer } = (await check({ ...guard, decide }, call({ name: 'pay' }))) as unknown as {
        answer: { result: { content: { text: string }[] } }
      }
      expect(answer.result.content[0]?.text).toMatch(
        / Decision decision-1: https:\/\/mandate\.example\/decisions\/decision-1$/,
      )
      expect(answer.result).toMatchObject({ _meta: { 'mandate/decision': { page } } })
    }
  })

  it('the answer to a held call names its approval, and the next request may name it too', async () => {
    const guard = policyGuard(rulesFor({ 'mcp:files/pay': 'require_approval' }))
    const { answer } = (await check(
      guard,
      call({ name: 'pay', _meta: { 'mandate/approval_id': '6f0f4b7e-9d0c-4f55-8a53-0c1f8a4f8b19' } }),
    )) as unknown as {
      answer: { result: JsonObject }
    }
    expect(guard.decided[0]).toMatchObject({ approvalId: '6f0f4b7e-9d0c-4f55-8a53-0c1f8a4f8b19' })
    expect(JSON.stringify(answer.result.content)).toMatch(
      /Approval approval-1, open until 2030.*make the same request again/,
    )
    expect(answer.result).toMatchObject({
      isError: true,
      _meta: {
        'mandate/approval': { approval_id: 'approval-1', expires_at: '2030-01-01T00:00:00.000Z', status: 'pending' },
      },
    })
  })

  it('names the session and the person of the call; invalid names are left out and change no verdict', async () => {
    const guard = policyGuard(allowAll)
    const valid = { 'mandate/session_id': 's-1', 'mandate/on_behalf_of': 'Ada' }
    await check(guard, call({ name: 'read', _meta: valid }))
    expect(guard.decided[0]).toMatchObject({ sessionId: 's-1', onBehalfOf: 'Ada' })
    for (const bad of ['', 5, null, {}, 'x'.repeat(201), 'a\0', '\ud800']) {
      const _meta = { 'mandate/session_id': bad, 'mandate/on_behalf_of': bad }
      expect(await check(guard, call({ name: 'read', _meta }))).toMatchObject({ passes: true })
      expect(guard.decided.at(-1)).not.toHaveProperty('sessionId')
      expect(guard.decided.at(-1)).not.toHaveProperty('onBehalfOf')
    }
  })

  it('in monitor mode it is recorded and forwarded', async () => {
    const guard = policyGuard(rulesFor({ '*': 'deny' }), { mode: 'monitor' })
    expect(await check(guard, call({ name: 'delete_file' }))).toMatchObject({ passes: true })
    expect(guard.decided).toHaveLength(1)
  })

  it('a guard that fails stops the call without giving details', async () => {
    const guard = policyGuard(allowAll, { before: () => Promise.reject(new Error('secret detail')) })
    const checked = await check(guard, call({ name: 'read' }))
    expect(checked).toMatchObject({ passes: false, answer: { id: 7, result: { isError: true } } })
    expect(JSON.stringify(checked)).not.toContain('secret detail')
  })

  it('a guard that fails on a call with an unknown name logs no part of the name', async () => {
    const logged: object[] = []
    const guard = policyGuard(allowAll, { before: () => Promise.reject(new Error('failed')) })
    const noting = { info: () => {}, warn: (fields: object) => void logged.push(fields) }
    await checkMessage({ guard, server: 'files', log: noting }, call({ name: 'read' }))
    expect(logged).toMatchObject([{ tool: 'mcp:files/(unknown)' }])
  })

  it('a call that asks for a task is answered by an error, because it expects no tool result', async () => {
    const checked = await check(denyDelete(), call({ name: 'delete_file', task: { ttl: 1000 } }))
    expect(checked).toMatchObject({
      answer: { id: 7, error: { code: -32010, data: { 'mandate/decision': { verdict: 'deny' } } } },
    })
  })

  it('a call without an id is decided, and dropped without an answer', async () => {
    expect(
      await check(denyDelete(), { jsonrpc: '2.0', method: 'tools/call', params: { name: 'delete_file' } }),
    ).toEqual({
      passes: false,
      answer: null,
    })
  })

  it('a call with both a method and a result is still a call', async () => {
    expect(await check(denyDelete(), call({ name: 'delete_file' }, { result: {} }))).toMatchObject({ passes: false })
  })
})

describe('a call that cannot be decided is not forwarded', () => {
  it.each<[string, unknown]>([
    ['no parameters', undefined],
    ['parameters by position', ['read', {}]],
    ['no name', { arguments: {} }],
    ['a name that is no text', { name: { toString: 'read' } }],
    ['an empty name', { name: '' }],
    ['a lone surrogate in its name', { name: 'a\ud800' }],
    ['arguments that are a list', { name: 'read', arguments: [] }],
    ['arguments that are text', { name: 'read', arguments: '{"path":"/a"}' }],
    ['two arguments that differ in case only', { name: 'read', arguments: { path: '/ok', Path: '/etc' } }],
    ['two arguments that fold alike', { name: 'read', arguments: { keys: 1, '\u212Aeys': 2 } }],
    ['two fields inside an argument', { name: 'read', arguments: { file: { path: '/ok', Path: '/etc' } } }],
    ['two fields inside a list', { name: 'read', arguments: { files: [[{ path: '/ok', PATH: '/etc' }]] } }],
  ])('%s', async (_what, params) => {
    const guard = policyGuard(allowAll)
    expect(await check(guard, call(params))).toMatchObject({
      passes: false,
      answer: { id: 7, error: { code: -32602 } },
    })
    expect(guard.decided).toEqual([])
  })

  it('and the error says whether the name is missing or cannot be in a policy', async () => {
    const told = async (params: unknown, message: RegExp) =>
      expect(await check(policyGuard(allowAll), call(params))).toMatchObject({
        answer: { error: { message: expect.stringMatching(message) } },
      })
    for (const params of [undefined, [1], {}, { name: 5 }, { name: '' }]) await told(params, /^The tool has no name/)
    for (const name of ['x'.repeat(300), 'a\ud800']) await told({ name }, /its name is too long/)
  })

  it.each(['Tools/Call', 'TOOLS/CALL', ' tools/call', 'tools/call\t', 'tool\u017f/call'])(
    'a method that a lenient server could accept as a call: %j',
    async (method) => {
      expect(await check(policyGuard(allowAll), call({ name: 'read' }, { method }))).toMatchObject({
        passes: false,
        answer: { error: { code: -32601 } },
      })
    },
  )
})

it.each<JsonObject>([
  { jsonrpc: '2.0', id: 1, method: 'initialize' },
  { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  { jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { level: 'debug' } },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 1, result: { action: 'accept' } },
  { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'no' } },
])('forwards other messages without a decision: %j', async (message) => {
  const guard = policyGuard(rulesFor({ '*': 'deny' }))
  expect(await check(guard, message)).toMatchObject({ passes: true })
  expect(guard.decided).toEqual([])
})
