import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { spawnServer } from '../../../src/mcp/stdio/spawn-server.ts'
import { startWorld } from '../testing/gateway-world.ts'
import { startScripted } from '../testing/scripted-upstream.ts'
import { startStdio } from '../testing/stdio-world.ts'

/** Answers each request when a later message `release` arrives, or when its input ends. */
const late = `
  const held = []
  const release = () => { for (const id of held.splice(0)) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: {} })) }
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line)
    if (id !== undefined && method !== 'ping') setTimeout(release, 30)
    if (id !== undefined) held.push(id)
  })`
/** Never answers, and ignores its closed input and SIGTERM. */
const deaf = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); process.stdin.resume()`
const env = { PATH: process.env.PATH ?? '' }
const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'write' } })

const isThere = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it.each([1, 2, 3, 4])(
  'the client gets the answers to %i calls that are under way when it closes its input',
  async (count) => {
    const edge = startStdio(late)
    for (let id = 1; id <= count; id++) edge.send(call(id))
    edge.stdin.end()
    const ids: number[] = []
    for (let message = await edge.receive(); message !== null; message = await edge.receive()) ids.push(message.id)
    expect(ids.sort()).toEqual(Array.from({ length: count }, (_, index) => index + 1))
    expect(await edge.code).toBe(0)
  },
)

const cancelled = (requestId: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
})

it('a cancelled call, which the server does not answer, does not delay the end', async () => {
  const edge = startStdio('process.stdin.resume()', { drainMs: 600_000 })
  edge.send(call(1))
  edge.send(cancelled(1))
  edge.stdin.end()
  expect(await edge.receive()).toBeNull()
  expect(await edge.code).toBe(0)
})

it('a call that does not finish gets an error which says that its effect is not known', async () => {
  const edge = startStdio(deaf, { graceMs: 20, drainMs: 20 })
  edge.send(call(1))
  edge.stdin.end()
  const message = expect.stringContaining('may have taken effect')
  expect(await edge.receive()).toMatchObject({ id: 1, error: { code: -32011, message } })
  expect(await edge.receive()).toBeNull()
  // The signal ends a server that does not ignore it yet.
  expect([137, 143]).toContain(await edge.code)
})

it.each(['', deaf])('a server that closes its output can answer nothing, so it is ended: %j', async (rest) => {
  const program = `process.stdin.on('data', () => require('node:fs').closeSync(1));${rest}`
  const edge = startStdio(program, { graceMs: 20 })
  edge.send(call(1))
  expect(await edge.receive()).toMatchObject({ id: 1, error: { code: -32011 } })
  expect(await edge.receive()).toBeNull()
  await edge.code
})

it('a server that closes its input can read no more requests, so it is ended', async () => {
  const program = `require('node:fs').closeSync(0); console.log('{"jsonrpc":"2.0","method":"notifications/message","params":{}}'); setInterval(() => {}, 1000)`
  const edge = startStdio(program, { graceMs: 20 })
  expect(await edge.receive()).toMatchObject({ method: 'notifications/message' })
  edge.send(call(1))
  expect(await edge.receive()).toMatchObject({ id: 1, error: { code: -32011 } })
  expect(await edge.receive()).toBeNull()
  expect(await edge.code).toBe(143)
})

it('a client that asks after its server has ended gets an error', async () => {
  const edge = startStdio('process.exit(127)')
  while (edge.warnings.length === 0) await new Promise(setImmediate)
  edge.send(call(1))
  const message = expect.stringContaining(
    'exit code 127, which often means that a program or an interpreter was not found',
  )
  expect(await edge.receive()).toMatchObject({ id: 1, error: { code: -32011, message } })
  expect(await edge.code).toBe(127)
})

it.each(['inherit', 'ignore'])(
  'a helper that a server leaves behind ends with it, if its pipes are: %s',
  async (stdio) => {
    const program = `
    const { spawn } = require('node:child_process')
    const helper = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], { stdio: '${stdio}' })
    helper.unref()
    require('node:fs').writeSync(1, String(helper.pid))
    process.exit(3)`
    const server = spawnServer({ command: process.execPath, args: ['-e', program], env }, 'files', new PassThrough())
    const output = text(server.stdout).catch(() => '')
    expect(await server.ended).toMatchObject({ code: 3 })
    const pid = Number(await output)
    if (pid > 0) await expect.poll(() => isThere(pid)).toBe(false)
  },
)

it('a helper outside the group of its server does not keep the edge alive', async () => {
  const program = `
    const { spawn } = require('node:child_process')
    const inner = ['-e', 'setTimeout(() => {}, 20_000)']
    spawn(process.execPath, inner, { stdio: 'inherit', detached: true }).unref()
    process.exit(0)`
  const server = spawnServer({ command: process.execPath, args: ['-e', program], env }, 'files', new PassThrough())
  server.stdout.resume().on('error', () => {})
  expect(await server.ended).toMatchObject({ code: 0 })
})

it('a gateway that closes takes no new calls, and calls in flight get their answers', async () => {
  const upstream = await startScripted()
  const reached = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  upstream.script(async (response) => {
    reached.resolve()
    await release.promise
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":1,"result":{}}')
  })
  const world = await startWorld({ files: { url: upstream.url } })
  const answer = world.send('files', { method: 'POST', body: JSON.stringify(call(1)) })
  await reached.promise
  const closed = world.close()
  const refused = await world.send('files', { method: 'POST', body: JSON.stringify(call(2)) })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  release.resolve()
  expect(await (await answer).json()).toMatchObject({ id: 1, result: {} })
  await closed
  await upstream.stop()
})

it('a call in flight of a gateway that closes gets the answers of its client that it needs', async () => {
  const program = `let asking
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line)
    const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
    if (method === 'initialize') say({ id, result: { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 's', version: '1' } } })
    if (method === 'tools/call') say({ id: 'ask', method: 'roots/list' }), asking = id
    if (id === 'ask') say({ id: asking, result: { content: [] } })
  })`
  const files = { command: process.execPath, args: ['-e', program], env }
  const world = await startWorld({ files }, { limits: { drainMs: 600_000 } })
  const post = (body: object, headers: Record<string, string> = {}) =>
    world.send('files', { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', ...body }), headers })
  const opened = await post({ id: 0, method: 'initialize', params: { capabilities: { roots: {} } } })
  await opened.text()
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') as string }
  const calling = await post(call(1), session)
  const events = (calling.body as ReadableStream).pipeThrough(new TextDecoderStream()).getReader()
  let heard = ''
  while (!heard.includes('roots/list')) heard += (await events.read()).value
  const closed = world.close()
  expect((await post(call(2), session)).status).toBe(503)
  expect((await post({ id: 'ask', result: { roots: [] } }, session)).status).toBe(202)
  for (let part = await events.read(); !part.done; part = await events.read()) heard += part.value
  expect(heard).toContain('"id":1,"result":{"content":[]')
  await closed
})

it('a call in flight of an HTTP server without sessions gets the answers of its client while the gateway closes', async () => {
  const upstream = await startScripted()
  const heard = Promise.withResolvers<void>()
  upstream.script(async (response, { body }) => {
    const { id, method, result } = JSON.parse(body)
    if (result) heard.resolve()
    if (method === undefined) return void response.writeHead(202).end()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"jsonrpc":"2.0","id":"ask","method":"roots/list"}\n\n')
    await heard.promise
    response.end(`data: {"jsonrpc":"2.0","id":${id},"result":{"content":[]}}\n\n`)
  })
  const world = await startWorld({ files: { url: upstream.url } }, { limits: { drainMs: 600_000 } })
  const post = (body: object) =>
    world.send('files', { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', ...body }) })
  const calling = await post(call(1))
  const closed = world.close()
  expect((await post(call(2))).status).toBe(503)
  expect((await post({ id: 'ask', result: { roots: [] } })).status).toBe(202)
  expect(await calling.text()).toContain('"id":1,"result":{"content":[]')
  await closed
  await upstream.stop()
})

it.each(['http', 'stdio'])('a call over %s that does not finish in the drain time gets an error', async (kind) => {
  const upstream = await startScripted()
  const reached = Promise.withResolvers<void>()
  upstream.script(() => reached.resolve())
  const program = `${deaf}; process.stdin.on('data', (line) => {
    const { id, method } = JSON.parse(line)
    if (method === 'initialize') console.log(JSON.stringify({ jsonrpc: '2.0', id, result: {} }))
  })`
  const command = { command: process.execPath, args: ['-e', program], env }
  const servers = { files: kind === 'http' ? { url: upstream.url } : command }
  const world = await startWorld(servers, { limits: { drainMs: 50 } })
  const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: {} }
  const opened =
    kind === 'http' ? null : await world.send('files', { method: 'POST', body: JSON.stringify(initialize) })
  await opened?.text()
  const session = opened?.headers.get('mcp-session-id')
  const headers: Record<string, string> = session ? { 'mcp-session-id': session } : {}
  const answer = world.send('files', { method: 'POST', body: JSON.stringify(call(1)), headers })
  await (kind === 'http' ? reached.promise : answer)
  const closed = world.close()
  const body = await (await answer).text()
  expect(body).toContain('"id":1')
  expect(body).toContain('The request may have taken effect')
  await closed
  await upstream.stop()
})

it('the stream of cancelled calls ends, and they do not delay the end of a started server', async () => {
  const program = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line)
    if (method === 'initialize') console.log(JSON.stringify({ jsonrpc: '2.0', id, result: {} }))
  })`
  const files = { command: process.execPath, args: ['-e', program], env }
  const world = await startWorld({ files }, { limits: { drainMs: 600_000 } })
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    world.send('files', { method: 'POST', body: JSON.stringify(body), headers })
  const opened = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params: {} })
  await opened.text()
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') as string }
  const answer = await post([call(1), call(2)], session)
  for (const id of [1, 2]) expect((await post(cancelled(id), session)).status).toBe(202)
  expect(await answer.text()).not.toContain('"id":1')
  // A late answer must not be taken for that of another call.
  expect((await post(call(1), session)).status).toBe(400)
  await world.close()
})
