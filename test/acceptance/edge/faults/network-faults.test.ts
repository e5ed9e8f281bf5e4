// May take over 10 s: breaks the network between a real edge and a real server, and waits until both notice it.
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type FaultProxy, startFaultProxy } from '../../../../packages/server/src/testing/fault-proxy.ts'
import { callApi, register } from '../../call-api.ts'
import { joinControlPlane, type Organization, rule, type TestAgent } from '../control-plane.ts'
import { type EdgeInTest, edgeFor } from '../edge-in-test.ts'
import { type Json, type Middle, startMiddle } from '../middle.ts'
import { missedMs } from '../served-edge.ts'
import { breakAfter, buffer, pass, type ResponseFault, repeat, stall, stopAfter } from './response-faults.ts'

let plane: Organization

// Heartbeats are every second.
beforeAll(async () => {
  plane = await joinControlPlane()
})

const soon = { timeout: 60_000 }
const read = { tool: 'mcp:files/read', args: {} }
const write = { tool: 'mcp:files/write', args: {} }
const connected = ': connected\n\n'
const lost = 'no stream from the control plane'
const pushLimits = { quietMs: 1_000, spreadMs: 50, longestBackOffMs: 200 }
const newAgent = () => plane.newAgent({ rules: [rule('allow', ['mcp:files/read'])] })
const verdictOf = async (edge: EdgeInTest, { id }: TestAgent, call = read) =>
  (await edge.guardFor(id).decide(call)).verdict
const said = (edge: EdgeInTest, text: string) => edge.log.filter(({ msg }) => String(msg).startsWith(text))
const isStream = ({ path }: { path: string }) => path.startsWith('/edge/stream')
const isBeat = ({ path }: { path: string }) => path === '/edge/heartbeat'

/** Starts an edge with a stream. It keeps its policy for a minute without heartbeats, so that a slow machine changes no verdict. */
const withStream = (agent: TestAgent, url: string) =>
  edgeFor(url, agent, { pushLimits, settings: { MANDATE_EDGE_STREAM: 'on' } })

/** Spoils the responses to some requests. */
function spoil(middle: Middle, isSpoiled: (request: { path: string }) => boolean, fault: ResponseFault): void {
  middle.take = (taken) => {
    if (!isSpoiled(taken)) return false
    fault(taken).catch(() => taken.response.destroy())
    return true
  }
}

/** Changes what the agent may do, and waits until the edge denies its calls, and allows them again. */
async function learnsChanges(edge: EdgeInTest, agent: TestAgent): Promise<void> {
  expect([await verdictOf(edge, agent), await verdictOf(edge, agent, write)]).toEqual(['allow', 'deny'])
  await plane.ask('POST', `/agents/${agent.id}/suspend`)
  await expect.poll(() => verdictOf(edge, agent), soon).toBe('deny')
  await plane.ask('POST', `/agents/${agent.id}/resume`)
  await expect.poll(() => verdictOf(edge, agent), soon).toBe('allow')
  expect(await verdictOf(edge, agent, write)).toBe('deny')
}

/** Waits until the stream of the edge brings a freeze. A freeze between two streams is not told, so it is repeated. */
async function hasStream(edge: EdgeInTest, agent: TestAgent): Promise<void> {
  const freezeOnce = async () => {
    const { id } = await plane.ask('POST', '/freezes', { scope: 'agent', agent_id: agent.id, reason: 'test' })
    await plane.ask('POST', `/freezes/${id}/lift`, { reason: 'over' })
    return said(edge, 'a freeze stops agents').length
  }
  await expect.poll(freezeOnce, { ...soon, interval: 500 }).toBeGreaterThan(0)
  await expect.poll(() => verdictOf(edge, agent), soon).toBe('allow')
}

describe('an edge whose stream', () => {
  const faults: [string, ResponseFault][] = [
    ['is buffered by a proxy', buffer],
    ['brings headers and no byte', stall],
    ['stops in the middle of an event', stopAfter(`${connected}event: profile\ndata: {"agent_id":"`)],
    ['breaks in the middle of an event', breakAfter(`${connected}event: profile\ndata: {"agent_id":"`)],
    ['ends after its first byte', breakAfter(':')],
    ['brings events without a meaning', stopAfter(`${connected}event: profile\ndata: [1]\n\nevent: x\ndata: {\n\n`)],
    ['is a 502 page without an end', repeat(502, 'text/html', '<p>Bad gateway</p>'.repeat(1_000))],
    ['is a page without an end', repeat(200, 'text/html', '<p>Sign in</p>'.repeat(1_000))],
  ]
  for (const [what, fault] of faults)
    it(`${what} learns changes from heartbeats, connects again, and uses the stream when it works`, {
      tags: fault === buffer ? [] : ['long'],
    }, async () => {
      const agent = await newAgent()
      const middle = await startMiddle(plane.server.url)
      spoil(middle, isStream, fault)
      const edge = await withStream(agent, middle.url)
      await learnsChanges(edge, agent)
      await expect
        .poll(() => middle.seen.filter((path) => path.includes('/edge/stream')).length, soon)
        .toBeGreaterThan(3)
      expect(said(edge, lost).length).toBeGreaterThan(0)
      expect(said(edge, 'a freeze stops agents')).toEqual([])
      spoil(middle, isStream, pass)
      await hasStream(edge, agent)
    })

  it.each([
    ['a line', `data: ${'x'.repeat(16_384)}`],
    ['an event', `data: ${'x'.repeat(16_384)}\n`],
  ])('brings %s without an end closes it, and reads little of it', async (_, text) => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const sent: number[] = []
    spoil(
      middle,
      isStream,
      repeat(200, 'text/event-stream', text, (bytes) => sent.push(bytes)),
    )
    const edge = await withStream(agent, middle.url)
    await expect.poll(() => sent.length, soon).toBeGreaterThan(3)
    // What the sockets of both sides hold is more than what the edge has read.
    expect(Math.max(...sent)).toBeLessThan(32 * 1024 * 1024)
    expect(said(edge, lost)).toContainEqual(expect.objectContaining({ reason: 'an event of the stream is too long' }))
    await learnsChanges(edge, agent)
  })
})

