import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { mostStreamsOfCaller } from '@mandate/contract/events'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { addAgent, createTenant, type TestTenant } from '../testing/arrange.ts'
import { addEdge } from '../testing/arrange-agents.ts'
import { type OpenStream, openStream } from '../testing/open-stream.ts'
import { useTestServer } from '../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant
let streams: OpenStream[]

beforeEach(async () => {
  tenant = await createTenant(server)
  streams = []
})
afterEach(() => {
  for (const stream of streams) stream.close()
})

async function open(credential = tenant.owner.accessToken, path = '/events/stream') {
  const stream = await openStream(server.url, credential, { path })
  expect(stream.status).toBe(200)
  streams.push(stream)
  return stream
}

const openToEdge = async () => {
  const edge = await addEdge(server, tenant.id, tenant.development)
  return await open(edge.credential, '/edge/stream')
}

/** Reads one series of `/metrics`. */
async function metric(series: string): Promise<number> {
  const line = (await server.services.metrics.expose()).split('\n').find((text) => text.startsWith(`${series} `))
  if (line === undefined) throw new Error(`no series ${series}`)
  return Number(line.slice(series.length + 1))
}

const becomes = (series: string, value: number) =>
  vi.waitFor(async () => expect(await metric(series)).toBe(value), { timeout: 60_000 })

const openOf = (kind: string) => `mandate_streams_open{kind="${kind}"}`
const sentOf = (kind: string) => `mandate_stream_events_total{kind="${kind}"}`

it('counts open streams by kind, until they are closed', async () => {
  expect([await metric(openOf('events')), await metric(openOf('edge'))]).toEqual([0, 0])
  await Promise.all([open(), open(), openToEdge()])
  expect([await metric(openOf('events')), await metric(openOf('edge'))]).toEqual([2, 1])
  for (const stream of streams) stream.close()
  await becomes(openOf('events'), 0)
  await becomes(openOf('edge'), 0)
})

it('counts an event once for each stream that it is sent on, and no comments', async () => {
  const agentId = await addAgent(server, tenant.id, { environmentId: tenant.development })
  const [one, other] = [await open(), await open()]
  const edge = await openToEdge()
  const before = [await metric(sentOf('events')), await metric(sentOf('edge'))] as const
  expect((await tenant.owner.api.post('/freezes', { scope: 'organization', reason: 'test' })).status).toBe(201)
  for (const stream of [one, other]) await stream.receives(({ type }) => type === 'audit.recorded')
  await edge.receives(({ type }) => type === 'freeze')
  expect((await tenant.owner.api.post(`/agents/${agentId}/suspend`, { reason: 'test' })).status).toBe(200)
  for (const stream of [one, other]) await stream.receives(({ type }) => type === 'agent.changed')
  await becomes(sentOf('events'), before[0] + one.events.length + other.events.length)
  await becomes(sentOf('edge'), before[1] + edge.events.length)
  expect(edge.events.length).toBeGreaterThan(0)
})

it('records the time until a stream is open as its duration, and not how long it stays open', async () => {
  const sum = 'mandate_http_request_duration_seconds_sum{operation="streamEvents"}'
  const count = 'mandate_http_request_duration_seconds_count{operation="streamEvents"}'
  // The streams of the other tests are counted when they are closed.
  await becomes(openOf('events'), 0)
  await pause(100)
  const [sumBefore, countBefore] = [await metric(sum), await metric(count)]
  const started = performance.now()
  const stream = await open()
  const openedAfterMs = performance.now() - started
  await pause(openedAfterMs + 200)
  stream.close()
  await becomes(count, countBefore + 1)
  expect((await metric(sum)) - sumBefore).toBeLessThanOrEqual(openedAfterMs / 1000)
})

it('clients that leave while their streams are opened keep no stream open', async () => {
  const headers = { authorization: `Bearer ${tenant.owner.accessToken}` }
  for (let at = 0; at < 3 * mostStreamsOfCaller; at++) {
    const sent = request(`${server.url}/api/v1/events/stream`, { agent: false, headers })
    sent.on('error', () => {})
    sent.end()
    await pause(at % 10)
    sent.destroy()
  }
  // A busy server may get the last of these requests after the first of the following ones, and then refuses one of them.
  const openAll = async () => {
    const opened = await Promise.all(
      Array.from({ length: mostStreamsOfCaller }, () => openStream(server.url, tenant.owner.accessToken)),
    )
    streams.push(...opened)
    const refused = opened.filter(({ status }) => status !== 200)
    if (refused.length > 0) for (const stream of opened) stream.close()
    expect(refused).toEqual([])
  }
  await vi.waitFor(openAll, { timeout: 60_000, interval: 500 })
  await becomes(openOf('events'), mostStreamsOfCaller)
})

it('says how long ago events were read, while streams are open', async () => {
  const age = 'mandate_events_read_age_seconds'
  await vi.waitFor(async () => expect(await metric(age)).toBe(0), { timeout: 60_000 })
  const stream = await open()
  await vi.waitFor(async () => expect(await metric(age)).toBeGreaterThan(0))
  const started = performance.now()
  expect((await tenant.owner.api.post('/environments', { name: 'New', slug: 'new' })).status).toBe(201)
  await stream.receives(({ type }) => type === 'audit.recorded')
  expect(await metric(age)).toBeLessThanOrEqual((performance.now() - started) / 1000)
})
