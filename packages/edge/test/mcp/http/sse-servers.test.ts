import { EventEmitter } from 'node:events'
import type { PolicyDocument } from '@mandate/policy/types'
import { Client } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { release, startDeciding } from '../../../src/mcp/gateway/deciding.ts'
import { ServerRequests } from '../../../src/mcp/http/server-requests.ts'
import { SseConnection } from '../../../src/mcp/http/sse-connection.ts'
import type { JsonObject } from '../../../src/mcp/messages/json.ts'
import { MemoryBudget } from '../../../src/mcp/messages/memory-budget.ts'
import { type GatewayWorld, startWorld } from '../testing/gateway-world.ts'
import { policyGuard, rulesFor } from '../testing/policy-guard.ts'
import { endpointEvent, initialized, messageEvent, type SseScript, startScriptedSse } from '../testing/scripted-sse.ts'
import { answerJson, startScripted } from '../testing/scripted-upstream.ts'

type Options = Parameters<typeof startWorld>[1]

async function start(script: SseScript = {}, options: Options = {}, config: object = {}) {
  const server = await startScriptedSse(script)
  onTestFinished(server.stop)
  const world = await startWorld({ files: { url: server.url, transport: 'sse', ...config } }, options)
  onTestFinished(world.close)
  return { server, world }
}

const request = (method: string, params: JsonObject = {}, id = 1): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
const handshake = request('initialize', {
  protocolVersion: '2024-11-05',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
})
const post = (world: GatewayWorld, message: object, session?: string) =>
  world.send('files', {
    method: 'POST',
    body: JSON.stringify(message),
    ...(session && { headers: { 'mcp-session-id': session } }),
  })

/** The messages in an answer of the gateway. */
async function messagesOf(answer: Response) {
  const text = await answer.text()
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) return [JSON.parse(text)]
  return [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data as string))
}

async function openSession(world: GatewayWorld): Promise<string> {
  const answer = await post(world, handshake)
  expect(await messagesOf(answer)).toMatchObject([{ id: 1, result: { protocolVersion: '2024-11-05' } }])
  const session = answer.headers.get('mcp-session-id') as string
  expect((await post(world, { jsonrpc: '2.0', method: 'notifications/initialized' }, session)).status).toBe(202)
  return session
}

