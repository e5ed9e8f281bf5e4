import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Closing } from '../../../src/carry/agent-standing.ts'
import { type GatewayWorld, startWorld } from '../testing/gateway-world.ts'
import { allowAll, policyGuard } from '../testing/policy-guard.ts'
import { answerJson, type Scripted, startScripted } from '../testing/scripted-upstream.ts'
import { echo, startStdio } from '../testing/stdio-world.ts'

const closing: Closing = { code: 'not_confirmed', reason: 'the policy was not confirmed' }
const meta = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }
const secret = 'secret of the server'
let upstream: Scripted

beforeAll(async () => {
  upstream = await startScripted()
})
afterAll(() => upstream.stop())

const request = (method: string, params: object = {}, id = 1) => ({ jsonrpc: '2.0', id, method, params })
const stopped: [string, object][] = [
  ['tools/call', { name: 'read', arguments: {} }],
  ['resources/read', { uri: 'file:///a' }],
  ['resources/subscribe', { uri: 'file:///a' }],
  ['resources/unsubscribe', { uri: 'file:///a' }],
  ['subscriptions/listen', { notifications: { toolsListChanged: true } }],
  ['prompts/get', { name: 'greet' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'a', value: '' } }],
  ['completion/complete', { ref: { type: 'ref/resource', uri: 'file:///{a}' }, argument: { name: 'a', value: '' } }],
  ['tools/list', {}],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['prompts/list', {}],
  ['logging/setLevel', { level: 'debug' }],
  ['tasks/get', { taskId: '1' }],
  ['tasks/result', { taskId: '1' }],
  ['x-vendor/exec', {}],
  ['tools/invoke', { name: 'read' }],
]

async function worldFor(): Promise<GatewayWorld> {
  const started = { command: process.execPath, args: ['-e', echo], env: {} }
  const world = await startWorld({ files: { url: upstream.url }, started })
  onTestFinished(() => world.close())
  return world
}

const post = (world: GatewayWorld, message: object, server = 'files', headers: Record<string, string> = {}) =>
  world.send(server, { method: 'POST', body: JSON.stringify(message), headers })

describe('a closed edge sends nothing to a tool server over HTTP', () => {
  it.each(
    stopped.flatMap(([method, params]) => [
      { method, params },
      { method, params: { ...params, ...meta } },
    ]),
  )('$method $params', async ({ method, params }) => {
    const world = await worldFor()
    upstream.script(answerJson(`{"jsonrpc":"2.0","id":1,"result":{"text":"${secret}"}}`))
    world.guard.shut(closing)
    const answer = await (await post(world, request(method, params))).json()
    expect(answer).toMatchObject({ jsonrpc: '2.0', id: 1 })
    expect(JSON.stringify(answer)).not.toContain(secret)
    expect(upstream.received).toEqual([])
    const lists = Object.values(answer.result ?? {}).filter(Array.isArray)
    if (method.endsWith('/list') && method !== 'tasks/list') expect(lists).toEqual([[]])
    world.guard.shut(null)
  })

  it.each(['notifications/roots/list_changed', 'notifications/progress', 'notifications/cancelled', 'notifications/x'])(
    '%s, and an answer to the server',
    async (method) => {
      const world = await worldFor()
      world.guard.shut(closing)
      upstream.script(answerJson('{}'))
      expect((await post(world, { jsonrpc: '2.0', method, params: {} })).status).toBe(202)
      expect((await post(world, { jsonrpc: '2.0', id: 1, result: { content: 'x' } })).status).toBe(202)
      expect(upstream.received).toEqual([])
    },
  )
})

