import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Client, type FetchLike, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'
import type { FaultProxy } from '../../packages/server/src/testing/fault-proxy.ts'
import type { TestAgent } from '../acceptance/edge/control-plane.ts'
import type { FleetEdge } from './edge-fleet.ts'
import type { Party } from './rule-ledger.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const node = `${root}node_modules/.bin/node`
const bridge = fileURLToPath(new URL('./stdio-bridge.ts', import.meta.url))

/** An agent that calls tools over MCP. */
export interface McpAgent extends Party {
  /** Null while its edge is dead. */
  client(): Client | null
}

/** Called with everything that an agent has received so far of an answer. */
export type OnHeard = (where: string, text: string) => void

/** Connects an agent to a tool server behind an edge over HTTP. The connection survives restarts of the edge. */
export async function connectOverHttp(edge: FleetEdge, at: number, mcpUrl: string, hear: OnHeard): Promise<McpAgent> {
  const agentId = edge.agentIds[at] as string
  const name = `${edge.name}, agent ${at + 1}`
  const token = await readFile(`${edge.running?.stateDir}/tokens/${agentId}`, 'utf8')
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  const client = new Client({ name: 'agent', version: '1.0.0' })
  const fetchHeard = heardFetch((text) => hear(`an answer to ${name}`, text))
  await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit, fetch: fetchHeard }))
  onTestFinished(() => client.close())
  return { name, seenChange: null, client: () => (edge.running === null ? null : client) }
}

/** A `fetch` that tells every byte of an answer, also of one that breaks off. */
function heardFetch(hear: (text: string) => void): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init)
    hear(JSON.stringify([...response.headers]))
    if (response.body === null) return response
    const [passed, heard] = response.body.tee()
    void tell(heard, hear).catch(() => {})
    return new Response(passed, response)
  }
}

async function tell(body: ReadableStream<Uint8Array>, hear: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    hear(text)
  }
}

/** An edge on standard input and output, its agent, and the tool server that it starts. It keeps its state folder across restarts. */
export interface StdioEdge {
  readonly agent: McpAgent
  readonly proxy: FaultProxy
  /** Its process. Null while it is dead. */
  pid(): number | null
  start(): Promise<void>
  kill(): Promise<void>
  /** What all its processes wrote to standard error. */
  output(): string
  /** What all its processes wrote to the agent, byte by byte. */
  answers(): Promise<string>
}

interface StdioPlan {
  agent: TestAgent
  proxy: FaultProxy
  stateDir: string
  /** The file that gets a copy of everything that the edge writes to the agent. */
  copyFile: string
  /** Where the tool server gets its answers. */
  lineUrl: string
  settings: Record<string, string>
}

/** The shell becomes the edge, so that its process id is that of the edge. */
const copying = 'exec > >(exec tee -a "$COPY"); exec "$@"'

/** Starts the edge as an agent does, for the tool server `desk`. */
export async function startStdioEdge(plan: StdioPlan): Promise<StdioEdge> {
  let [output, client, pid] = ['', null as Client | null, 0]
  const env = {
    ...plan.settings,
    MANDATE_URL: `http://127.0.0.1:${plan.proxy.port}`,
    MANDATE_EDGE_KEY: plan.agent.key,
    MANDATE_EDGE_AGENTS: plan.agent.id,
    MANDATE_EDGE_STATE: plan.stateDir,
    COPY: plan.copyFile,
  }
  const command = [node, 'packages/cli/bin/mandate.js', 'edge', '--server', 'desk', '--', node, bridge, plan.lineUrl]
  const edge: StdioEdge = {
    agent: { name: 'stdio edge', seenChange: null, client: () => client },
    proxy: plan.proxy,
    pid: () => (client === null ? null : pid),
    async start() {
      if (client !== null) return
      const args = ['-c', copying, 'edge', ...command]
      const transport = new StdioClientTransport({ command: 'bash', args, env, cwd: root, stderr: 'pipe' })
      transport.stderr?.on('data', (chunk) => (output += chunk))
      const connecting = new Client({ name: 'agent', version: '1.0.0' })
      await connecting.connect(transport)
      pid = transport.pid as number
      client = connecting
      connecting.onclose = () => (client = null)
    },
    async kill() {
      if (client === null) return
      const closed = Promise.withResolvers<void>()
      client.onclose = () => closed.resolve()
      client = null
      process.kill(pid, 'SIGKILL')
      await closed.promise
    },
    output: () => output,
    answers: () => readFile(plan.copyFile, 'utf8'),
  }
  onTestFinished(async () => void (await client?.close()))
  await edge.start()
  return edge
}