describe('the policy applies to a server of HTTP+SSE', () => {
  const denySecrets: PolicyDocument = {
    ...rulesFor({ 'mcp:files/delete': 'deny', 'resource:files/read': 'deny', 'prompt:files/admin': 'deny' }),
  }
  const lists: Record<string, object> = {
    initialize: initialized,
    'tools/list': { tools: [{ name: 'read' }, { name: 'delete' }] },
    'resources/list': { resources: [{ uri: 'file:///a', name: 'a' }] },
    'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'file:///{a}', name: 'a' }] },
    'prompts/list': { prompts: [{ name: 'greet' }, { name: 'admin' }] },
  }

  it('its lists are filtered, and a denied call does not reach it', async () => {
    const guard = policyGuard(denySecrets)
    const { server, world } = await start({ result: ({ method }) => lists[method] ?? { ok: true } }, { guard })
    const session = await openSession(world)
    const ask = async (method: string, params: JsonObject = {}) =>
      (await messagesOf(await post(world, request(method, params, 2), session)))[0].result
    expect(await ask('tools/list')).toEqual({ tools: [{ name: 'read' }] })
    expect(await ask('resources/list')).toEqual({ resources: [] })
    expect(await ask('resources/templates/list')).toEqual({ resourceTemplates: [] })
    expect(await ask('prompts/list')).toEqual({ prompts: [{ name: 'greet' }] })
    expect(await ask('tools/call', { name: 'read', arguments: {} })).toEqual({ ok: true })
    expect(await ask('tools/call', { name: 'delete', arguments: {} })).toMatchObject({ isError: true })
    expect(guard.decided.map(({ tool }) => tool)).toEqual(['mcp:files/read', 'mcp:files/delete'])
    expect(server.methods().filter((method) => method === 'tools/call')).toHaveLength(1)
  })

  it('an undeclared argument is denied although the client never listed the tools', async () => {
    const when = [{ path: 'args.path', op: 'under', value: '/secrets' } as const]
    const [rule] = rulesFor({ '*': 'deny' }).rules
    const guard = policyGuard({ default_effect: 'allow', rules: [{ ...rule!, match: { tools: ['*'], when } }] })
    const tools = [{ name: 'read', inputSchema: { properties: { path: {} } } }]
    const result = ({ method }: { method: string }) => (method === 'tools/list' ? { tools } : lists[method])
    const { server, world } = await start({ result: (message) => result(message) ?? { ok: true } }, { guard })
    const session = await openSession(world)
    const call = async (args: JsonObject) =>
      (await messagesOf(await post(world, request('tools/call', { name: 'read', arguments: args }, 3), session)))[0]
    expect((await call({ path: '/public' })).result).toEqual({ ok: true })
    expect((await call({ path: '/public', file: '/secrets/a' })).result).toMatchObject({ isError: true })
    expect(server.methods()).toEqual(['initialize', 'notifications/initialized', 'tools/list', 'tools/call'])
  })

  it('a closed edge passes only the handshake, and nothing on open streams', async () => {
    const guard = policyGuard(rulesFor({}))
    const { server, world } = await start({}, { guard })
    const session = await openSession(world)
    const stream = await world.send('files', { method: 'GET', headers: { 'mcp-session-id': session } })
    guard.shut({ code: 'no_profile', reason: 'a test closed it' })
    const told = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'secret' } }
    server.streams[0]?.write(messageEvent(told))
    const [answer] = await messagesOf(await post(world, request('tools/call', { name: 'read' }, 2), session))
    expect(answer.result).toMatchObject({ isError: true })
    expect(server.methods()).toEqual(['initialize', 'notifications/initialized'])
    await world.replaceServers({}).left
    expect(await stream.text().catch(() => '')).not.toContain('secret')
    const again = await start({}, { guard })
    const [opened] = await messagesOf(await post(again.world, handshake))
    const listChanged = { listChanged: true }
    const capabilities = { tools: listChanged, resources: listChanged, prompts: listChanged }
    expect(opened.result).toEqual({ ...initialized, capabilities, serverInfo: { name: 'scripted', version: '1' } })
  })

  it('a request of the server reaches the client, and its answer the server', async () => {
    const { server, world } = await start()
    const session = await openSession(world)
    const stream = await world.send('files', { method: 'GET', headers: { 'mcp-session-id': session } })
    server.streams[0]?.write(messageEvent({ jsonrpc: '2.0', id: 's1', method: 'roots/list' }))
    server.streams[0]?.write(messageEvent({ jsonrpc: '2.0', id: 's2', method: 'vendor/unknown' }))
    const reader = stream.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('"roots/list"')
    const answered = { jsonrpc: '2.0', id: 's1', result: { roots: [] } }
    expect((await post(world, answered, session)).status).toBe(202)
    await expect
      .poll(() =>
        server.received
          .slice(3)
          .map(({ body }) => JSON.parse(body))
          .sort((a, b) => (a.id < b.id ? -1 : 1)),
      )
      .toEqual([answered, { jsonrpc: '2.0', id: 's2', error: { code: -32601, message: 'Method not found' } }])
    await reader?.cancel()
  })

  it('the messages of a batch are forwarded one by one, and the answers come back together', async () => {
    const { server, world } = await start({}, { guard: policyGuard(rulesFor({ 'mcp:files/delete': 'deny' })) })
    const session = await openSession(world)
    const batch = ['read', 'delete', 'list'].map((name, id) => request('tools/call', { name, arguments: {} }, id + 5))
    const answers = await messagesOf(await post(world, batch, session))
    expect(answers.map(({ id }) => id).sort()).toEqual([5, 6, 7])
    expect(server.methods().slice(2)).toEqual(['tools/call', 'tools/call'])
  })
})

describe('a client of the revision without sessions', () => {
  it('is told the revisions of the server and continues with one of them', async () => {
    const { world } = await start({ result: ({ method }) => (method === 'tools/list' ? { tools: [] } : initialized) })
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(world.transport('files'))
    expect((await client.listTools()).tools).toEqual([])
    await client.close()
  })
})

