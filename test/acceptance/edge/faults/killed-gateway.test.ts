import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { contentHash } from '@mandate/proofs/canonical'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { everything, freePort, startEverything } from '../../../../packages/edge/test/mcp/testing/servers.ts'
import { joinControlPlane, type Organization, rule } from '../control-plane.ts'
import { stateFolder } from '../edge-in-test.ts'
import { type EdgeProcess, startEdgeProcess } from '../edge-process.ts'
import { type Json, type Middle, startMiddle } from '../middle.ts'
import { startTap } from './tap.ts'

let plane: Organization

beforeAll(async () => {
  plane = await joinControlPlane()
})

const soon = { timeout: 60_000 }

/** Returns the decisions that were sent to the control plane, by id. */
function watchDecisions(middle: Middle): Map<string, Json> {
  const sent = new Map<string, Json>()
  middle.tamper = ({ path, body }, answer) => {
    if (path !== '/edge/decisions') return answer
    for (const decision of body.decisions) sent.set(decision.decision_id, decision)
    return answer
  }
  return sent
}

/** The ids of all decisions that the control plane has stored of an agent. */
async function storedIds(agentId: string): Promise<string[]> {
  const ids: string[] = []
  let query = `agent_id=${agentId}&page_size=200`
  for (;;) {
    const { data, next_page_token } = await plane.ask('GET', `/decisions?${query}`)
    ids.push(...data.map(({ decision_id }: Json) => decision_id))
    if (!next_page_token) return ids
    query = `agent_id=${agentId}&page_size=200&page_token=${encodeURIComponent(next_page_token)}`
  }
}

/**
 * Starts a control plane and an edge for one agent. The edge forwards to the reference server `everything` twice: as a remote server
 * and as a child process. It keeps its port across restarts.
 */
async function startWorld() {
  const agent = await plane.newAgent({
    rules: [rule('allow', ['mcp:*/echo', 'mcp:*/trigger-long-running-operation'])],
  })
  const middle = await startMiddle(plane.server.url)
  const sent = watchDecisions(middle)
  const server = await startEverything()
  onTestFinished(server.stop)
  const tap = await startTap(server.url)
  const stateDir = await stateFolder()
  const file = join(stateDir, 'servers.json')
  const started = { command: process.execPath, args: [everything, 'stdio'] }
  await writeFile(file, JSON.stringify({ servers: { far: { url: tap.url }, started } }))
  const port = await freePort()
  const settings = { MANDATE_EDGE_MCP: file, MANDATE_EDGE_MCP_PORT: String(port) }
  const startEdge = () => startEdgeProcess(middle.url, agent, stateDir, { settings })
  return { agent, sent, tap, startEdge, urlOf: (name: string) => new URL(`http://127.0.0.1:${port}/mcp/${name}`) }
}

async function connect(url: URL, { token }: EdgeProcess): Promise<Client> {
  const client = new Client({ name: 'agent', version: '1.0.0' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
  onTestFinished(() => client.close())
  return client
}

async function kill(edge: EdgeProcess): Promise<void> {
  edge.child.kill('SIGKILL')
  await once(edge.child, 'exit')
}

const textOf = (result: Json): string => result.content[0].text
const digestOf = (name: string, args: Json) => contentHash({ tool: `mcp:far/${name}`, args })

it('after kill -9 during HTTP calls, no denied call passed, each call is recorded once, and clients continue', async () => {
  const { agent, sent, tap, startEdge, urlOf } = await startWorld()
  const echoed: string[] = []
  const denied: string[] = []
  let calls = 0

  /** Makes allowed and denied calls in turn, until the edge is gone. */
  async function work(client: Client): Promise<void> {
    for (;;) {
      const message = `call ${calls++}`
      const allowed = await client.callTool({ name: 'echo', arguments: { message } }).catch(() => null)
      if (allowed === null) return
      expect(textOf(allowed)).toBe(`Echo: ${message}`)
      echoed.push(message)
      const forbidden = await client.callTool({ name: 'get-env', arguments: { message } }).catch(() => null)
      if (forbidden === null) return
      expect(forbidden.isError).toBe(true)
      denied.push((forbidden._meta as Json)['mandate/decision'].decision_id)
    }
  }

  let edge = await startEdge()
  const lasting = await connect(urlOf('far'), edge)
  const onStarted = await connect(urlOf('started'), edge)
  for (let round = 0; round < 2; round++) {
    const clients = await Promise.all([1, 2, 3].map(() => connect(urlOf('far'), edge)))
    const [waiting, ...busy] = clients as [Client, ...Client[]]
    const started = Promise.withResolvers<void>()
    const long = { name: 'trigger-long-running-operation', arguments: { duration: 600, steps: 6000 + round } }
    const broken = waiting.callTool(long, { onprogress: () => started.resolve() }).then(textOf, () => 'broken off')
    const working = Promise.all(busy.map(work))
    const before = denied.length
    await started.promise
    await expect.poll(() => denied.length - before, soon).toBeGreaterThan(20)
    await kill(edge)
    edge = await startEdge()
    await Promise.all(clients.map((client) => client.close()))
    await working
    expect(await broken).toBe('broken off')
  }

  for (const client of [lasting, await connect(urlOf('far'), edge), await connect(urlOf('started'), edge)]) {
    const message = `call ${calls++}`
    expect(textOf(await client.callTool({ name: 'echo', arguments: { message } }))).toBe(`Echo: ${message}`)
  }
  await expect(onStarted.callTool({ name: 'echo', arguments: { message: 'late' } })).rejects.toThrow()
  edge.child.kill('SIGTERM')
  await once(edge.child, 'exit')

  expect(tap.calls.filter(({ name }) => name === 'get-env')).toEqual([])
  const records = [...sent.values()]
  expect((await storedIds(agent.id)).sort()).toEqual([...sent.keys()].sort())
  const digests = records.map(({ args_digest }) => args_digest)
  expect(new Set(digests).size).toBe(digests.length)
  const passed = new Set(records.filter(({ effect }) => effect === 'allow').map(({ args_digest }) => args_digest))
  expect(tap.calls.length).toBeGreaterThan(40)
  expect(tap.calls.filter((call) => !passed.has(digestOf(call.name, call.arguments)))).toEqual([])
  expect(tap.calls.filter(({ name }) => name !== 'echo')).toHaveLength(2)
  expect(denied.filter((id) => sent.get(id)?.effect !== 'deny')).toEqual([])
  expect(echoed.filter((message) => !passed.has(digestOf('echo', { message })))).toEqual([])
})
