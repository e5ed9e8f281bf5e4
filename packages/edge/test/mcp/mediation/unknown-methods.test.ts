import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { checkMessage } from '../../../src/mcp/mediation/check-message.ts'
import { checkServerMessage } from '../../../src/mcp/mediation/check-server-message.ts'
import type { JsonObject } from '../../../src/mcp/messages/json.ts'
import {
  clientNotifications,
  clientRequests,
  serverNotifications,
  serverRequests,
} from '../../../src/mcp/messages/methods.ts'
import { startWorld } from '../testing/gateway-world.ts'
import { allowAll, policyGuard } from '../testing/policy-guard.ts'
import { answerJson, answerStream, type Scripted, startScripted } from '../testing/scripted-upstream.ts'
import { startStdio } from '../testing/stdio-world.ts'

let upstream: Scripted
beforeAll(async () => {
  upstream = await startScripted()
})
afterAll(() => upstream.stop())

const log = { info: () => {}, warn: () => {} }
const passage = { guard: policyGuard(allowAll), server: 'files', log }
const checkFromServer = (message: JsonObject) => checkServerMessage(passage, message, () => undefined)
const method = fc.oneof(
  fc.string(),
  fc.constantFrom(
    'x-vendor/exec',
    'tools/invoke',
    'tools/call\0',
    'tools//call',
    '\u200btools/call',
    'Ping',
    'rpc.discover',
  ),
  fc.constantFrom(...clientRequests.keys(), ...serverNotifications).map((known) => `${known} `),
)

it('property: rejects a request of a client unless its method is exactly a known one', async () => {
  await fc.assert(
    fc.asyncProperty(method, fc.boolean(), async (name, isRequest) => {
      fc.pre(!clientRequests.has(name) && !clientNotifications.has(name))
      const checked = await checkMessage(passage, { jsonrpc: '2.0', method: name, ...(isRequest && { id: 1 }) })
      expect(checked).toEqual({
        passes: false,
        answer: isRequest ? { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } } : null,
      })
    }),
  )
})

it('property: drops a message of a server unless its method is exactly a known one', () => {
  fc.assert(
    fc.property(method, fc.boolean(), (name, isRequest) => {
      fc.pre(!serverRequests.has(name) && !serverNotifications.has(name))
      const checked = checkFromServer({ jsonrpc: '2.0', method: name, ...(isRequest && { id: 1 }) })
      expect(checked.message).toBeNull()
      expect(checked.reply).toEqual(
        isRequest ? { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } } : null,
      )
    }),
  )
})

it.each<JsonObject>([
  { jsonrpc: '2.0', method: 'ping', id: 1, extra: 1 },
  { jsonrpc: '2.0', 'method\0': 'x', id: 1, result: {} },
  { jsonrpc: '1.0', method: 'ping', id: 1 },
  { jsonrpc: '2.0', id: 1 },
  { jsonrpc: '2.0', method: ['ping'], id: 1 },
  { jsonrpc: '2.0', method: 'ping', id: 1, result: { tools: [{ name: 'delete' }] } },
  { jsonrpc: '2.0', method: 'notifications/message', params: {}, error: { code: 1, message: 'x' } },
  { jsonrpc: '2.0', id: 1, result: {}, params: { tools: [] } },
])('drops an unknown message of a server: %j', (message) => {
  expect(checkFromServer(message)).toMatchObject({ message: null })
})

