import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { freePort } from '../../packages/edge/test/mcp/testing/servers.ts'
import { callApi } from '../acceptance/call-api.ts'
import { newAccessKeyId, newCard } from '../acceptance/edge/content/secret-values.ts'
import { type ControlPlane, startControlPlane } from '../acceptance/edge/control-plane.ts'
import { temporaryFolder } from '../acceptance/mandate-process.ts'
import { mayMount, smallDisk } from '../acceptance/small-disk.ts'
import { must } from '../concurrency/world.ts'
import type { Workplace } from './agents-at-work.ts'
import { type FleetEdge, proxyTo, startFleetEdge } from './edge-fleet.ts'
import { descriptionOf, inputSchema, startFaultyToolServer, type ToolName, toolNames } from './faulty-tool-server.ts'
import { connectOverHttp, type StdioEdge, startStdioEdge } from './guarded-edges.ts'
import { RuleLedger } from './rule-ledger.ts'

/** A control plane, two edges with their agents, and one tool server behind both. Policies, pins and a credential govern the calls. */
export interface GuardedWorld extends Workplace {
  plane: ControlPlane
  /** In front of the tool server `shop`, over HTTP, with the credential. */
  http: FleetEdge
  /** In front of the tool server `desk`, on standard input and output. */
  stdio: StdioEdge
  /** A small disk with the state folders of the edges, if the machine allows one. */
  disk: string | undefined
  stateDirs: string[]
  /** One function for each process of the control plane and of the edge over HTTP. It returns what the process has written. */
  logs: (() => string)[]
  /** Gives the credential another secret. */
  rotate(): Promise<void>
}

const labels: Record<ToolName, string[]> = {
  pay: [],
  note: [],
  fetch: ['untrusted_output'],
  send: ['external_write'],
  quote: [],
}
const diskMb = 64
const loud = { LOG_LEVEL: 'trace', MANDATE_EDGE_SESSIONS: 'caller' }
let secrets = 0
const newSecret = () => `s3cret-${++secrets}-${crypto.randomUUID()}`

export async function startGuardedWorld(): Promise<GuardedWorld> {
  const plane = await startControlPlane({
    MANDATE_DEFAULT_PLAN: 'pro',
    MANDATE_EDGE_RATE: '1000000000',
    LOG_LEVEL: 'debug',
  })
  onTestFinished(() => plane.stop())
  const ledger = new RuleLedger({ card: newCard(), accessKey: newAccessKeyId(), credentials: [newSecret()] })
  const tools = await startFaultyToolServer(ledger.secrets.card, ledger.arrive)
  const { id: environmentId } = await plane.ask('POST', '/environments', {
    name: 'Chaos',
    slug: 'chaos',
    tool_pinning: 'enforce',
  })
  const denying = await newPolicy(plane, 'deny')
  const holding = await newPolicy(plane, 'require_approval')
  const body = { name: 'stdio', environment_id: environmentId, policy_id: holding }
  const { agent, agent_key: key } = await plane.ask('POST', '/agents', body)
  await pinTools(plane, environmentId, key)
  const rotate = await storeCredential(plane, environmentId, ledger.secrets.credentials)
  for (const secret of ledger.secrets.credentials) tools.accepted.add(secret)

  const disk = mayMount ? await smallDisk(diskMb) : undefined
  const folder = disk ?? (await temporaryFolder())
  const files = await temporaryFolder()
  const stateDirs = ['http', 'stdio'].map((name) => join(folder, name)) as [string, string]
  const port = await freePort()
  const settings = {
    ...loud,
    MANDATE_EDGE_MCP: await serversFile(files, tools.url),
    MANDATE_EDGE_MCP_PORT: String(port),
  }
  const plan = { name: 'edge over HTTP', environmentId, agents: 2, stateDir: stateDirs[0], settings }
  const http = await startFleetEdge(plane, denying, plan)
  onTestFinished(() => http.proxy.close())
  const hear = ledger.hear.bind(ledger)
  const url = `http://127.0.0.1:${port}/mcp/shop`
  const overHttp = await Promise.all(http.agentIds.map((_, at) => connectOverHttp(http, at, url, hear)))
  const proxy = await proxyTo(plane)
  onTestFinished(() => proxy.close())
  const stdio = await startStdioEdge({
    agent: { id: agent.id, key, policyId: holding },
    proxy,
    stateDir: stateDirs[1],
    copyFile: join(files, 'answers'),
    lineUrl: tools.lineUrl,
    settings: loud,
  })
  return {
    plane,
    ledger,
    tools,
    http,
    stdio,
    agents: [...overHttp, stdio.agent],
    asking: { name: 'asking for decisions', seenChange: null, edge: http },
    disk,
    stateDirs,
    logs: [plane.server.output, ...(http.running ? [http.running.output] : []), stdio.output],
    async rotate() {
      const next = newSecret()
      ledger.secrets.credentials.push(next)
      tools.accepted.add(next)
      await rotate(next)
    },
  }
}

