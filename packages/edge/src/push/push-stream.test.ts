import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ControlPlaneAway } from '../control-plane/control-plane.ts'
import { planeStreamsAt } from '../control-plane/plane-stream.ts'
import { type PushLimits, PushStream, type PushStreamParts, reconnectWaitMs } from './push-stream.ts'
import type { PushedEvent } from './read-events.ts'

/** A control plane whose streams a test answers. */
async function startPlane() {
  const streams: ServerResponse[] = []
  const asked: string[] = []
  const plane = { status: 200, type: 'text/event-stream', isSilent: false }
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization}`)
    streams.push(response)
    response.writeHead(plane.status, { 'content-type': plane.type })
    if (plane.status !== 200) response.end()
    else if (plane.isSilent) response.flushHeaders()
    else response.write(': connected\n\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { plane, streams, asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function startStream(limits: Partial<PushLimits> = {}, more: Partial<PushStreamParts> = {}) {
  const { url, ...plane } = await startPlane()
  const events: PushedEvent[] = []
  const log: string[] = []
  const levels: (string | undefined)[] = []
  const waits: number[] = []
  const note = ({ msg, level, wait_ms }: { msg: string; level: number; wait_ms?: number }) => {
    log.push(msg)
    levels.push(pino.levels.labels[level])
    if (wait_ms !== undefined) waits.push(wait_ms)
  }
  const seen = { opened: 0, keyRefused: 0 }
  const stream = new PushStream({
    streams: planeStreamsAt(url, 'ek_test'),
    instanceId: 'one/two',
    onOpen: () => seen.opened++,
    onEvent: (event) => void events.push(event),
    onKeyRefused: () => seen.keyRefused++,
    log: pino({ level: 'info' }, { write: (line: string) => note(JSON.parse(line)) }),
    limits: { spreadMs: 1, longestBackOffMs: 1, ...limits },
    ...more,
  })
  onTestFinished(() => stream.close())
  return { ...plane, events, log, levels, waits, seen }
}

const lost = 'no stream from the control plane; changes arrive with heartbeats until it is back'
const back = 'the stream of the control plane is back'

test('receives events, and names the instance and the key', async () => {
  const { streams, asked, events, seen } = await startStream()
  await vi.waitFor(() => expect(seen.opened).toBe(1))
  expect(asked).toEqual(['/edge/stream?instance_id=one%2Ftwo Bearer ek_test'])
  streams[0]?.write('event: profile\ndata: {"agent_id":"a"}\n\n')
  await vi.waitFor(() => expect(events).toEqual([{ type: 'profile', data: { agent_id: 'a' } }]))
})

test('connects again when the stream ends or breaks, and logs each change once', async () => {
  const { streams, log, seen } = await startStream()
  await vi.waitFor(() => expect(seen.opened).toBe(1))
  streams[0]?.end()
  await vi.waitFor(() => expect(seen.opened).toBe(2))
  streams[1]?.destroy()
  await vi.waitFor(() => expect(seen.opened).toBe(3))
  expect(log).toEqual([lost, back, lost, back])
})

test('warns once if the second attempt in a row brings no stream either', async () => {
  const { plane, streams, asked, levels, seen } = await startStream()
  await vi.waitFor(() => expect(seen.opened).toBe(1))
  plane.status = 502
  streams[0]?.end()
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(4))
  expect(levels).toEqual(['info', 'warn'])
})

test('gives up a stream that stays silent, as behind a proxy that buffers', async () => {
  const { plane, streams, asked, seen } = await startStream({ quietMs: 50 })
  await vi.waitFor(() => expect(seen.opened).toBe(1))
  plane.isSilent = true
  streams[0]?.end()
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(3))
  expect(seen.opened).toBe(1)
  plane.isSilent = false
  await vi.waitFor(() => expect(seen.opened).toBeGreaterThan(1))
})

test('does not take a page of a proxy for a stream', async () => {
  const { plane, streams, asked, seen } = await startStream()
  await vi.waitFor(() => expect(seen.opened).toBe(1))
  plane.type = 'text/html'
  streams[0]?.end()
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(3))
  expect(seen.opened).toBe(1)
})

test('says that the key was refused', async () => {
  const { plane, streams, seen } = await startStream()
  await vi.waitFor(() => expect(seen.opened).toBe(1))
  plane.status = 401
  streams[0]?.end()
  await vi.waitFor(() => expect(seen.keyRefused).toBeGreaterThan(0))
  plane.status = 200
  await vi.waitFor(() => expect(seen.opened).toBe(2))
})

test('reads the next event after the one before was handled', async () => {
  const released = Promise.withResolvers<void>()
  const handled: unknown[] = []
  const { streams } = await startStream(
    {},
    {
      async onEvent({ data }) {
        handled.push(data)
        await released.promise
        handled.push('done')
      },
    },
  )
  await vi.waitFor(() => expect(streams.length).toBe(1))
  streams[0]?.write('event: a\ndata: 1\n\nevent: a\ndata: 2\n\n')
  await vi.waitFor(() => expect(handled).toEqual([1]))
  released.resolve()
  await vi.waitFor(() => expect(handled).toEqual([1, 'done', 2, 'done']))
})

test('closes a stream whose event is refused, and opens another one', async () => {
  const { streams, seen } = await startStream(
    {},
    {
      async onEvent() {
        throw new Error('refused')
      },
    },
  )
  await vi.waitFor(() => expect(seen.opened).toBe(1))
  const closed = once(streams[0] as ServerResponse, 'close')
  streams[0]?.write('event: a\ndata: 1\n\n')
  await closed
  await vi.waitFor(() => expect(seen.opened).toBe(2))
})

test.each([
  ['soon', 60_000, [0, 2, 2]],
  ['after some time', 0, [0, 0, 0]],
])('waits longer after short streams, not after long ones: streams that ended %s', async (_, steadyMs, expected) => {
  const { streams, seen, waits } = await startStream({ steadyMs, longestBackOffMs: 4 }, { random: () => 0 })
  for (const n of [1, 2, 3]) {
    await vi.waitFor(() => expect(seen.opened).toBe(n))
    streams.at(-1)?.end()
  }
  await vi.waitFor(() => expect(waits).toEqual(expected))
})

test('an outage before a short stream does not make the next wait longer', async () => {
  const { plane, streams, asked, seen, waits } = await startStream({ longestBackOffMs: 16 }, { random: () => 0 })
  await vi.waitFor(() => expect(seen.opened).toBe(1))
  plane.status = 502
  streams[0]?.end()
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(4))
  plane.status = 200
  await vi.waitFor(() => expect(seen.opened).toBe(2))
  const before = waits.length
  streams.at(-1)?.end()
  await vi.waitFor(() => expect(seen.opened).toBe(3))
  // The second stream in a row that ended soon. The one before the outage was the first.
  expect(waits.slice(before)).toEqual([8])
})

test('waits longer after each stream that ended soon, and a random part of the time, up to a minute', () => {
  const longest = [1, 2, 3, 4, 5, 6, 7, 100].map((failures) => reconnectWaitMs(failures, undefined, () => 1))
  expect(longest).toEqual([5_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
  const shortest = [1, 2, 3, 100].map((failures) => reconnectWaitMs(failures, undefined, () => 0))
  expect(shortest).toEqual([0, 2_000, 4_000, 30_000])
})

test.each([503, 401])(
  'a stream that is refused with %d is opened at once when a heartbeat is answered',
  async (status) => {
    const longMs = 600_000
    const limits = { spreadMs: longMs, longestBackOffMs: longMs }
    const { url, plane, asked } = await startPlane()
    plane.status = status
    const waits: unknown[] = []
    let opened = 0
    const stream = new PushStream({
      streams: planeStreamsAt(url, 'ek_test'),
      instanceId: 'one',
      onOpen: () => opened++,
      onEvent: () => {},
      onKeyRefused: () => {},
      log: pino({ level: 'info' }, { write: (line: string) => waits.push(line) }),
      random: () => 1,
      limits,
    })
    onTestFinished(() => stream.close())
    await vi.waitFor(() => expect(waits).toHaveLength(1))
    expect(asked).toHaveLength(1)
    plane.status = 200
    stream.retryNow()
    await vi.waitFor(() => expect(opened).toBe(1))
  },
)

test('a stream that is refused with Retry-After is not opened before that time, also if heartbeats are answered', async () => {
  const opened: string[] = []
  const pauses: { ms: number; signal: AbortSignal; end: () => void }[] = []
  const stream = new PushStream({
    streams: {
      open: async (path) => {
        opened.push(path)
        throw new ControlPlaneAway('too many open streams of this key', 30_000, 429)
      },
    },
    instanceId: 'one',
    onOpen: () => {},
    onEvent: () => {},
    onKeyRefused: () => {},
    log: pino({ level: 'silent' }),
    random: () => 1,
    pause: (ms, signal) =>
      new Promise((end) => {
        if (signal.aborted) return end()
        signal.addEventListener('abort', () => end())
        pauses.push({ ms, signal, end })
      }),
  })
  onTestFinished(() => stream.close())
  await vi.waitFor(() => expect(pauses).toHaveLength(1))
  stream.retryNow()
  expect(pauses[0]).toMatchObject({ ms: 30_000, signal: { aborted: false } })
  pauses[0]?.end()
  await vi.waitFor(() => expect(pauses).toHaveLength(2))
  expect([pauses[1]?.ms, opened.length]).toEqual([5_000, 1])
  stream.retryNow()
  await vi.waitFor(() => expect(pauses).toHaveLength(3))
  expect([pauses[2]?.ms, opened.length]).toEqual([30_000, 2])
})
