import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type GatewayWorld, newToken, startWorld } from '../testing/gateway-world.ts'
import { allowAll, policyGuard } from '../testing/policy-guard.ts'
import { answerJson, answerStream, type Scripted, startScripted } from '../testing/scripted-upstream.ts'
import { statelessHeaders, statelessMeta } from '../testing/stateless-request.ts'
import { echo, largeAnswers, startStdio } from '../testing/stdio-world.ts'

const soon = { timeout: 60_000 }
const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: {} }
const ping = (params: object = {}) => ({ jsonrpc: '2.0', id: 1, method: 'ping', params })
const note = (params: object = {}) => ({ jsonrpc: '2.0', method: 'notifications/roots/list_changed', params })
const call = (text: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'read', arguments: { text } },
})
const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
/** Never reads, and keeps running after its input ends. */
const deaf = 'setInterval(() => {}, 1000)'
/** Answers each request with `long` bytes of a line that does not end. */
const endless = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    process.stdout.write('x'.repeat(JSON.parse(line).params.long ?? 0))
  })`
const program = (text: string) => ({ command: process.execPath, args: ['-e', text], env: {} })
const servers = { files: program(echo), deaf: program(deaf), endless: program(endless), large: program(largeAnswers) }
let upstream: Scripted

beforeAll(async () => {
  upstream = await startScripted()
})
afterAll(() => upstream.stop())

async function worldFor(limits: object, options: Parameters<typeof startWorld>[1] = {}): Promise<GatewayWorld> {
  const world = await startWorld({ ...servers, http: { url: upstream.url } }, { ...options, limits })
  onTestFinished(() => world.close())
  return world
}

const post = (world: GatewayWorld, server: string, message: object, headers: Record<string, string> = {}) =>
  world.send(server, { method: 'POST', body: JSON.stringify(message), headers })

/** Opens a session without waiting for an answer. */
async function openSession(world: GatewayWorld, server: string): Promise<Record<string, string>> {
  const answer = await post(world, server, initialize)
  await answer.body?.cancel()
  return { 'mcp-session-id': answer.headers.get('mcp-session-id') as string }
}

describe('the memory for one client is limited', () => {
  it('bodies: 429 with Retry-After above the limit, for this client only', async () => {
    const token = newToken()
    const asked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const before = () => {
      asked.resolve()
      return release.promise
    }
    const clients = [{ token, guard: policyGuard(allowAll) }]
    const world = await worldFor({ maxMemoryBytes: 10_000 }, { guard: policyGuard(allowAll, { before }), clients })
    const long = call('x'.repeat(6000))
    const first = post(world, 'http', long).then(({ status }) => status, String)
    await asked.promise
    const refused = await post(world, 'http', long)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    expect(await refused.json()).toMatchObject({ id: null, error: { code: -32600 } })
    expect((await post(world, 'http', long, { authorization: `Bearer ${token}` })).status).toBe(200)
    release.resolve()
    expect(await first).toBe(200)
    await expect.poll(async () => (await post(world, 'http', long)).status, soon).toBe(200)
  })

  it.each([
    [
      'an answer that is looked into and has no room becomes an error',
      answerJson(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'x'.repeat(20_000) }] } })),
      expect.stringContaining('"id":1,"error":{"code":-32011'),
    ],
    [
      'an event that has no room becomes an error',
      answerStream(`data: ${JSON.stringify({ result: { text: 'x'.repeat(200_000) }, jsonrpc: '2.0', id: 1 })}\n\n`),
      expect.stringContaining('may have taken effect: the client has reached its memory limit'),
    ],
    [
      'an event that does not end and has no room becomes an error',
      answerStream(`data: ${'x'.repeat(200_000)}`),
      expect.stringContaining('ended its stream before it answered'),
    ],
  ])('%s', async (_what, script, expected) => {
    const world = await worldFor({ maxMemoryBytes: 10_000 })
    upstream.script(script)
    const answer = post(world, 'http', listTools).then((answer) => answer.text())
    expect(await answer.catch((error) => error)).toEqual(expected)
    upstream.script(answerJson('{"jsonrpc":"2.0","id":1,"result":{"still":"here"}}'))
    await expect.poll(async () => (await post(world, 'http', call('x'.repeat(6000)))).status, soon).toBe(200)
  })

  it('a line of a started server for which no room is left fails alone', async () => {
    const world = await worldFor({ maxMemoryBytes: 100_000 })
    const session = await openSession(world, 'large')
    const answerTo = async (name: string) =>
      (await post(world, 'large', { ...call(''), params: { name } }, session)).text()
    expect(await answerTo('last')).toContain('may have taken effect: the client has reached its memory limit')
    expect(await answerTo('short')).toContain('"result"')
  })

  it('an endless line of a started server: ends the server and fails its call', async () => {
    const world = await worldFor({ maxResponseBytes: 10_000 })
    const session = await openSession(world, 'endless')
    const answer = await post(world, 'endless', ping({ long: 200_000 }), session)
    expect(await answer.text()).toContain('-32011')
    expect((await post(world, 'endless', ping(), session)).status).toBe(404)
    expect(world.warnings[0]).toBe('the edge could not read the messages of a tool server, so it closed the connection')
  })

  it('kept events of sessions are counted separately and take no room from requests', async () => {
    const world = await worldFor({ maxMemoryBytes: 40_000, maxKeptBytes: 10_000 })
    for (let n = 0; n < 4; n++) {
      const session = await openSession(world, 'files')
      for (let id = 1; id <= 5; id++) {
        const answer = await post(world, 'files', { ...ping({ text: 'x'.repeat(3000) }), id }, session)
        expect([answer.status, (await answer.text()).includes('result')]).toEqual([200, true])
      }
    }
    expect((await post(world, 'http', call('x'.repeat(6000)))).status).toBe(200)
  })

  it('messages to a client that does not read: cuts its stream, and others continue', async () => {
    const world = await worldFor({ maxResponseBytes: 1_000_000, maxKeptBytes: 1000 })
    const session = await openSession(world, 'files')
    const headers = { authorization: `Bearer ${world.token}`, ...session }
    const listening = request(`${world.url}/mcp/files`, { headers }).end()
    const [stream] = await once(listening, 'response')
    stream.pause()
    stream.on('error', () => {})
    const loud = `${JSON.stringify({ ...note({ text: 'x'.repeat(900_000) }), method: 'notifications/message' })}\n`
    const listenAgain = async () => {
      await (await post(world, 'files', ping({ write: loud }), session)).text()
      const again = await world.send('files', { method: 'GET', headers: session })
      await again.body?.cancel()
      return again.status
    }
    while ((await listenAgain()) === 409);
    expect(world.warnings).toContain('closed a stream to a client: no memory is left for what it has not read')
    expect((await post(world, 'files', ping(), session)).status).toBe(200)
  })
})

describe('the data for a started server that does not read is limited', () => {
  it('503 with Retry-After in its session only', async () => {
    const world = await worldFor({ maxUnreadBytes: 100_000 })
    const session = await openSession(world, 'deaf')
    const send = () => post(world, 'deaf', note({ text: 'x'.repeat(50_000) }), session)
    await expect.poll(async () => (await send()).status, soon).toBe(503)
    const refused = await send()
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await refused.json()).toMatchObject({ error: { code: -32011 } })
    await openSession(world, 'deaf')
  })

  it('503 without a session', async () => {
    const world = await worldFor({ maxUnreadBytes: 100_000, drainMs: 0 })
    const asked = Array.from({ length: 8 }, () =>
      post(world, 'deaf', ping({ _meta: statelessMeta, text: 'x'.repeat(50_000) }), statelessHeaders('ping')),
    )
    expect((await Promise.race(asked)).status).toBe(503)
    await Promise.all([world.close(), ...asked.map((one) => one.catch(() => {}))])
  })
})

describe('before a client is known', () => {
  it('431 for headers over 16 KiB', async () => {
    const world = await worldFor({})
    expect((await post(world, 'http', ping(), { 'x-long': 'x'.repeat(16_384) })).status).toBe(431)
  })

  it('closes connections above the limit and accepts new ones when others end', async () => {
    const world = await worldFor({ maxConnections: 2 })
    const { port } = new URL(world.url)
    const idle = [connect(Number(port), '127.0.0.1'), connect(Number(port), '127.0.0.1')]
    await Promise.all(idle.map((socket) => once(socket, 'connect')))
    const closed = connect(Number(port), '127.0.0.1').resume()
    closed.on('error', () => {})
    await new Promise((resolve) => closed.once('close', resolve))
    for (const socket of idle) socket.destroy()
    const status = () =>
      post(world, 'http', ping()).then(
        (answer) => answer.status,
        () => null,
      )
    await expect.poll(status, soon).toBe(200)
  })
})

it('502 for a server whose answer has headers over 16 KiB', async () => {
  const world = await worldFor({})
  upstream.script(answerJson('{"jsonrpc":"2.0","id":1,"result":{}}', 200, { 'x-long': 'x'.repeat(16_384) }))
  expect((await post(world, 'http', ping())).status).toBe(502)
})

it('sessions whose server is ending count towards the limit of a client', async () => {
  const world = await worldFor({ maxSessionsPerClient: 1 })
  const session = await openSession(world, 'deaf')
  expect((await world.send('deaf', { method: 'DELETE', headers: session })).status).toBe(200)
  expect((await post(world, 'deaf', ping(), session)).status).toBe(404)
  const refused = await post(world, 'deaf', initialize)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
})

it('a call that cannot be sent is not decided, so it uses up no approval: in an ended session, without one, and for a full server', async () => {
  const guard = policyGuard(allowAll)
  const world = await worldFor({ maxUnreadBytes: 10_000 }, { guard })
  const ended = await openSession(world, 'files')
  await world.send('files', { method: 'DELETE', headers: ended })
  const full = await openSession(world, 'deaf')
  await expect
    .poll(async () => (await post(world, 'deaf', note({ text: 'x'.repeat(9_000) }), full)).status, soon)
    .toBe(503)
  for (const [server, headers, status] of [
    ['files', ended, 404],
    ['files', {}, 400],
    ['deaf', full, 503],
  ] as const) {
    expect((await post(world, server, call('a'), headers)).status).toBe(status)
    expect((await world.send(server, { method: 'POST', body: JSON.stringify([call('a')]), headers })).status).toBe(
      status,
    )
  }
  expect(guard.decided).toEqual([])
  // While the edge is closed, the client gets the reason.
  guard.shut({ code: 'may_not_act', reason: 'the agent is frozen' })
  expect(await (await post(world, 'files', call('a'), ended)).text()).toContain('the agent is frozen')
})

it('tracks up to a thousand subscriptions that a server acknowledges', async () => {
  const guard = policyGuard(allowAll)
  const world = await worldFor({}, { guard })
  const acknowledged = (id: string) =>
    `data: ${JSON.stringify({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true }, _meta: { 'io.modelcontextprotocol/subscriptionId': id } },
    })}\n\n`
  const ids = ['x'.repeat(1001), ...Array.from({ length: 1001 }, (_, n) => `s${n}`)]
  const last = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message' })}\n\n`
  const end = Promise.withResolvers<void>()
  upstream.script(async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`${ids.map(acknowledged).join('')}${last}`)
    await end.promise
    response.end()
  })
  const answer = await post(world, 'http', {
    ...listTools,
    method: 'subscriptions/listen',
    params: { notifications: {} },
  })
  let text = ''
  for await (const chunk of (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream() as never)) {
    text += chunk
    if (!text.includes(last) || text.includes('list_changed')) continue
    guard.change(allowAll)
    end.resolve()
  }
  const told = text.split('\n').filter((line) => line.includes('list_changed'))
  expect(told).toHaveLength(1000)
  expect(told[0]).toContain('"s0"')
})

it('stops reading from a stdio client while 16 MiB wait for a decision', async () => {
  const release = Promise.withResolvers<void>()
  const edge = startStdio(echo, { guard: policyGuard(allowAll, { before: () => release.promise }) })
  const text = 'x'.repeat(3 << 20)
  for (let id = 1; id <= 6; id++) edge.send({ ...call(text), id })
  edge.send(note())
  const unread = () => edge.stdin.readableLength + edge.stdin.writableLength
  await expect.poll(unread, soon).toBeLessThan(1 << 20)
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate)
  expect(unread()).toBeGreaterThan(0)
  release.resolve()
  const heard = []
  for (let n = 0; n < 7; n++) heard.push(await edge.receive())
  expect(heard.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, undefined])
  edge.stdin.end()
  await edge.code
})
