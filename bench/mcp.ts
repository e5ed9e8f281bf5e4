// Measures what the edge adds to an MCP tool call, compared with the same server without an edge, in one run: `node bench/mcp.ts`.
// The edge is a real process that records its decisions, with a policy of 50 rules from a real control plane.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { rule, startControlPlane, type TestAgent } from '../test/acceptance/edge/control-plane.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 6)
const callsPerRound = Number(process.env.BENCH_CALLS ?? 500)
const sessions = Number(process.env.BENCH_SESSIONS ?? 1000)
const node = process.execPath
const cli = join(import.meta.dirname, '../packages/cli/bin/mandate.js')
const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')
const everything = join(dirname(manifest), 'dist/index.js')
const serverPort = 18_090

const folder = await mkdtemp(join(tmpdir(), 'mandate-bench-mcp-'))
const plane = await startControlPlane()
const children: ChildProcess[] = []
try {
  const rules = Array.from({ length: 50 }, (_, n) => rule('deny', [`mcp:other-${n}/*`, `mcp:demo/never-${n}*`]))
  const agent = await plane.newAgent({ default_effect: 'allow', rules })
  await compareStdio(agent)
  const server = start([everything, 'streamableHttp'], { PORT: String(serverPort) })
  const direct = new URL(`http://127.0.0.1:${serverPort}/mcp`)
  await untilUp(direct)
  const edge = await startEdge(agent, direct)
  await compareHttp(direct, edge)
  await holdSessions(edge, server)
} finally {
  for (const child of children) child.kill('SIGKILL')
  await plane.stop()
  await rm(folder, { recursive: true, force: true })
}

async function compareStdio(agent: TestAgent): Promise<void> {
  const server = [everything, 'stdio']
  const connect = (args: string[], env: Record<string, string>) =>
    open(new StdioClientTransport({ command: node, args, env, stderr: 'ignore' }))
  const direct = await connect(server, {})
  const edge = await connect([cli, 'edge', '--server', 'demo', '--', node, ...server], environmentOf(agent, 'stdio'))
  await compare('stdio', direct, edge)
  await Promise.all([direct.close(), edge.close()])
}

interface Edge {
  url: URL
  token: string
  pid: number
}

async function startEdge(agent: TestAgent, upstream: URL): Promise<Edge> {
  const file = join(folder, 'servers.json')
  await writeFile(file, JSON.stringify({ servers: { demo: { url: String(upstream) } } }))
  const settings = { MANDATE_EDGE_PORT: '0', MANDATE_EDGE_MCP: file, MANDATE_EDGE_MCP_PORT: '0' }
  const child = start([cli, 'edge', 'run'], { ...environmentOf(agent, 'http'), ...settings })
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.once('exit', () => reject(new Error(output)))
    child.stderr?.on('data', (chunk) => {
      output += chunk
      const found = /"mcp_url":"([^"]+)"/.exec(output)?.[1]
      if (found) resolve(found)
    })
  })
  const token = await readFile(join(folder, 'http', 'tokens', agent.id), 'utf8')
  return { url: new URL('/mcp/demo', url), token, pid: child.pid as number }
}

async function compareHttp(direct: URL, edge: Edge): Promise<void> {
  const clients = [await open(new StreamableHTTPClientTransport(direct)), await open(throughEdge(edge))] as const
  await compare('HTTP', ...clients)
  await Promise.all(clients.map((client) => client.close()))
}

/** Measures sequential calls, in alternating rounds with and without the edge, after one warm-up round each. */
async function compare(name: string, direct: Client, edge: Client): Promise<void> {
  await measure(direct)
  await measure(edge)
  const taken = { direct: [] as number[], edge: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    taken.direct.push(...(await measure(direct)))
    taken.edge.push(...(await measure(edge)))
  }
  for (const [way, times] of Object.entries(taken)) {
    console.log(`${name} ${way}: p50 ${at(times, 0.5)} ms, p99 ${at(times, 0.99)} ms over ${times.length} calls`)
  }
}

async function measure(client: Client): Promise<number[]> {
  const times: number[] = []
  for (let call = 0; call < callsPerRound; call++) {
    const started = performance.now()
    await client.callTool({ name: 'echo', arguments: { message: randomUUID() } })
    times.push(performance.now() - started)
  }
  return times
}

/** Opens sessions that each listen on a stream, and prints the memory that the edge uses for them. */
async function holdSessions(edge: Edge, server: ChildProcess): Promise<void> {
  const before = [await residentMb(edge.pid), await residentMb(server.pid as number)]
  const open = await Promise.all(Array.from({ length: sessions }, () => openListening(edge)))
  const after = [await residentMb(edge.pid), await residentMb(server.pid as number)]
  console.log(
    `memory at ${sessions} listening sessions: edge ${before[0]} → ${after[0]} MB, the server itself ${before[1]} → ${after[1]} MB`,
  )
  for (const stop of open) stop()
}

async function openListening({ url, token }: Edge): Promise<() => void> {
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
  const opened = await fetch(url, { method: 'POST', headers, body })
  await opened.text()
  const session = {
    'mcp-session-id': opened.headers.get('mcp-session-id') as string,
    'mcp-protocol-version': '2025-11-25',
  }
  const stop = new AbortController()
  const listening = await fetch(url, { headers: { ...headers, ...session }, signal: stop.signal })
  if (!listening.ok) throw new Error(`a stream was refused: ${listening.status} ${await listening.text()}`)
  return () => stop.abort()
}

async function open(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(transport)
  return client
}

function throughEdge({ url, token }: Edge): Transport {
  return new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${token}` } } })
}

function environmentOf(agent: TestAgent, state: string): Record<string, string> {
  return {
    MANDATE_URL: plane.server.url,
    MANDATE_EDGE_KEY: agent.key,
    MANDATE_EDGE_AGENTS: agent.id,
    MANDATE_EDGE_STATE: join(folder, state),
    LOG_LEVEL: 'info',
  }
}

function start(args: string[], env: Record<string, string>): ChildProcess {
  const child = spawn(node, args, { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'ignore', 'pipe'] })
  children.push(child)
  child.stderr?.resume()
  return child
}

async function untilUp(url: URL): Promise<void> {
  while (
    !(await fetch(url).then(
      () => true,
      () => false,
    ))
  )
    await new Promise((resolve) => setTimeout(resolve, 50))
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
}

function at(times: number[], share: number): string {
  const sorted = [...times].sort((a, b) => a - b)
  return (sorted[Math.floor(sorted.length * share)] as number).toFixed(2)
}