describe('parameters of requests that the policy decides', () => {
  const call = (name: string, params: JsonObject) =>
    checkMessage(passage, { jsonrpc: '2.0', id: 1, method: name, params })

  it.each<[string, JsonObject]>([
    ['tools/call', { name: 'read', 'name\0': 'write' }],
    ['tools/call', { name: 'read', 'name\u200b': 'write' }],
    ['tools/call', { name: 'read', Name: 'write' }],
    ['tools/call', { name: 'read', extra: 1 }],
    ['resources/read', { uri: 'file:///a', URI: 'file:///b' }],
    ['resources/read', { uri: 'file:///a', name: 'b' }],
    ['resources/read', { uri: 'file:///a\0' }],
    ['resources/read', { uri: ['file:///a'] }],
    ['resources/subscribe', { uri: 'file:///a', uris: [] }],
    ['prompts/get', { name: 'greet', 'arguments ': {} }],
    ['prompts/get', { name: 'greet', arguments: { a: 1, A: 2 } }],
    ['completion/complete', { ref: { type: 'ref/tool', name: 'a' }, argument: { name: 'a', value: '' } }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'a', Name: 'b' }, argument: { name: 'a', value: '' } }],
    [
      'completion/complete',
      {
        ref: { type: 'ref/prompt', name: 'a' },
        argument: { name: 'a', value: '' },
        context: { arguments: { path: '/a' }, Arguments: { path: '/b' } },
      },
    ],
    ['subscriptions/listen', { notifications: { 'resourceSubscriptions\0': ['file:///a'] } }],
    ['tools/list', { cursor: 'a', Cursor: 'b' }],
  ])('%s %j: rejects an unknown parameter with -32602', async (name, params) => {
    expect(await call(name, params)).toMatchObject({ passes: false, answer: { error: { code: -32602 } } })
  })

  it.each<[string, JsonObject]>([
    ['tools/call', { name: 'read', arguments: {}, _meta: {}, task: {}, inputResponses: {}, requestState: 's' }],
    ['resources/read', { uri: 'file:///a', _meta: {}, inputResponses: {}, requestState: 's' }],
    ['prompts/get', { name: 'greet', arguments: {}, _meta: {}, inputResponses: {}, requestState: 's' }],
    ['subscriptions/listen', { notifications: { toolsListChanged: true, resourceSubscriptions: ['file:///a'] } }],
    ['prompts/list', { cursor: 'a', _meta: {} }],
  ])('%s %j: passes the known parameters of all revisions', async (name, params) => {
    expect(await call(name, params)).toMatchObject({ passes: true })
  })
})

it('a list has at most a thousand pages', async () => {
  const world = await startWorld({ files: { url: upstream.url } })
  onTestFinished(() => world.close())
  upstream.script(answerJson('{"jsonrpc":"2.0","id":0,"result":{"tools":[],"nextCursor":"again"}}'))
  const batch = Array.from({ length: 100 }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/list',
    params: { cursor: 'again' },
  }))
  const ask = (body: object) => world.send('files', { method: 'POST', body: JSON.stringify(body) })
  for (let n = 0; n < 10; n++) await (await ask(batch)).text()
  expect(await (await ask(batch[0] as object)).json()).toMatchObject({ error: { code: -32602 } })
  expect(await (await ask({ ...batch[0], params: {} })).json()).toMatchObject({ result: { tools: [] } })
})

it('a server over HTTP gets an error for an unknown request', async () => {
  const world = await startWorld({ files: { url: upstream.url } })
  onTestFinished(() => world.close())
  const told = Promise.withResolvers<unknown>()
  upstream.script((response, { body }) => {
    if (body.includes('-32601')) {
      told.resolve(JSON.parse(body))
      return void response.writeHead(202).end()
    }
    answerStream(
      'data: {"jsonrpc":"2.0","id":"v","method":"x-vendor/exec"}\n\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n',
    )(response)
  })
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read' } })
  const text = await (await world.send('files', { method: 'POST', body })).text()
  expect(text).toContain('"result":{}')
  expect(text).not.toContain('x-vendor')
  expect(await told.promise).toEqual({ jsonrpc: '2.0', id: 'v', error: { code: -32601, message: 'Method not found' } })
})

it('a started server gets an error for an unknown request, and its unknown notification is dropped and logged', async () => {
  const program = `
    const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { error } = JSON.parse(line)
      if (error) return say({ id: 1, result: { heard: error.code } })
      say({ method: 'x-vendor/said' })
      say({ id: 'v', method: 'x-vendor/exec' })
    })`
  const edge = startStdio(program)
  edge.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read' } })
  expect(await edge.receive()).toEqual({ jsonrpc: '2.0', id: 1, result: { heard: -32601 } })
  expect(edge.warnings).toEqual(['the edge dropped an MCP message', 'the edge dropped an MCP message'])
  edge.stdin.end()
  await edge.code
})
