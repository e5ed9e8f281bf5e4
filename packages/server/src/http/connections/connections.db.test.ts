// May take over 10 s: Node closes slow connections by its own clock, which a test cannot advance.
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createTenant, type TestTenant } from '../../testing/arrange.ts'
import { startTestServer, type TestServer } from '../../testing/start-test-server.ts'

const limits = {
  requestMs: 6000,
  unauthenticatedMs: 1000,
  unauthenticatedPerClient: 1000,
  unauthenticatedTotal: 1000,
}
let server: TestServer
/** Its limits of time are so long that no connection reaches them. */
let patient: TestServer
/** Of its limits of time, only the one for connections without an accepted credential can be reached. */
let unhurried: TestServer
let tenant: TestTenant
const sockets: Socket[] = []

beforeAll(async () => {
  server = await startTestServer({ connections: limits })
  patient = await startTestServer({ connections: { ...limits, unauthenticatedMs: 60_000, requestMs: 60_000 } })
  unhurried = await startTestServer({ connections: { ...limits, requestMs: 600_000 } })
  tenant = await createTenant(server)
})
const closeAll = () => sockets.splice(0).forEach((socket) => void socket.destroy())
afterAll(async () => {
  closeAll()
  await Promise.all([server.stop(), patient.stop(), unhurried.stop()])
})

interface Raw {
  socket: Socket
  received(): string
  /** Resolves when the server has closed the connection. */
  closed: Promise<void>
  isOpen(): boolean
}

/** Opens a TCP connection and sends `text`. */
async function open(text = '', url = server.url): Promise<Raw> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  sockets.push(socket)
  let received = ''
  let isOpen = true
  socket.on('data', (chunk) => (received += chunk))
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      isOpen = false
      resolve()
    })
  })
  await new Promise<void>((resolve) => socket.once('connect', resolve))
  if (text) socket.write(text)
  return { socket, received: () => received, closed, isOpen: () => isOpen }
}

const head = (line: string, headers: Record<string, string>) =>
  `${[line, 'Host: localhost', ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join('\r\n')}\r\n\r\n`
const json = (length: number) => ({ 'Content-Type': 'application/json', 'Content-Length': String(length) })
const bearer = () => ({ Authorization: `Bearer ${tenant.owner.accessToken}` })

describe.concurrent('a connection without an accepted credential is closed after a bounded time', () => {
  it.each([
    ['that sends nothing', () => ''],
    ['that stops within its headers', () => 'POST /api/v1/auth/sign-in HTTP/1.1\r\nHost: x\r\nX-Slow: '],
    ['that sends half a body', () => `${head('POST /api/v1/auth/sign-in HTTP/1.1', json(100))}{"email":`],
    [
      'that sends half a chunk',
      () =>
        `${head('POST /api/v1/auth/register HTTP/1.1', { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' })}50\r\n{`,
    ],
    [
      'that sends half a form',
      () =>
        `${head('POST /approve HTTP/1.1', { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': '50' })}a=`,
    ],
    [
      'whose credential is refused',
      () => `${head('POST /api/v1/api-keys HTTP/1.1', { ...json(100), Authorization: 'Bearer nonsense' })}{`,
    ],
    ['of no path', () => `${head('POST /nowhere HTTP/1.1', json(100))}{`],
  ])('one %s', async (_which, text) => {
    await (await open(text())).closed
  })

  it('one that sends its body one byte at a time', async () => {
    const raw = await open(head('POST /api/v1/auth/sign-in HTTP/1.1', json(1000)))
    const dripping = setInterval(() => raw.socket.write('{'), 50)
    try {
      await raw.closed
    } finally {
      clearInterval(dripping)
    }
  })

  it('one with an accepted credential, if its whole request takes too long', async () => {
    const raw = await open(`${head('POST /api/v1/api-keys HTTP/1.1', { ...json(100), ...bearer() })}{`)
    await pause(limits.unauthenticatedMs * 2)
    expect(raw.isOpen()).toBe(true)
    await raw.closed
  })
})

