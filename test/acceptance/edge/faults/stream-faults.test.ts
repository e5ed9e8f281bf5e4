import { connect, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { apiKey, createClient, events, type StreamedEvent } from '@mandate/sdk'
import { expect, onTestFinished, test, vi } from 'vitest'
import { callApi } from '../../call-api.ts'
import { type ControlPlane, startControlPlane, type TestAgent } from '../control-plane.ts'
import { type EdgeInTest, edgeFor } from '../edge-in-test.ts'

const soon = { timeout: 60_000, interval: 100 }
const read = { tool: 'mcp:files/read', args: {} }

/** Starts a server. No heartbeat is due during a test, so what an edge learns comes from its stream. */
async function startPlane(): Promise<ControlPlane> {
  const plane = await startControlPlane({ MANDATE_HEARTBEAT_SECONDS: '600' })
  onTestFinished(() => plane.stop())
  return plane
}

/** Follows the event stream with the SDK until the end of the test. */
async function follow(url: string, credential: string, types: string[]) {
  const [received, closed]: [StreamedEvent[], unknown[]] = [[], []]
  const stopping = new AbortController()
  const opened = Promise.withResolvers<void>()
  const following = (async () => {
    const client = createClient({ url, credential: apiKey(credential) })
    const options = { types, signal: stopping.signal, onOpen: () => opened.resolve() }
    for await (const event of events(client, { ...options, onClose: (lost) => void closed.push(lost) }))
      received.push(event)
  })().catch((error) => {
    if (!stopping.signal.aborted) throw error
  })
  onTestFinished(async () => {
    stopping.abort()
    await following
  })
  await Promise.race([opened.promise, following])
  return { received, closed }
}

const withStream = (url: string, agent: TestAgent) => edgeFor(url, agent, { settings: { MANDATE_EDGE_STREAM: 'on' } })
const verdictOf = async (edge: EdgeInTest, { id }: TestAgent) => (await edge.guardFor(id).decide(read)).verdict

/** Makes changes until it is stopped, also while the server cannot. */
function keepChanging({ server, credential }: ControlPlane) {
  let [made, isStopped] = [0, false]
  const changing = (async () => {
    for (let at = 0; !isStopped; at++) {
      const body = { name: `Place ${at}`, slug: `place-${at}` }
      const answer = await callApi(server, 'POST', '/environments', { body, credential })
      if (answer.status === 201) made++
      else expect(answer.status, JSON.stringify(answer.body)).toBe(503)
      await pause(20)
    }
  })()
  return {
    makes: (more: number) => {
      const expected = made + more
      return vi.waitFor(() => expect(made).toBeGreaterThanOrEqual(expected), soon)
    },
    async stop() {
      isStopped = true
      await changing
    },
  }
}

test.each([
  ['kill -9', 'SIGKILL'],
  ['an orderly restart', 'SIGINT'],
] as const)(
  '%s of PostgreSQL under open streams: no event is lost, and an edge learns later changes',
  { tags: ['long'] },
  async (_, signal) => {
    const plane = await startPlane()
    const { server, credential } = plane
    const agent = await plane.newAgent({ default_effect: 'allow' })
    const edge = await withStream(server.url, agent)
    expect(await verdictOf(edge, agent)).toBe('allow')
    const { received } = await follow(server.url, credential, ['audit.recorded'])
    const changes = keepChanging(plane)
    await changes.makes(20)
    const { pid } = server.database()
    process.kill(pid, signal)
    await vi.waitFor(() => expect(server.database().pid).not.toBe(pid), soon)
    await changes.makes(20)
    await changes.stop()
    const { data } = await plane.ask('GET', '/audit?event_type=environment.created&limit=1000')
    expect(data.length).toBeGreaterThanOrEqual(40)
    await vi.waitFor(() => {
      const ids = new Set(received.map(({ resource }) => resource?.id))
      expect(data.filter(({ id }: { id: string }) => !ids.has(id))).toEqual([])
    }, soon)
    expect(received.map(({ type }) => type)).not.toContain('reset')
    await plane.ask('POST', `/agents/${agent.id}/suspend`)
    await expect.poll(() => verdictOf(edge, agent), soon).toBe('deny')
  },
)

/** Starts a TCP proxy that closes each connection on which nothing was sent for a time. */
async function startIdleProxy(target: string, idleMs: number): Promise<string> {
  const proxy = createServer((client) => {
    const server = connect(Number(new URL(target).port), '127.0.0.1')
    client.setTimeout(idleMs, () => client.destroy())
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.pipe(to)
      from.on('error', () => {})
      from.on('close', () => to.destroy())
    }
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void proxy.close())
  return `http://127.0.0.1:${(proxy.address() as { port: number }).port}`
}

test('streams stay open behind a proxy that cuts connections after 30 idle seconds', { tags: ['long'] }, async () => {
  const plane = await startPlane()
  const proxy = await startIdleProxy(plane.server.url, 30_000)
  const agent = await plane.newAgent({ default_effect: 'allow' })
  const edge = await withStream(proxy, agent)
  const { received, closed } = await follow(proxy, plane.credential, ['policy.saved'])
  await pause(40_000)
  expect(closed).toEqual([])
  expect(edge.log.filter(({ msg }) => String(msg).startsWith('no stream from the control plane'))).toEqual([])
  await plane.ask('PUT', `/policies/${agent.policyId}`, { default_effect: 'deny' })
  await vi.waitFor(() => expect(received.map(({ type }) => type)).toEqual(['policy.saved']), soon)
  await expect.poll(() => verdictOf(edge, agent), soon).toBe('deny')
})
