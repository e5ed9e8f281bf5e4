import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runHook } from '../../src/hook/run-hook.ts'
import { type ListenerParts, startListener } from '../../src/listen/listener.ts'
import { openLocalTokens } from '../../src/listen/local-tokens.ts'
import { allowAll, policyGuard } from '../mcp/testing/policy-guard.ts'

const soon = { timeout: 60_000 }
const [first, second] = ['0190a3c5-7e00-7000-8000-000000000001', '0190a3c5-7e00-7000-8000-000000000002'] as const
const call = JSON.stringify({ tool: 'fn:a/b', args: {} })

/** A listener for two agents. Calls of the first agent wait until they are released. */
async function startWaiting(
  limits: Pick<ListenerParts, 'maxOpen' | 'maxConnections' | 'maxRequestBytes' | 'toolServers'>,
) {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-listen-'))
  const tokens = await openLocalTokens(folder, [first, second], undefined)
  const release = Promise.withResolvers<void>()
  const guards = {
    [first]: policyGuard(allowAll, { before: () => release.promise }),
    [second]: policyGuard(allowAll),
  }
  const guardFor = (agentId: string) => guards[agentId as keyof typeof guards]
  const log = pino({ level: 'silent' })
  const listener = await startListener({ host: '127.0.0.1', port: 0, hostNames: [], tokens, guardFor, log, ...limits })
  onTestFinished(async () => {
    release.resolve()
    await listener.close()
    await rm(folder, { recursive: true })
  })
  const headersOf = (agentId: string) => ({
    authorization: `Bearer ${tokens.tokenOf(agentId)}`,
    'content-type': 'application/json',
  })
  return {
    url: `${listener.url}/edge/v1/decide`,
    servers: (init: RequestInit) => fetch(`${listener.url}/edge/v1/servers`, init),
    port: Number(new URL(listener.url).port),
    headersOf,
    tokenOf: (agentId: string) => tokens.tokenOf(agentId),
    release: release.resolve,
    close: () => listener.close(),
    waiting: () => guards[first].decided.length,
    decided: (agentId: typeof first | typeof second) => guards[agentId].decided[0],
    ask: (agentId: string, init: RequestInit = {}) =>
      fetch(`${listener.url}/edge/v1/decide`, { method: 'POST', body: call, headers: headersOf(agentId), ...init }),
  }
}

describe('a request over the maximum size', () => {
  const bodyOf = (length: number) => JSON.stringify({ tool: 'fn:a/b', args: { text: 'x'.repeat(length) } })
  const answerOf = async (world: Awaited<ReturnType<typeof startWaiting>>, length: number) => {
    const answer = await world.ask(second, { body: bodyOf(length) })
    return [answer.status, (await answer.json()).error]
  }
  const refused = (size: string) => [
    413,
    `the body is over ${size}. MANDATE_EDGE_MAX_REQUEST_MB of the edge sets this limit`,
  ]

  it('gets 413 that names the setting, and no broken connection: over 1 MiB, or over the set size', async () => {
    const usual = await startWaiting({ maxOpen: 3 })
    const larger = await startWaiting({ maxOpen: 3, maxRequestBytes: 3 << 20 })
    expect(await answerOf(usual, 1_000_000)).toEqual([200, undefined])
    expect(await answerOf(larger, 3_000_000)).toEqual([200, undefined])
    for (let n = 0; n < 5; n++) {
      expect(await answerOf(usual, 10_000_000)).toEqual(refused('1 MiB'))
      expect(await answerOf(larger, 10_000_000)).toEqual(refused('3 MiB'))
    }
  })

  it('is stopped by a hook, with the reason of the edge', async () => {
    const world = await startWaiting({ maxOpen: 3, maxRequestBytes: 2 << 20 })
    const config = () => ({ url: new URL(world.url).origin, token: world.tokenOf(second) })
    const passes = (length: number) =>
      runHook(JSON.stringify({ tool_name: 'Bash', tool_input: { text: 'x'.repeat(length) } }), 'agent', config)
    expect(await passes(2_000_000)).toEqual({ passes: true })
    const reason = expect.stringContaining('answered 413: the body is over 2 MiB. MANDATE_EDGE_MAX_REQUEST_MB')
    for (let n = 0; n < 5; n++) expect(await passes(20_000_000)).toEqual({ passes: false, reason })
  })
})

describe('open requests of one token', () => {
  it('get 429 with Retry-After above the limit, and another agent is still served', async () => {
    const world = await startWaiting({ maxOpen: 3 })
    const open = Promise.allSettled([1, 2, 3].map(async () => (await world.ask(first)).status))
    await expect.poll(world.waiting, soon).toBe(3)
    const refused = await world.ask(first)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    expect(await refused.json()).toEqual({ error: 'too many requests are open; wait for some to be answered' })
    expect((await world.ask(second)).status).toBe(200)
    world.release()
    expect(await open).toEqual(Array(3).fill({ status: 'fulfilled', value: 200 }))
    await expect.poll(async () => (await world.ask(first)).status, soon).toBe(200)
    expect(world.waiting()).toBeGreaterThanOrEqual(4)
  })

  it('count from their headers until the caller disconnects', async () => {
    const world = await startWaiting({ maxOpen: 1 })
    const slow = request(world.url, { method: 'POST', headers: { ...world.headersOf(first), 'content-length': 10 } })
    slow.on('error', () => {})
    slow.flushHeaders()
    await expect.poll(async () => (await world.ask(first, { body: '{' })).status, soon).toBe(429)
    slow.destroy()
    await expect.poll(async () => (await world.ask(first, { body: '{' })).status, soon).toBe(400)
  })
})