/**
 * Creates a policy that allows every call, with two exceptions. Its content rules redact or deny. A write to others has `effect` in a session that
 * has read untrusted content.
 */
async function newPolicy(plane: ControlPlane, effect: 'deny' | 'require_approval'): Promise<string> {
  const when = [
    { path: 'session.labels', op: 'has', value: 'untrusted_output' },
    { path: 'tool.labels', op: 'has', value: 'external_write' },
  ]
  const flow = { name: 'flow', priority: 1, effect, reason: 'it read what others wrote', match: { tools: ['*'], when } }
  const { id } = await plane.ask('POST', '/policies', {
    name: `flows: ${effect}`,
    override_mode: 'enforce',
    default_effect: 'allow',
    dlp_enabled: true,
    rules: [flow],
  })
  const bindings = [
    { group: 'financial', on: 'results', action: 'redact' },
    { group: 'secrets', on: 'arguments', action: 'deny' },
  ]
  await plane.ask('PUT', `/policies/${id}/content-bindings`, { bindings })
  return id
}

/** Reports the tools of both servers, and pins and labels them. */
async function pinTools(plane: ControlPlane, environmentId: string, credential: string): Promise<void> {
  for (const server of ['shop', 'desk']) {
    const declared = toolNames.map((name) => ({ name, description: descriptionOf(name), input_schema: inputSchema }))
    const body = { server, tools: declared }
    const { status } = await callApi(plane.server, 'POST', '/edge/tools', { body, credential })
    if (status !== 202) throw new Error(`POST /edge/tools answered ${status}`)
  }
  const { data } = await plane.ask('GET', `/tools?environment_id=${environmentId}`)
  for (const { id, name, latest_hash } of data) {
    await plane.ask('POST', `/tools/${id}/pin`, { definition_hash: latest_hash })
    await plane.ask('PUT', `/tools/${id}/labels`, { labels: labels[name as ToolName] })
  }
}

/** Stores the credential. Returns a function that rotates it with a key that does not expire during the test. */
async function storeCredential(plane: ControlPlane, environmentId: string, [secret]: readonly string[]) {
  const { raw_key: credential } = await plane.ask('POST', '/api-keys', { name: 'chaos' })
  const config = { header: 'X-Api-Key' }
  const body = { name: 'shop-key', kind: 'header', config, secret, environment_id: environmentId }
  const { id } = await plane.ask('POST', '/credentials', body)
  return (next: string) =>
    must(plane.server, 200, 'POST', `/credentials/${id}/rotate`, { body: { secret: next }, credential })
}

async function serversFile(folder: string, url: string): Promise<string> {
  const file = join(folder, 'servers.json')
  const shop = { url, headers: { 'X-Api-Key': { credential: 'shop-key' } } }
  await writeFile(file, JSON.stringify({ servers: { shop } }))
  return file
}