describe('a closed edge lets a session be opened', () => {
  it.each(['initialize', 'server/discover'])('passes %s without the instructions of the server', async (method) => {
    const world = await worldFor()
    world.guard.shut(closing)
    const result = { capabilities: {}, serverInfo: { name: 'files', version: '1' }, instructions: secret }
    upstream.script(answerJson(JSON.stringify({ jsonrpc: '2.0', id: 1, result })))
    const { instructions: _, ...rest } = result
    expect(await (await post(world, request(method))).json()).toEqual({ jsonrpc: '2.0', id: 1, result: rest })
    upstream.script(answerJson('{"jsonrpc":"2.0","id":1,"result":{}}'))
    expect(await (await post(world, request('ping'))).json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    expect((await post(world, { jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(200)
  })
})

describe('a closed edge tells the tool server no parameter of the agent', () => {
  const told = { _meta: { ...meta._meta, 'io.modelcontextprotocol/notes': secret }, note: secret }
  const initialize = {
    protocolVersion: '2025-11-25',
    capabilities: { roots: { listChanged: true, note: secret }, experimental: { [secret]: {} } },
    clientInfo: { name: secret, version: '1' },
  }

  it.each([
    request('ping', { note: secret }),
    request('ping', told),
    request('server/discover', told),
    request('initialize', initialize),
    { jsonrpc: '2.0', method: 'notifications/initialized', params: { note: secret } },
  ])('$method', async (message) => {
    const world = await worldFor()
    const headers = {
      'mcp-method': message.method,
      ...(message.params && '_meta' in message.params ? { 'mcp-protocol-version': '2026-07-28' } : {}),
    }
    upstream.script(answerJson('{"jsonrpc":"2.0","id":1,"result":{}}'))
    await (await post(world, message, 'files', headers)).text()
    expect(upstream.received[0]?.body).toContain(secret)
    upstream.script(answerJson('{"jsonrpc":"2.0","id":1,"result":{}}'))
    world.guard.shut(closing)
    await (await post(world, message, 'files', headers)).text()
    expect(upstream.received).toHaveLength(1)
    const { params, ...envelope } = JSON.parse(upstream.received[0]?.body ?? '')
    expect(envelope).toEqual({ jsonrpc: '2.0', method: message.method, ...('id' in message && { id: 1 }) })
    expect(JSON.stringify(params ?? {})).not.toContain(secret)
    if (message.method === 'initialize')
      expect(params).toMatchObject({ protocolVersion: '2025-11-25', capabilities: { roots: { listChanged: true } } })
  })
})

describe('an edge that closes while an answer is on its way', () => {
  it.each(['application/json', 'text/plain', 'text/html'])('stops an answer as %s', async (type) => {
    const world = await worldFor()
    upstream.script((response) => {
      world.guard.shut(closing)
      const body = type === 'text/html' ? secret : `{"jsonrpc":"2.0","id":1,"result":{"text":"${secret}"}}`
      response.writeHead(200, { 'content-type': type }).end(body)
    })
    const answer = await (await post(world, request('resources/read', { uri: 'file:///a' }))).json()
    expect(answer).toMatchObject({ id: 1, error: { code: -32010, data: { 'mandate/closed': { code: closing.code } } } })
    expect(JSON.stringify(answer)).not.toContain(secret)
  })

  const heard = { jsonrpc: '2.0', method: 'notifications/message', params: { data: secret } }
  const said = [
    heard,
    request('sampling/createMessage', { messages: [secret] }, 7),
    { jsonrpc: '2.0', method: 'notifications/progress', params: { message: secret } },
    { jsonrpc: '2.0', id: 1, result: { text: secret } },
    { jsonrpc: '2.0', id: 2, error: { code: 1, message: secret } },
    request('ping', { secret }, 8),
  ]
  const eventsOf = (messages: readonly object[]) =>
    `: ${secret}\n\nid: ${secret}\ndata:\n\n${messages.map((one) => `event: ${secret}\ndata: ${JSON.stringify(one)}\n\n`).join('')}`

  it.each(['GET', 'POST'])('forwards nothing more of the server on an open stream: %s', async (method) => {
    const world = await worldFor()
    const closes = Promise.withResolvers<void>()
    upstream.script(async (response, { body }) => {
      if (body.includes('error')) return void response.end()
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${JSON.stringify(heard)}\n\n`)
      await closes.promise
      response.end(eventsOf(said))
    })
    const answer = await (method === 'GET'
      ? world.send('files', { method })
      : post(world, request('tools/call', { name: 'slow' })))
    const reader = (answer.body as ReadableStream<Uint8Array>)
      .pipeThrough(new TextDecoderStream() as never)
      .getReader() as ReadableStreamDefaultReader<string>
    expect((await reader.read()).value).toContain(secret)
    world.guard.shut(closing)
    closes.resolve()
    let rest = ''
    for (let part = await reader.read(); !part.done; part = await reader.read()) rest += part.value
    expect(rest).toContain('mandate/closed')
    expect(rest).toContain('{"jsonrpc":"2.0","id":8,"method":"ping"}')
    expect(rest).not.toContain(secret)
  })

  it('forwards nothing more of a started server, on its streams or on resumption', async () => {
    const world = await worldFor()
    const opened = await post(world, request('initialize'), 'started')
    await opened.text()
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') as string }
    const write = `${JSON.stringify(heard)}\n`
    const before = await (await post(world, request('ping', { write }), 'started', session)).text()
    expect(before).toContain(secret)
    const [, id] = /^id: (.*)$/m.exec(before) ?? []
    world.guard.shut(closing)
    const again = await world.send('started', { method: 'GET', headers: { ...session, 'last-event-id': id as string } })
    expect([again.status, (await again.text()).includes(secret)]).toEqual([400, false])
    const after = await (await post(world, request('ping', { write }, 2), 'started', session)).text()
    expect(after).toContain('"id":2')
    expect(after).not.toContain('notifications/message')
  })
})

describe('a closed edge on standard input and output', () => {
  it.each(stopped)('stops %s %j', async (method, params) => {
    const guard = policyGuard(allowAll)
    const edge = startStdio(echo, { guard })
    guard.shut(closing)
    edge.send(request(method, { ...params, secret }))
    edge.send(request('ping', {}, 2))
    const first = await edge.receive()
    expect(first.id).toBe(1)
    expect(JSON.stringify(first)).not.toContain('line')
    expect(await edge.receive()).toMatchObject({ id: 2, result: {} })
    edge.stdin.end()
    await edge.code
  })

  it('forwards nothing of the server, and answers its requests with an error', async () => {
    const guard = policyGuard(allowAll)
    const program = `
      const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method, error } = JSON.parse(line)
        if (error?.code === -32010) say({ id: 2, result: { text: 'late' } })
        if (method === 'tools/call') say({ method: 'notifications/message', params: {} })
        if (method !== 'ping') return
        say({ method: 'notifications/message', params: {} })
        say({ id: 9, method: 'roots/list' })
        say({ id: 1, result: { text: 'late' } })
      })`
    const edge = startStdio(program, { guard })
    edge.send(request('tools/call', { name: 'slow' }))
    expect(await edge.receive()).toMatchObject({ method: 'notifications/message' })
    guard.shut(closing)
    edge.send(request('ping', {}, 2))
    expect(await edge.receive()).toMatchObject({ id: 1, error: { code: -32010 } })
    expect(await edge.receive()).toEqual({ jsonrpc: '2.0', id: 2, result: {} })
    edge.stdin.end()
    await edge.code
  })
})