describe('an edge whose connections', () => {
  async function behindProxy() {
    const agent = await newAgent()
    const { hostname: host, port } = new URL(plane.server.url)
    const proxy = await startFaultProxy({ host, port: Number(port) })
    onTestFinished(() => proxy.close())
    return { agent, proxy, start: () => withStream(agent, `http://127.0.0.1:${proxy.port}`) }
  }

  it('are cut while idle learns changes, and connects again', async () => {
    const { agent, proxy, start } = await behindProxy()
    // A start ends if its request is cut, and on a slow machine an answer may take longer than the limit.
    const edge = await start()
    proxy.idleMs = 300
    proxy.reset()
    await learnsChanges(edge, agent)
    await expect.poll(() => said(edge, lost).length, soon).toBeGreaterThan(3)
    proxy.idleMs = 0
    await hasStream(edge, agent)
  })

  it.each<[string, (proxy: FaultProxy) => void]>([
    ['fall silent', (proxy) => proxy.silence()],
    ['are closed on one side', (proxy) => proxy.halfClose()],
    ['are reset', (proxy) => proxy.reset()],
  ])('%s learns changes, and connects again each time', { tags: ['long'] }, async (_, befall) => {
    const { agent, proxy, start } = await behindProxy()
    const edge = await start()
    edge.limitHeartbeats(1_000)
    for (let n = 0; n < 3; n++) {
      await hasStream(edge, agent)
      const { opened } = proxy
      befall(proxy)
      await learnsChanges(edge, agent)
      await expect.poll(() => proxy.opened, soon).toBeGreaterThan(opened)
      edge.log.splice(0)
    }
    await hasStream(edge, agent)
  })
})

describe('an edge whose heartbeats', () => {
  it.each<[string, ResponseFault]>([
    ['get no answer', buffer],
    ['get the begin of an answer', stopAfter('{"interval_s": 1, "agents": [')],
    ['get an answer that breaks off', breakAfter('{"interval_s": 1, "agents": [')],
    ['get a 502 page', repeat(502, 'text/html', '<p>Bad gateway</p>'.repeat(1_000))],
    ['get an answer without an end', repeat(200, 'application/json', ' '.repeat(16_384))],
  ])(
    '%s decides by its policy until too many were missed, then denies, and goes on with the next answer',
    async (_, fault) => {
      const agent = await newAgent()
      const middle = await startMiddle(plane.server.url)
      const edge = await edgeFor(middle.url, agent)
      edge.limitHeartbeats(100)
      spoil(middle, isBeat, fault)
      await edge.refresh()
      expect(said(edge, 'cannot reach the control plane').length).toBe(1)
      edge.advance({ wallMs: missedMs, monotonicMs: missedMs })
      expect(await verdictOf(edge, agent)).toBe('deny')
      middle.take = () => false
      edge.limitHeartbeats(60_000)
      await edge.refresh()
      expect([await verdictOf(edge, agent), await verdictOf(edge, agent, write)]).toEqual(['allow', 'deny'])
    },
  )
})

describe('a freeze of another organization', () => {
  /** Freezes another organization of the same server. Returns the signed event that its edges receive. */
  async function foreignFreeze(): Promise<Json> {
    const { credential } = await register(plane.server, 'other@example.com')
    const ask = async (method: string, path: string, body?: unknown) =>
      (await callApi(plane.server, method, path, { body, credential })).body
    const { data } = await ask('GET', '/environments')
    const { edge_key: key } = await ask('POST', '/edges', { name: 'edge', environment_id: data[0].id })
    const ended = new AbortController()
    const { body } = await fetch(`${plane.server.url}/api/v1/edge/stream`, {
      headers: { authorization: `Bearer ${key}` },
      signal: ended.signal,
    })
    let text = ''
    let isFrozen = false
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      text += new TextDecoder().decode(chunk)
      if (!isFrozen) await ask('POST', '/freezes', { scope: 'organization', reason: 'test' })
      isFrozen = true
      const [, event] = /event: freeze\ndata: (.*)\n\n/.exec(text) ?? []
      if (event !== undefined) return JSON.parse(event)
    }
    throw new Error('the stream ended before the freeze')
  }

  it('that someone replays stops no agent, although its signature is valid', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const event = await foreignFreeze()
    expect(event).toMatchObject({ scope: 'organization', tenant_id: expect.any(String), signature: expect.any(String) })
    spoil(middle, isStream, stopAfter(`${connected}event: freeze\ndata: ${JSON.stringify(event)}\n\n`))
    const edge = await withStream(agent, middle.url)
    const refused = () => said(edge, 'freeze refused: it is of another organization')
    await expect.poll(() => refused().length, soon).toBeGreaterThan(1)
    expect(refused()[0]).toMatchObject({ freeze_id: event.id, tenant_id: event.tenant_id })
    expect(await verdictOf(edge, agent)).toBe('allow')
    expect(said(edge, 'a freeze stops agents')).toEqual([])
    spoil(middle, isStream, pass)
    await hasStream(edge, agent)
  })
})
