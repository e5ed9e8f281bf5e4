import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import type { Decision, Guard } from '../../../src/guard/guard.ts'
import { noNumbers } from '../../../src/json/written-numbers.ts'
import { checkMessage } from '../../../src/mcp/mediation/check-message.ts'
import { inspectServerText } from '../../../src/mcp/mediation/inspect-server-text.ts'
import { OpenCalls } from '../../../src/mcp/mediation/open-calls.ts'
import type { JsonObject } from '../../../src/mcp/messages/json.ts'
import { allowAll, policyGuard } from '../testing/policy-guard.ts'

const log = pino({ level: 'silent' })
const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'fetch' } }

/** A server that got a tool call. `pass` gives a message of the server to the edge. `noted` has the decisions whose results were noted. */
async function afterCall(fault: string | null = null, more: Partial<Guard> = {}) {
  const noted: string[] = []
  const noteResult = (decision: Decision) => {
    noted.push(decision.decisionId)
    return fault
  }
  const noteText = (server: string, mayBeEarlier: boolean) => {
    noted.push(`${server}${mayBeEarlier ? ' and earlier' : ''}`)
    return fault
  }
  const guard: Guard = { ...policyGuard(allowAll), noteResult, noteText, ...more }
  const passage = { guard, server: 'web', log }
  expect(await checkMessage(passage, request)).toMatchObject({ passes: true })
  const calls = new OpenCalls(passage)
  calls.note([request])
  const passAll = (messages: JsonObject[], text = JSON.stringify(messages)) =>
    inspectServerText({ text, messages, replies: [], numbers: noNumbers, wasClosed: false }, passage, calls)
  const pass = (message: JsonObject) => passAll([message], JSON.stringify(message))
  return { noted, pass, passAll, calls }
}

const answer = { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'hello' }] } }

it('the session gets the labels before the agent gets an answer, and the answer stays as it is', async () => {
  const { noted, pass } = await afterCall()
  expect(await pass(answer)).toMatchObject({ text: JSON.stringify(answer), messages: [answer] })
  expect(noted).toEqual(['decision-1'])
})

it('an error counts as a result, a progress message as a text of any call; a changed list is neither', async () => {
  const { noted, pass } = await afterCall()
  await pass({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: {} })
  expect(noted).toEqual([])
  await pass({ jsonrpc: '2.0', method: 'notifications/progress', params: { message: 'hello' } })
  await pass({ jsonrpc: '2.0', id: 1, error: { code: 1, message: 'hello' } })
  expect(noted).toEqual(['web', 'decision-1'])
})

it('an answer to a cancelled call gives its labels, and nothing waits for it', async () => {
  const { noted, pass, calls } = await afterCall()
  expect([calls.ids, calls.isCalm]).toEqual([[1], false])
  calls.note([{ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }])
  expect([calls.ids, calls.isCalm, calls.has(1)]).toEqual([[], true, true])
  expect(await pass(answer)).toMatchObject({ messages: [answer] })
  expect([noted, calls.has(1)]).toEqual([['decision-1'], false])
  calls.note([request])
  expect(calls.ids).toEqual([1])
})

it.each([
  ['of a request that is not open', { ...answer, id: 2 }],
  ['with an id of another type', { ...answer, id: '1' }],
  ['without an id', { ...answer, id: null }],
])('an answer %s does not pass, and the open request stays open', async (_what, other) => {
  const { noted, pass } = await afterCall()
  expect(await pass(other)).toMatchObject({ text: null, messages: [] })
  expect(noted).toEqual([])
  expect(await pass(answer)).toMatchObject({ messages: [answer] })
  expect(noted).toEqual(['decision-1'])
  expect(await pass(answer)).toMatchObject({ messages: [] })
})

it('a batch gives the labels of texts without an answer once', async () => {
  const { noted, passAll } = await afterCall()
  const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { message: 'hello' } }
  await passAll([progress, answer, progress, progress])
  expect(noted).toEqual(['web', 'decision-1'])
})

