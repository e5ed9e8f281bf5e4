import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type EdgeWorld, startEdgeWorld } from './edge-world.ts'

// biome-ignore lint/suspicious/noExplicitAny: benchmarks read any field of a response
type Json = any

const cli = join(import.meta.dirname, '../../packages/cli/bin/mandate.js')
const secret = 'the key of the ticket system'
const tool = { name: 'read', description: 'Reads a ticket.', inputSchema: { type: 'object' } }
const hourMs = 3_600_000

/** Calls a tool. Returns false if an edge denies the call or withholds the result. */
type CallTool = (args: object) => Promise<boolean>

export interface BothSides {
  /** Through an edge with everything off, and through one with everything on. */
  call: [off: CallTool, on: CallTool]
  /** The process ids of the two edges. */
  pid: [off: number, on: number]
  stop(): Promise<void>
}

/**
 * Starts two edges before the same tool server over HTTP. The first one allows every call. The second one has content bindings for arguments
 * and results, pins, rules about sessions and labels, a rule with a limit, a delegation, and a credential of the tool server.
 */
export async function startBothSides(bindings: object[]): Promise<BothSides> {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-bench-content-'))
  const world = await startEdgeWorld({ MANDATE_DEFAULT_PLAN: 'enterprise' })
  const upstream = await startUpstream()
  const children: ChildProcess[] = []
  const started = { folder, world, url: upstream.url, children }
  const stop = async () => {
    for (const child of children) child.kill('SIGKILL')
    upstream.server.closeAllConnections()
    upstream.server.close()
    await world.stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const call: BothSides['call'] = [await startOff(started), await startOn(started, bindings)]
    const [off, on] = children.map(({ pid }) => pid as number) as [number, number]
    return { call, pid: [off, on], stop }
  } catch (error) {
    await stop()
    throw error
  }
}

interface Started {
  folder: string
  world: EdgeWorld
  /** Address of the tool server. */
  url: string
  children: ChildProcess[]
}

async function startOff(started: Started): Promise<CallTool> {
  const place = await newPlace(started.world, 'off', { default_effect: 'allow' })
  const client = await connect(await startEdge(started, place, {}))
  return callerOf(client)
}

async function startOn(started: Started, bindings: object[]): Promise<CallTool> {
  const { call } = started.world
  const when = [
    { path: 'session.labels', op: 'has', value: 'suspicious' },
    { path: 'tool.labels', op: 'has', value: 'external_write' },
  ]
  const rules = [
    { name: 'flow', priority: 1, effect: 'require_approval', match: { tools: ['*'], when } },
    {
      name: 'reads',
      priority: 2,
      effect: 'allow',
      match: { tools: ['mcp:tickets/*'] },
      limit: { count: 1_000_000, window_s: 86_400 },
    },
  ]
  const place = await newPlace(started.world, 'on', { default_effect: 'deny', dlp_enabled: true, rules })
  await call('PUT', `/policies/${place.policyId}/content-bindings`, { bindings })
  await call('POST', '/credentials', {
    name: 'tickets-api',
    kind: 'header',
    config: { header: 'X-Api-Key' },
    secret,
    environment_id: place.environmentId,
  })
  const { token } = await call('POST', '/delegations', {
    agent_id: place.agentId,
    tools: ['mcp:tickets/*'],
    expires_at: new Date(Date.now() + 8 * hourMs).toISOString(),
  })
  const edge = await startEdge(started, place, { 'x-api-key': { credential: 'tickets-api' } })
  const client = await connect(edge, { 'mandate-delegation': token })
  await client.listTools()
  await pin(started.world, place.environmentId)
  const caller = callerOf(client)
  await untilAllowed(caller)
  return caller
}

interface Place {
  environmentId: string
  policyId: string
  agentId: string
  edgeKey: string
}

async function newPlace({ call }: EdgeWorld, slug: string, policy: object): Promise<Place> {
  const tool_pinning = slug === 'on' ? 'enforce' : 'off'
  const { id: environmentId } = await call('POST', '/environments', { name: slug, slug, tool_pinning })
  const { id: policyId } = await call('POST', '/policies', { name: slug, override_mode: 'enforce', ...policy })
  const { agent } = await call('POST', '/agents', { name: slug, environment_id: environmentId, policy_id: policyId })
  const { edge_key: edgeKey } = await call('POST', '/edges', { name: slug, environment_id: environmentId })
  return { environmentId, policyId, agentId: agent.id, edgeKey }
}

interface StartedEdge {
  url: URL
  token: string
}

async function startEdge(
  { folder, world, url, children }: Started,
  { agentId, edgeKey }: Place,
  headers: object,
): Promise<StartedEdge> {
  const state = await mkdtemp(join(folder, 'edge-'))
  const file = join(state, 'servers.json')
  await writeFile(file, JSON.stringify({ servers: { tickets: { url, headers } } }))
  const env = {
    PATH: process.env.PATH,
    MANDATE_URL: world.url,
    MANDATE_EDGE_KEY: edgeKey,
    MANDATE_EDGE_AGENTS: agentId,
    MANDATE_EDGE_STATE: state,
    MANDATE_EDGE_PORT: '0',
    MANDATE_EDGE_MCP: file,
    MANDATE_EDGE_MCP_PORT: '0',
  }
  const child = spawn(process.execPath, [cli, 'edge', 'run'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  children.push(child)
  const mcpUrl = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.once('exit', () => reject(new Error(output)))
    child.stderr.on('data', (chunk) => {
      if (output === 'up') return
      output += chunk
      const found = /"mcp_url":"([^"]+)"/.exec(output)?.[1]
      if (!found) return
      output = 'up'
      resolve(found)
    })
  })
  return { url: new URL('/mcp/tickets', mcpUrl), token: await readFile(join(state, 'tokens', agentId), 'utf8') }
}

async function connect({ url, token }: StartedEdge, more: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${token}`, ...more } }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
  return client
}

function callerOf(client: Client): CallTool {
  return async (args) => (await client.callTool({ name: tool.name, arguments: { ...args } })).isError !== true
}

/** Pins the tool, and labels it so that its results are untrusted. */
async function pin({ call }: EdgeWorld, environmentId: string): Promise<void> {
  const known = async () => (await call('GET', `/tools?environment_id=${environmentId}`)).data as Json[]
  while ((await known()).length === 0) await pause(100)
  const [{ id, latest_hash: definition_hash }] = (await known()) as [Json]
  await call('PUT', `/tools/${id}/labels`, { labels: ['untrusted_output'] })
  await call('POST', `/tools/${id}/pin`, { definition_hash })
}

/** The edge learns of the pin on its stream. */
async function untilAllowed(call: CallTool): Promise<void> {
  for (let left = 300; !(await call({ text: 'is it pinned?' })); left--) {
    if (left === 0) throw new Error('the edge denies the pinned tool')
    await pause(200)
  }
}

/** A tool server that answers a call with its arguments, or with `size` characters. */
async function startUpstream(): Promise<{ server: Server; url: string }> {
  const sentence =
    'The quarterly report says that revenue rose by 12.5 % to 4,311 units; see sales@example.com for more. '
  const textOf = (size: number) => sentence.repeat(Math.ceil(size / sentence.length)).slice(0, size)
  const results: Record<string, (params: Json) => object> = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'tickets', version: '1' },
    }),
    'tools/list': () => ({ tools: [tool] }),
    'tools/call': ({ arguments: args }) => ({
      content: [{ type: 'text', text: args.size ? textOf(args.size) : JSON.stringify(args) }],
    }),
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
    if (id === undefined) return void response.writeHead(202).end()
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method]?.(params) ?? {} }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` }
}