describe('a server of HTTP+SSE must not', () => {
  const opens = (text: string, status = 200, headers: Record<string, string> = {}): SseScript => ({
    open: (response) =>
      void response.writeHead(status, { 'content-type': 'text/event-stream', ...headers }).write(text),
  })

  it('name an address of another origin: nothing is sent there', async () => {
    const other = await startScripted()
    onTestFinished(other.stop)
    const { origin, host } = new URL(other.url)
    for (const address of [
      `${origin}/messages`,
      `//${host}/messages`,
      'https://127.0.0.1/messages',
      `blob:${origin}/a`,
    ]) {
      const { server, world } = await start(
        opens(endpointEvent(address)),
        {},
        { headers: { authorization: 'Bearer mine' } },
      )
      const answer = await post(world, handshake)
      expect([address, answer.status, answer.headers.get('mcp-session-id')]).toEqual([address, 502, null])
      expect(await answer.json()).toMatchObject({ id: 1, error: { code: -32011 } })
      expect(server.received.map(({ method }) => method)).toEqual(['GET'])
    }
    expect(other.received).toEqual([])
  })

  it('name the same origin by another scheme, or another user', async () => {
    const server = await startScriptedSse({
      open: (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(endpointEvent(server.origin.replace('http://', 'http://user:secret@')))
      },
    })
    onTestFinished(server.stop)
    const world = await startWorld({ files: { url: server.url, transport: 'sse' } })
    onTestFinished(world.close)
    void post(world, handshake).catch(() => {})
    await expect.poll(() => server.received.length).toBe(2)
    expect(server.received[1]?.headers.authorization).toBeUndefined()
    const blob = await start({
      open(response) {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(endpointEvent(`blob:http://${response.req.headers.host}/messages`))
      },
    })
    expect((await post(blob.world, handshake)).status).toBe(502)
  })

  it.each<[string, SseScript]>([
    ['begin with a message', opens(messageEvent({ jsonrpc: '2.0', method: 'notifications/message' }))],
    ['name a malformed address', opens(endpointEvent('http://['))],
    ['name an address that is too long', opens(endpointEvent(`/${'a'.repeat(8192)}`))],
    ['redirect', opens('', 307, { location: '/elsewhere' })],
    ['answer with another status', opens('', 404)],
    ['open something else than a stream', opens('{}', 200, { 'content-type': 'application/json' })],
    ['encode its stream', opens(endpointEvent('/messages'), 200, { 'content-encoding': 'gzip' })],
    [
      'end its stream at once',
      { open: (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end() },
    ],
  ])('%s: 502', async (_what, script) => {
    const { server, world } = await start(script)
    const answer = await post(world, handshake)
    expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([502, null])
    expect(await answer.json()).toMatchObject({ id: 1, error: { code: -32011 } })
    expect(server.methods()).toEqual([])
  })

  it('take too long to name its address: 504', async () => {
    const { world } = await start(opens(': wait\n\n'), {}, { timeoutMs: 50 })
    expect((await post(world, handshake)).status).toBe(504)
  })

  it('name a second address: the session ends', async () => {
    const { server, world } = await start()
    const session = await openSession(world)
    server.streams[0]?.write(endpointEvent('/messages?session=1'))
    await expect.poll(async () => (await post(world, request('ping'), session)).status).toBe(404)
    await expect.poll(() => server.streams[0]?.destroyed).toBe(true)
  })

  it('send an event that is too long: its request is answered with an error, and the session goes on', async () => {
    const script: SseScript = {
      take({ body }, response, stream) {
        response.writeHead(202).end()
        const { id, method } = JSON.parse(body)
        const result = method === 'tools/call' && id === 4 ? { text: 'x'.repeat(20_000) } : initialized
        if (id !== undefined) stream.write(messageEvent({ result, jsonrpc: '2.0', id }))
      },
    }
    const { world } = await start(script, { limits: { maxResponseBytes: 10_000 } })
    const session = await openSession(world)
    const answers = await messagesOf(await post(world, request('tools/call', { name: 'a' }, 4), session))
    const message = expect.stringContaining('it is longer than 10000 bytes')
    expect(answers).toMatchObject([{ id: 4, error: { code: -32011, message } }])
    const next = await messagesOf(await post(world, request('tools/call', { name: 'a' }, 5), session))
    expect(next).toMatchObject([{ id: 5, result: initialized }])
  })

  it('leave too many messages unaccepted: 503 for the next', async () => {
    const script: SseScript = {
      take({ body }, response, stream) {
        const { id, method } = JSON.parse(body)
        if (method === 'tools/call') return
        response.writeHead(202).end()
        if (id !== undefined) stream.write(messageEvent({ jsonrpc: '2.0', id, result: initialized }))
      },
    }
    const { server, world } = await start(script)
    const session = await openSession(world)
    const hanging = new AbortController()
    for (let id = 1; id <= 100; id++) {
      const body = JSON.stringify(request('tools/call', { name: 'a' }, id))
      void world
        .send('files', { method: 'POST', body, headers: { 'mcp-session-id': session }, signal: hanging.signal })
        .catch(() => {})
    }
    await expect.poll(() => server.methods().length, { timeout: 60_000 }).toBe(102)
    const refused = await post(world, request('tools/call', { name: 'a' }, 101), session)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    hanging.abort()
  })

  const answered = (status: number) => `The tool server answered with HTTP status ${status}`
  const mayHave = 'The request may have taken effect'
  const redirects = (to: string) =>
    `The tool server redirects ${to}, and the edge does not follow redirects: set the url of the server in the edge's servers file to the address that answers`
  const asks =
    "The tool server files asks for authorization that the edge does not have: its entry in the edge's servers file needs oauth or an Authorization header in headers"
  const asked = { 'mandate/authorization': { server: 'files', status: 401, error: 'invalid_token', scope: 'read' } }
  const challenge = { 'www-authenticate': 'Bearer error="invalid_token", scope="read"' }
  it.each<[string, number | 'reset', object, number, string, object?]>([
    ['refuses a message', 400, {}, 200, answered(400)],
    ['gets a message that is too large', 413, { 'content-encoding': 'gzip' }, 200, answered(413)],
    ['fails', 500, { 'content-type': 'odd' }, 200, `${answered(500)}. ${mayHave}`],
    [
      'resets the connection of a message',
      'reset',
      {},
      200,
      `The connection to the tool server broke before it answered (ECONNRESET). ${mayHave}`,
    ],
    [
      'redirects a message',
      307,
      { location: 'https://user:pass@b.example/elsewhere/0123456789abcdef?key=secret' },
      200,
      redirects('to https://b.example/elsewhere/…'),
    ],
    [
      'redirects a message to a text of content rules',
      308,
      { location: '/project-atlas' },
      200,
      redirects('to an address that rules for its text withhold'),
    ],
    ['asks for authorization', 401, challenge, 404, asks, asked],
    ['does not know the session any more', 404, {}, 404, `${answered(404)}, so the session ends`],
  ])('when it %s, the request gets the reason as an error', async (_what, status, headers, next, message, data) => {
    const script: SseScript = {
      take({ body }, response, stream) {
        const { id, method } = JSON.parse(body)
        if (method === 'tools/call' && status === 'reset') return void response.socket?.resetAndDestroy()
        if (method === 'tools/call') return void response.writeHead(Number(status), { ...headers }).end('body')
        response.writeHead(202).end()
        if (id !== undefined) stream.write(messageEvent({ jsonrpc: '2.0', id, result: initialized }))
      },
    }
    const guard = { ...policyGuard(rulesFor({})), maskLine: (line: string) => line.replace('project-atlas', '…') }
    const { server, world } = await start(script, { guard })
    const session = await openSession(world)
    const answers = await messagesOf(await post(world, request('tools/call', { name: 'a' }, 4), session))
    expect(answers).toEqual([{ jsonrpc: '2.0', id: 4, error: { code: -32011, message, ...(data && { data }) } }])
    expect((await post(world, request('ping', {}, 5), session)).status).toBe(next)
    expect(server.received.some(({ url }) => url.startsWith('/elsewhere') || url === '/project-atlas')).toBe(false)
  })
})

describe('a session of a server of HTTP+SSE', () => {
  it('sends the configured headers with its stream and messages, and none of the client', async () => {
    const headers = { authorization: 'Bearer upstream-secret', 'x-team': 'a' }
    const { server, world } = await start({}, {}, { headers })
    await openSession(world)
    await expect.poll(() => server.received.length).toBe(3)
    for (const taken of server.received) {
      expect(taken.headers).toMatchObject(headers)
      expect(JSON.stringify(taken.headers)).not.toContain(world.token)
    }
  })

  it('has a token that the edge fetched, and another one when it is refused', async () => {
    let tokens = 0
    const authorization = await startScripted()
    onTestFinished(authorization.stop)
    authorization.script((response) =>
      answerJson(`{"access_token":"token-${++tokens}","token_type":"Bearer"}`)(response),
    )
    const refused = { isUsed: false }
    const script: SseScript = {
      take({ body, headers }, response, stream) {
        const { id, method } = JSON.parse(body)
        if (method === 'tools/call' && headers.authorization === 'Bearer token-1') {
          refused.isUsed = true
          return void response.writeHead(401).end()
        }
        response.writeHead(202).end()
        if (id !== undefined) stream.write(messageEvent({ jsonrpc: '2.0', id, result: initialized }))
      },
    }
    const oauth = { tokenUrl: authorization.url, clientId: 'edge', clientSecret: 'secret' }
    const { server, world } = await start(script, {}, { oauth })
    const session = await openSession(world)
    const [answer] = await messagesOf(await post(world, request('tools/call', { name: 'a' }, 4), session))
    expect([answer.id, answer.error, refused.isUsed]).toEqual([4, undefined, true])
    const used = new Set(server.received.map(({ headers }) => headers.authorization))
    expect([...used]).toEqual(['Bearer token-1', 'Bearer token-2'])
  })

  it('ends with its stream, and the client opens another', async () => {
    const script: SseScript = {
      take({ body }, response, stream) {
        response.writeHead(202).end()
        const { id, method } = JSON.parse(body)
        if (method === 'tools/call') stream.end()
        else if (id !== undefined) stream.write(messageEvent({ jsonrpc: '2.0', id, result: initialized }))
      },
    }
    const { server, world } = await start(script)
    const session = await openSession(world)
    const [answer] = await messagesOf(await post(world, request('tools/call', { name: 'a' }, 4), session))
    const message = 'The tool server stopped before it answered. The request may have taken effect'
    expect(answer).toMatchObject({ id: 4, error: { message } })
    expect((await post(world, request('ping'), session)).status).toBe(404)
    await openSession(world)
    expect(server.streams).toHaveLength(2)
  })

  it('ends at the server when its client ends it, and when it is idle', async () => {
    const { server, world } = await start({}, { limits: { idleSessionMs: 1000 } })
    const session = await openSession(world)
    expect((await world.send('files', { method: 'DELETE', headers: { 'mcp-session-id': session } })).status).toBe(200)
    await expect.poll(() => server.streams[0]?.destroyed).toBe(true)
    await openSession(world)
    await expect.poll(() => server.streams[1]?.destroyed, { timeout: 60_000 }).toBe(true)
    expect(world.warnings).toEqual([])
  })

  it('a request that is not answered in time gets an error and is cancelled', async () => {
    const script: SseScript = {
      take({ body }, response, stream) {
        response.writeHead(202).end()
        const { id, method } = JSON.parse(body)
        if (method === 'initialize') stream.write(messageEvent({ jsonrpc: '2.0', id, result: initialized }))
      },
    }
    const { server, world } = await start(script, {}, { timeoutMs: 1000 })
    const session = await openSession(world)
    const [answer] = await messagesOf(await post(world, request('tools/call', { name: 'a' }, 4), session))
    const message = 'The tool server took too long to answer. The request may have taken effect'
    expect(answer).toMatchObject({ id: 4, error: { code: -32011, message } })
    await expect.poll(() => server.methods().at(-1)).toBe('notifications/cancelled')
  })
})

describe('a message is forwarded only if it is released when the server is connected', () => {
  async function connect() {
    const server = await startScriptedSse()
    onTestFinished(server.stop)
    const unsent: [unknown, string][] = []
    const connection = new SseConnection({
      requests: new ServerRequests({ url: server.url }),
      authorization: null,
      maxEventBytes: 10_000,
      maxUnreadBytes: 10_000,
      mayShow: () => true,
      onUnsent: (message, { message: reason }) => void unsent.push([message.id, reason]),
    })
    const reading = (async () => {
      for await (const _ of connection.texts(new MemoryBudget(100_000).newReservation()));
    })()
    onTestFinished(async () => {
      await connection.stop()
      await reading
    })
    return { server, connection, unsent }
  }

  it('one that is not released is not sent', async () => {
    const { server, connection, unsent } = await connect()
    expect(await connection.send([request('ping')], () => false)).toBe(false)
    expect(await connection.send([request('ping', {}, 2)], () => true)).toBe(true)
    await expect.poll(() => server.received.length).toBe(2)
    expect(JSON.parse(server.received[1]?.body ?? '').id).toBe(2)
    expect(unsent).toEqual([])
  })

  it('the rest of a batch is not sent if the rules change meanwhile', async () => {
    const { server, connection, unsent } = await connect()
    let released = 0
    const batch = [1, 2, 3].map((id) => request('ping', {}, id))
    expect(await connection.send(batch, () => ++released <= 2)).toBe(true)
    expect(unsent).toEqual([[3, 'The rules changed before the edge sent the request']])
    await expect.poll(() => server.received.length).toBe(3)
  })

  it('one that was sent keeps its decision when the rest of its batch is not sent', async () => {
    const batch = [1, 2].map((id) => request('ping', {}, id))
    const client = { deciding: new Map() }
    const deciding = startDeciding({ client, response: new EventEmitter(), passage: {} } as never, batch)
    const asked: number[] = []
    let isValid = true
    for (const check of deciding.checks) {
      const holds = () => {
        asked.push(check.message.id as number)
        return isValid
      }
      check.result = { passes: true, holds }
    }
    const { connection } = await connect()
    const unsent: boolean[] = []
    const isSent = await connection.send(batch, (sending) => {
      const isReleased = release(deciding, sending)
      isValid = false
      unsent.push(!isReleased)
      return isReleased
    })
    expect([isSent, unsent, asked]).toEqual([true, [false, true], [1, 2, 2]])
    expect([...deciding.sent].map(({ message }) => message.id)).toEqual([1])
  })
})