it('content rules inspect the notifications of a batch together, and every answer alone', async () => {
  const inspected: unknown[] = []
  const checkResult: Guard['checkResult'] = async (_decision, value) => {
    inspected.push(value)
    return { denied: null, value: JSON.parse(JSON.stringify(value).replaceAll('key', '[redacted]')) }
  }
  const { passAll } = await afterCall(null, { inspectsResults: () => true, checkResult })
  const told = (message?: string) => ({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    ...(message !== undefined && { params: { message } }),
  })
  const passed = await passAll([told('a key'), answer, told(), told('b')])
  expect(inspected).toEqual([[{ message: 'a key' }, { message: 'b' }], answer.result])
  expect(passed.messages).toEqual([told('a [redacted]'), answer, told(), told('b')])
})

it('the notifications of a batch are dropped together if content rules deny them', async () => {
  const checkResult: Guard['checkResult'] = async (_decision, value) =>
    JSON.stringify(value).includes('key') ? { denied: 'it has a key' } : { denied: null, value }
  const { passAll } = await afterCall(null, { inspectsResults: () => true, checkResult })
  const told = (message: string) => ({ jsonrpc: '2.0', method: 'notifications/progress', params: { message } })
  expect((await passAll([told('a key'), answer, told('b')])).messages).toEqual([answer])
})

it('an error without an id passes, and counts as a text of any call', async () => {
  const { noted, pass } = await afterCall()
  const error = { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'hello' } }
  expect(await pass(error)).toMatchObject({ messages: [error] })
  expect(noted).toEqual(['web'])
})

it('an answer is withheld if the labels cannot be written', async () => {
  const { pass } = await afterCall('the disk is full')
  const passed = await pass(answer)
  expect(passed.text).not.toContain('hello')
  expect(passed.messages).toMatchObject([
    { id: 1, result: { isError: true, content: [{ text: expect.stringContaining('the disk is full') }] } },
  ])
})

describe('a value that the client must send back as it is', () => {
  const token = 'heron.eyJ'
  const checkResult: Guard['checkResult'] = async (_decision, value) => ({
    denied: null,
    value: JSON.parse(JSON.stringify(value).replaceAll('heron', '[redacted]')),
  })
  const content = [{ type: 'text', text: '[redacted]' }]
  const answerTo = async (method: string, params: JsonObject, result: JsonObject) => {
    const { calls, pass } = await afterCall(null, { inspectsResults: () => true, checkResult })
    calls.note([{ jsonrpc: '2.0', id: 2, method, params }])
    return (await pass({ jsonrpc: '2.0', id: 2, result })).messages[0]
  }
  const needsInput = { resultType: 'input_required', requestState: token }
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['prompts/list', {}, { nextCursor: token, prompts: [] }, { nextCursor: token, prompts: [] }],
    ['tools/call', {}, { ...needsInput, note: 'heron' }, { ...needsInput, note: '[redacted]' }],
    ['tools/call', { task: {} }, { task: { taskId: token, n: 'heron' } }, { task: { taskId: token, n: '[redacted]' } }],
    ['tasks/get', {}, { taskId: token }, { taskId: token }],
    [
      'tasks/list',
      {},
      { tasks: [{ taskId: token, n: 'heron' }, { taskId: 'a' }] },
      { tasks: [{ taskId: token, n: '[redacted]' }, { taskId: 'a' }] },
    ],
    [
      'tools/call',
      {},
      { content, nextCursor: token, taskId: token },
      { nextCursor: '[redacted].eyJ', content, taskId: '[redacted].eyJ' },
    ],
  ])('%s %j: is not redacted', async (method, params, result, expected) => {
    expect((await answerTo(method, params, result))?.result).toEqual(expected)
  })

  it('withholds the answer if it has the form of a text', async () => {
    const error = { message: expect.stringContaining('cannot be redacted') }
    expect(await answerTo('prompts/list', {}, { nextCursor: 'a heron', prompts: [] })).toMatchObject({ error })
  })
})
