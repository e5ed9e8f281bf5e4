import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type GatewayWorld, newToken, startWorld } from '../testing/gateway-world.ts'
import { allowAll, policyGuard, rulesFor } from '../testing/policy-guard.ts'
import { everything } from '../testing/servers.ts'
import { echo } from '../testing/stdio-world.ts'

const soon = { timeout: 60_000 }
const node = process.execPath
const servers = {
  everything: { command: node, args: [everything, 'stdio'], env: {} },
  files: { command: node, args: ['-e', echo], env: {} },
}
const request = (id: number, params: object = {}) => ({ jsonrpc: '2.0', id, method: 'ping', params })

async function worldFor(options: Parameters<typeof startWorld>[1] = {}): Promise<GatewayWorld> {
  const world = await startWorld(servers, options)
  onTestFinished(() => world.close())
  return world
}

/** The official client with connections that a test can break. */
async function breakableClient(world: GatewayWorld) {
  const broken = new Set<AbortController>()
  const fetchBreakable = (url: string | URL, init: RequestInit = {}) => {
    const connection = new AbortController()
    broken.add(connection)
    const signals = [connection.signal, ...(init.signal ? [init.signal] : [])]
    return fetch(url, { ...init, signal: AbortSignal.any(signals) })
  }
  const once = { initialReconnectionDelay: 1, maxReconnectionDelay: 1, reconnectionDelayGrowFactor: 1, maxRetries: 5 }
  const transport = new StreamableHTTPClientTransport(new URL('/mcp/everything', world.url), {
    requestInit: { headers: { authorization: `Bearer ${world.token}` } },
    fetch: fetchBreakable,
    reconnectionOptions: once,
  })
  const client = new Client({ name: 'test-client', version: '1.0.0' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  const breakAll = () => {
    for (const connection of broken) connection.abort()
    broken.clear()
  }
  return { client, breakAll }
}

const longCall = { name: 'trigger-long-running-operation', arguments: { duration: 0.4, steps: 4 } }

describe('the official client whose connections break during a call to a started server', () => {
  it('gets every message of the call once, and its result', async () => {
    const { client, breakAll } = await breakableClient(await worldFor())
    const told: number[] = []
    const onprogress = ({ progress }: { progress: number }) => {
      told.push(progress)
      if (progress % 2 === 1) breakAll()
    }
    const result = await client.callTool(longCall, { onprogress })
    expect(told).toEqual([1, 2, 3, 4])
    expect(result.content).toMatchObject([{ text: expect.stringContaining('completed') }])
  })

  it('gets its result if the connection breaks before the first message', async () => {
    const { client, breakAll } = await breakableClient(await worldFor())
    const told: string[] = []
    const onresumptiontoken = (token: string) => {
      if (told.push(token) === 1) breakAll()
    }
    expect((await client.callTool(longCall, { onresumptiontoken })).content).toHaveLength(1)
    expect(told).toEqual([expect.stringMatching(/-0$/), expect.stringMatching(/-1$/)])
  })
})

interface Event {
  id: string
  data: string
}

/** A stream of a session, read event by event. */
async function open(world: GatewayWorld, method: 'GET' | 'POST', headers: Record<string, string>, message?: object) {
  const gone = new AbortController()
  const body = message ? JSON.stringify(message) : null
  const answer = await world.send('files', { method, headers, body, signal: gone.signal })
  const events = eventsOf(answer)
  return {
    status: answer.status,
    headers: answer.headers,
    next: async () => (await events.next()).value as Event,
    rest: async () => {
      const rest: Event[] = []
      for await (const event of events) rest.push(event)
      return rest
    },
    hangUp: () => gone.abort(),
  }
}

async function* eventsOf(answer: Response): AsyncGenerator<Event, undefined> {
  let held = ''
  for await (const chunk of (answer.body ?? new Blob().stream()).pipeThrough(new TextDecoderStream())) {
    held += chunk
    const blocks = held.split('\n\n')
    held = blocks.pop() ?? ''
    for (const block of blocks) {
      yield { id: /^id: (.*)$/m.exec(block)?.[1] ?? '', data: /^data: (.*)$/m.exec(block)?.[1] ?? '' }
    }
  }
  return undefined
}

async function openSession(world: GatewayWorld, more: Record<string, string> = {}): Promise<Record<string, string>> {
  const { headers, rest } = await open(world, 'POST', more, { ...request(0), method: 'initialize' })
  await rest()
  return { ...more, 'mcp-session-id': headers.get('mcp-session-id') as string, 'mcp-protocol-version': '2025-11-25' }
}

const note = (text: string) =>
  `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { text } })}\n`
const idOf = ({ data }: Event) => JSON.parse(data).id
const saidBy = ({ data }: Event) => JSON.parse(data).params?.text

describe('a stream of a session', () => {
  it('continues after its last event, with its own events only', async () => {
    const world = await worldFor()
    const session = await openSession(world)
    const listening = await open(world, 'GET', session)
    const primed = await listening.next()
    expect(primed).toMatchObject({ id: expect.stringMatching(/-0-0$/), data: '' })
    await (await open(world, 'POST', session, request(1, { write: ['a', 'b', 'c'].map(note).join('') }))).rest()
    const heard = [await listening.next(), await listening.next(), await listening.next()]
    expect(heard.map(saidBy)).toEqual(['a', 'b', 'c'])
    listening.hangUp()
    for (const [index, after] of [primed, ...heard].entries()) {
      const again = await open(world, 'GET', { ...session, 'last-event-id': after.id })
      const missed: Event[] = []
      while (missed.length < 3 - index) missed.push(await again.next())
      expect(missed).toEqual(heard.slice(index))
      again.hangUp()
    }
  })

  it('replays the rest of an ended stream and ends', async () => {
    const world = await worldFor()
    const session = await openSession(world)
    const asked = await open(world, 'POST', session, request(1))
    const [primed, answer] = await asked.rest()
    const again = await open(world, 'GET', { ...session, 'last-event-id': (primed as Event).id })
    expect(await again.rest()).toEqual([answer])
    expect(idOf(answer as Event)).toBe(1)
  })

  it('leaves its earlier connection, which may be dead without notice', async () => {
    const world = await worldFor()
    const session = await openSession(world)
    const before = await open(world, 'GET', session)
    const { id } = await before.next()
    const after = await open(world, 'GET', { ...session, 'last-event-id': id })
    expect(await before.rest()).toEqual([])
    await (await open(world, 'POST', session, request(1, { write: note('a') }))).rest()
    expect(saidBy(await after.next())).toBe('a')
    after.hangUp()
  })

  it('does not begin with an empty event for a client of an older revision', async () => {
    const world = await worldFor()
    const session = { ...(await openSession(world)), 'mcp-protocol-version': '2025-06-18' }
    const [answer] = await (await open(world, 'POST', session, request(1))).rest()
    expect(idOf(answer as Event)).toBe(1)
  })

  it('is not resumed by an event of another session, or by another client', async () => {
    const token = newToken()
    const world = await worldFor({ clients: [{ token, guard: policyGuard(allowAll) }] })
    const [session, other] = [await openSession(world), await openSession(world)]
    const foreign = await openSession(world, { authorization: `Bearer ${token}` })
    const [{ id } = { id: '' }] = await (await open(world, 'POST', session, request(1, { write: note('a') }))).rest()
    for (const mine of [other, foreign]) {
      await (await open(world, 'POST', mine, request(1, { write: note('b') }))).rest()
      const answer = await world.send('files', { method: 'GET', headers: { ...mine, 'last-event-id': id } })
      expect(answer.status).toBe(400)
      expect(await answer.json()).toMatchObject({ error: { code: -32600 } })
    }
    const stolen = { ...session, authorization: `Bearer ${token}`, 'last-event-id': id }
    expect((await world.send('files', { method: 'GET', headers: stolen })).status).toBe(404)
  })
})

describe('the events that a session keeps', () => {
  it('are dropped when the rules change, because they were inspected under the old ones', async () => {
    const world = await worldFor()
    const session = await openSession(world)
    const [primed] = await (await open(world, 'POST', session, request(1))).rest()
    world.guard.change(rulesFor({ 'mcp:files/read': 'deny' }))
    const headers = { ...session, 'last-event-id': (primed as Event).id }
    expect((await world.send('files', { method: 'GET', headers })).status).toBe(400)
    const [again, answer] = await (await open(world, 'POST', session, request(2))).rest()
    expect(idOf(answer as Event)).toBe(2)
    const resumed = await open(world, 'GET', { ...session, 'last-event-id': (again as Event).id })
    expect(await resumed.rest()).toEqual([answer])
  })

  it('are limited: 400 if an event after the id was dropped, and a new stream continues', async () => {
    const world = await worldFor({ limits: { maxKeptEvents: 4 } })
    const session = await openSession(world)
    const listening = await open(world, 'GET', session)
    const { id } = await listening.next()
    listening.hangUp()
    const write = ['a', 'b', 'c', 'd', 'e'].map(note).join('')
    await open(world, 'POST', session, {
      jsonrpc: '2.0',
      method: 'notifications/roots/list_changed',
      params: { write },
    })
    const resume = async () => {
      const again = await open(world, 'GET', { ...session, 'last-event-id': id })
      again.hangUp()
      return again.status
    }
    await expect.poll(resume, soon).toBe(400)
    const reopened = await open(world, 'GET', session)
    expect(reopened.status).toBe(200)
    reopened.hangUp()
  })

  it('are limited to a number of abandoned streams, and the oldest is dropped', async () => {
    const world = await worldFor()
    const session = await openSession(world)
    const left: Event[] = []
    for (let id = 1; id <= 102; id++) {
      const asked = await open(world, 'POST', session, request(id, { silent: true }))
      left.push(await asked.next())
      asked.hangUp()
    }
    const [first] = left
    const statusOf = async (event: Event | undefined) =>
      (await open(world, 'GET', { ...session, 'last-event-id': event?.id ?? '' })).status
    await expect.poll(() => statusOf(first), soon).toBe(400)
    expect(await statusOf(left.at(-1))).toBe(200)
  })
})

it.each(['the next call', 'a resumed stream'])(
  'a request of the server that came while no stream was open goes to %s',
  async (to) => {
    const program = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
    const { id, method, result } = JSON.parse(line)
    if (method === 'initialize') send({ id, result: {} })
    if (method === 'notifications/initialized') send({ method: 'notifications/message', params: {} })
    if (id === 1) {
      send({ id, result: {} })
      send({ id: 'r', method: 'roots/list' })
    }
    if (id === 'r') send({ id: 2, result: { got: result } })
  })`
    const world = await startWorld({ files: { command: node, args: ['-e', program], env: {} } })
    onTestFinished(() => world.close())
    const post = (body: object, headers: Record<string, string> = {}) =>
      world.send('files', { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', ...body }), headers })
    const opened = await post({ id: 0, method: 'initialize', params: {} })
    await opened.text()
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') as string }
    const cut = new AbortController()
    const listening = await world.send('files', { method: 'GET', headers: session, signal: cut.signal })
    await post({ method: 'notifications/initialized' }, session)
    let seen = ''
    const listener = listening.body?.pipeThrough(new TextDecoderStream()).getReader()
    while (!seen.includes('notifications/message')) seen += (await listener?.read())?.value ?? ''
    cut.abort()
    await expect
      .poll(async () => (await post({ id: 1, method: 'ping' }, session)).text(), soon)
      .not.toContain('roots/list')
    const last =
      seen
        .match(/id: (\S+)/g)
        ?.at(-1)
        ?.slice(4) ?? ''
    const answer =
      to === 'the next call'
        ? await post({ id: 2, method: 'ping' }, session)
        : await world.send('files', { method: 'GET', headers: { ...session, 'last-event-id': last } })
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    let read = ''
    while (!read.includes('roots/list')) read += (await reader?.read())?.value ?? ''
    await post({ id: 'r', result: { roots: [] } }, session)
    if (to === 'the next call') while (!read.includes('"got"')) read += (await reader?.read())?.value ?? ''
    expect(read.match(/roots\/list/g)).toHaveLength(1)
  },
)