it('ends a connection with its answer once the listener closes, so that a caller who keeps asking cannot keep it open', async () => {
  const world = await startWaiting({ maxOpen: 1 })
  const open = world.ask(first)
  await expect.poll(world.waiting, soon).toBe(1)
  const closed = world.close()
  world.release()
  expect((await open).headers.get('connection')).toBe('close')
  await closed
})

describe('the session and the person of a call', () => {
  it('are passed on, up to 128 and 200 characters', async () => {
    const world = await startWaiting({ maxOpen: 1 })
    const named = { session_id: '\u{1f600}'.repeat(128), on_behalf_of: 'x'.repeat(200) }
    const answer = await world.ask(second, { body: JSON.stringify({ tool: 'fn:a/b', args: {}, ...named }) })
    expect(answer.status).toBe(200)
    expect(world.decided(second)).toMatchObject({ sessionId: named.session_id, onBehalfOf: named.on_behalf_of })
  })

  it.each([
    ['session_id', ''],
    ['session_id', 'x'.repeat(129)],
    ['session_id', 'a\0b'],
    ['session_id', '\ud800'],
    ['session_id', 5],
    ['session_id', null],
    ['on_behalf_of', 'x'.repeat(201)],
    ['on_behalf_of', ''],
  ])('400 for an invalid %s, and nothing is decided: %j', async (name, value) => {
    const world = await startWaiting({ maxOpen: 1 })
    const answer = await world.ask(second, { body: JSON.stringify({ tool: 'fn:a/b', args: {}, [name]: value }) })
    expect(answer.status).toBe(400)
    expect((await answer.json()).error).toMatch(new RegExp(`^${name} must be|^the body`))
    expect(world.decided(second)).toBeUndefined()
  })

  it('400 for a call of an MCP tool whose arguments have two names that differ only in letter case, as through the edge', async () => {
    const world = await startWaiting({ maxOpen: 1 })
    const args = { of: [{ path: '/tmp/a', Path: '/etc/passwd' }] }
    const ask = (call: object) => world.ask(second, { body: JSON.stringify({ args, ...call }) })
    for (const call of [{ tool: 'mcp:files/write' }, { tool: 'fn:a/b', other_tools: ['mcp:files/write'] }]) {
      const answer = await ask(call)
      expect(answer.status).toBe(400)
      expect(await answer.json()).toEqual({ error: 'args: two argument names differ only in letter case' })
    }
    expect(world.decided(second)).toBeUndefined()
    expect((await ask({ tool: 'fn:a/b' })).status).toBe(200)
  })
})

describe('GET /edge/v1/servers', () => {
  it('tells a caller with a token the port for MCP clients and the names of the servers', async () => {
    const found: { port: number; names: string[] }[] = []
    const world = await startWaiting({ maxOpen: 1, toolServers: () => found[0] ?? null })
    const headers = world.headersOf(first)
    expect(await (await world.servers({ headers })).json()).toEqual({ mcp_port: null, servers: [] })
    found.push({ port: 8090, names: ['files'] })
    expect(await (await world.servers({ headers })).json()).toEqual({ mcp_port: 8090, servers: ['files'] })
  })

  it('401 without a token, 403 for a web page, 405 for another method', async () => {
    const world = await startWaiting({ maxOpen: 1 })
    const headers = world.headersOf(first)
    const page = { ...headers, origin: 'http://127.0.0.1' }
    const asked = [{}, { headers: page }, { headers, method: 'POST', body: '{}' }].map((init) => world.servers(init))
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([401, 403, 405])
  })
})

describe('a request before its token is known', () => {
  it('431 for headers over 16 KiB', async () => {
    const world = await startWaiting({ maxOpen: 1 })
    const answer = await world.ask(second, { headers: { ...world.headersOf(second), 'x-long': 'x'.repeat(16_384) } })
    expect(answer.status).toBe(431)
  })

  it('closes connections above the limit and accepts new ones when others end', async () => {
    const world = await startWaiting({ maxOpen: 1, maxConnections: 2 })
    const idle = [connect(world.port, '127.0.0.1'), connect(world.port, '127.0.0.1')]
    await Promise.all(idle.map((socket) => once(socket, 'connect')))
    const closed = connect(world.port, '127.0.0.1').resume()
    closed.on('error', () => {})
    await new Promise((resolve) => closed.once('close', resolve))
    for (const socket of idle) socket.destroy()
    const status = () =>
      world.ask(second).then(
        (answer) => answer.status,
        () => null,
      )
    await expect.poll(status, soon).toBe(200)
  })
})

it('edges that start together with one state folder have the same tokens, and leave no other files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-tokens-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const edges = await Promise.all([1, 2, 3].map(() => openLocalTokens(folder, [first, second], undefined)))
  expect(new Set(edges.map((tokens) => tokens.tokenOf(first))).size).toBe(1)
  expect((await readdir(join(folder, 'tokens'))).toSorted()).toEqual([first, second])
})