describe('the unread rest of a body is bounded', () => {
  const chunked = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }

  /** Sends chunks of 64 KiB until the connection is closed. Returns how many bytes it sent. */
  async function flood(raw: Raw): Promise<number> {
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    let sent = 0
    while (raw.isOpen() && sent < 512 * 1024 * 1024) {
      sent += chunk.length
      if (!raw.socket.write(chunk)) await pause(1)
    }
    return sent
  }

  it.each([
    ['a refused credential', () => head('POST /api/v1/api-keys HTTP/1.1', { ...chunked, Authorization: 'Bearer no' })],
    ['a path that does not exist', () => head('POST /nowhere HTTP/1.1', chunked)],
    ['a public read', () => head('GET /healthz HTTP/1.1', chunked)],
    ['a read with a credential', () => head('GET /api/v1/tenants HTTP/1.1', { ...chunked, ...bearer() })],
  ])('of %s: an endless body closes the connection', async (_which, text) => {
    const raw = await open(text(), patient.url)
    expect(await flood(raw)).toBeLessThan(512 * 1024 * 1024)
    expect(raw.isOpen()).toBe(false)
    expect(raw.received()).toMatch(/^HTTP\/1\.1 (?:200|401|404) /)
  })

  it.concurrent.each([
    [
      'a refused credential',
      () => head('POST /api/v1/api-keys HTTP/1.1', { ...json(100), Authorization: 'Bearer no' }),
    ],
    ['a public read', () => head('GET /healthz HTTP/1.1', json(100))],
    ['a read with a credential', () => head('GET /api/v1/tenants HTTP/1.1', { ...json(100), ...bearer() })],
  ])('of %s: a body that stays incomplete closes the connection in time', async (_which, text) => {
    const raw = await open(`${text()}{`, unhurried.url)
    await raw.closed
    expect(raw.received()).toMatch(/^HTTP\/1\.1 (?:200|401) /)
  })

  it('a refused body of ordinary size keeps the connection open for the next request', async () => {
    const raw = await open(head('POST /api/v1/api-keys HTTP/1.1', { ...json(200_000), Authorization: 'Bearer no' }))
    raw.socket.write('x'.repeat(200_000))
    raw.socket.write(head('GET /healthz HTTP/1.1', { Connection: 'close' }))
    await raw.closed
    expect(raw.received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200'])
  })
})

describe('slow requests that are allowed', () => {
  it('a body of almost 1 MiB that arrives slowly but steadily with an accepted credential is read completely', async () => {
    const body = JSON.stringify({ name: 'slow', scopes: ['agents:read'], filler: 'x'.repeat(1_000_000) })
    const raw = await open(
      head('POST /api/v1/api-keys HTTP/1.1', { ...json(body.length), ...bearer(), Connection: 'close' }),
    )
    const parts = 10
    const size = Math.ceil(body.length / parts)
    for (let at = 0; at < parts; at += 1) {
      raw.socket.write(body.slice(at * size, (at + 1) * size))
      await pause(limits.unauthenticatedMs / 4)
    }
    await raw.closed
    expect(raw.received()).toMatch(/^HTTP\/1\.1 201 /)
  })

  it('a streamed response to a client that reads slowly', async () => {
    // One after the other: on a busy machine, simultaneous requests may exceed the short limits of this test.
    for (let at = 0; at < 10; at++) await tenant.owner.api.post('/environments', { name: `e${at}`, slug: `e${at}` })
    const raw = await open(head('GET /api/v1/audit/export HTTP/1.1', { ...bearer(), Connection: 'close' }))
    raw.socket.pause()
    await pause(limits.unauthenticatedMs * 2)
    raw.socket.resume()
    await raw.closed
    expect(raw.received().match(/environment\.created/g)).toHaveLength(10)
    expect(raw.received()).toMatch(/0\r\n\r\n$/)
  })
})

describe('connections without an accepted credential are limited', () => {
  const perClient = 12
  const few = { ...limits, unauthenticatedMs: 60_000, requestMs: 60_000, unauthenticatedPerClient: perClient }

  it('per client: above the limit the oldest connection is closed, and a new one is served', async () => {
    const roomy = await startTestServer({ connections: few })
    onTestFinished(() => roomy.stop())
    onTestFinished(closeAll)
    const idle: Raw[] = []
    for (let at = 0; at < perClient + 5; at += 1) idle.push(await open('', roomy.url))
    await Promise.all(idle.slice(0, 5).map(({ closed }) => closed))
    expect(idle.filter(({ isOpen }) => isOpen())).toHaveLength(perClient)
    const fresh = await open(head('GET /healthz HTTP/1.1', { Connection: 'close' }), roomy.url)
    await fresh.closed
    expect(fresh.received()).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('in total, if a proxy hides the clients', async () => {
    const proxied = await startTestServer({ trustProxy: true, connections: { ...few, unauthenticatedTotal: 20 } })
    onTestFinished(() => proxied.stop())
    onTestFinished(closeAll)
    const idle: Raw[] = []
    for (let at = 0; at < 23; at += 1) idle.push(await open('', proxied.url))
    await Promise.all(idle.slice(0, 3).map(({ closed }) => closed))
    expect(idle.filter(({ isOpen }) => isOpen())).toHaveLength(20)
  })

  it('a connection with an accepted credential no longer counts and is not closed for others', async () => {
    const roomy = await startTestServer({ connections: few })
    onTestFinished(() => roomy.stop())
    onTestFinished(closeAll)
    const own = await createTenant(roomy)
    const known = await open(
      head('GET /api/v1/tenants HTTP/1.1', { Authorization: `Bearer ${own.owner.accessToken}` }),
      roomy.url,
    )
    while (!known.received().includes('"tenant"')) await pause(10)
    const idle: Raw[] = []
    for (let at = 0; at < perClient * 2; at += 1) idle.push(await open('', roomy.url))
    await Promise.all(idle.slice(0, perClient).map(({ closed }) => closed))
    expect(known.isOpen()).toBe(true)
  })
})
