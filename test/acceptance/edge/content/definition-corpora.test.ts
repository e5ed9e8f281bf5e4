import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { beforeAll, expect, it } from 'vitest'
import { startScripted } from '../../../../packages/edge/test/mcp/testing/scripted-upstream.ts'
import { callApi } from '../../call-api.ts'
import { joinControlPlane, type Organization } from '../control-plane.ts'
import { stateFolder } from '../edge-in-test.ts'
import type { Json } from '../middle.ts'
import { startServedEdge } from '../served-edge.ts'
import {
  casesOf,
  complaintsAbout,
  isLarge,
  type Labelled,
  measure,
  ownCorpora,
  page,
  published,
  tableOf,
  withTable,
} from './labelled-cases.ts'

interface Definition {
  name: string
  input_schema?: object
  output_schema?: object
}

interface ServerOfTools {
  server: string
  tools: Definition[]
}

interface Case extends Labelled {
  definition: Definition
  server?: string | null
  /** What other servers of the environment declare. */
  companions?: ServerOfTools[]
}

let plane: Organization

beforeAll(async () => {
  plane = await joinControlPlane()
})

/** These warnings are about ordinary tools too, so they are no alarm. */
const ordinary = ['contains_url', 'unannotated']

/** A definition as MCP servers declare it. */
const inMcp = ({ input_schema: inputSchema, output_schema: outputSchema, ...rest }: Definition) => ({
  ...rest,
  ...(inputSchema && { inputSchema }),
  ...(outputSchema && { outputSchema }),
})

interface Declared {
  /** The tools that the agent sees. No tool is pinned, and pins are enforced. */
  listed: string[]
  /** The warnings about the tools of the last server, by name. */
  warnings: ReadonlyMap<string, string[]>
}

let places = 0

/** A new environment that enforces pins, with an edge. An agent's own key declares 200 tools at most. */
async function newPlace() {
  places++
  const name = `place-${places}`
  const { id: environmentId } = await plane.ask('POST', '/environments', { name, slug: name, tool_pinning: 'enforce' })
  const { edge_key: key } = await plane.ask('POST', '/edges', { name, environment_id: environmentId })
  return { name, environmentId, key }
}

/** Reports the tools of each server as an edge does, one server after the other. Returns the warnings about the tools of the last one. */
async function report(servers: readonly ServerOfTools[]): Promise<Declared['warnings']> {
  const { environmentId, key } = await newPlace()
  for (const body of servers) {
    const { status } = await callApi(plane.server, 'POST', '/edge/tools', { body, credential: key })
    expect(status).toBe(202)
  }
  return warningsAbout(await toolsOf(environmentId, servers.at(-1)?.server ?? ''))
}

const declaring = 'declaring'

/** Starts an MCP server that declares these tools. */
async function startDeclaring(tools: readonly object[]) {
  const upstream = await startScripted()
  upstream.script((response, { method: verb, body }) => {
    if (verb !== 'POST') return void response.writeHead(405).end()
    const { id, method } = JSON.parse(body)
    if (id === undefined) return void response.writeHead(202).end()
    const info = {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: declaring, version: '1' },
    }
    const result = { initialize: info, 'tools/list': { tools } }[String(method)] ?? {}
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  return upstream
}

/** Starts an edge before an MCP server that declares these tools, in a new environment that enforces pins. An agent lists the tools. */
async function declare(tools: readonly Definition[]): Promise<Declared> {
  const { name, environmentId, key } = await newPlace()
  const { id: policyId } = await plane.ask('POST', '/policies', { name, default_effect: 'allow' })
  const { agent } = await plane.ask('POST', '/agents', { name, environment_id: environmentId, policy_id: policyId })
  const stateDir = await stateFolder()
  const upstream = await startDeclaring(tools.map(inMcp))
  const settings = { MANDATE_EDGE_MCP: join(stateDir, 'servers.json'), MANDATE_EDGE_MCP_PORT: '0' }
  await writeFile(settings.MANDATE_EDGE_MCP, JSON.stringify({ servers: { [declaring]: { url: upstream.url } } }))
  const edge = await startServedEdge(plane.server.url, { id: agent.id, key, policyId }, stateDir, { settings })
  const mcpUrl = /"mcp_url":"([^"]+)"/.exec(edge.output())?.[1]
  const client = new Client({ name: 'agent', version: '1.0.0' })
  const requestInit = { headers: { authorization: `Bearer ${edge.token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`/mcp/${declaring}`, mcpUrl), { requestInit }))
  const listed = (await client.listTools()).tools.map((tool) => tool.name)
  await client.close()
  const known = () => toolsOf(environmentId, declaring)
  await expect.poll(async () => (await known()).length, { interval: 200 }).toBe(tools.length)
  await edge.close()
  await upstream.stop()
  return { listed, warnings: warningsAbout(await known()) }
}

function warningsAbout(tools: readonly Json[]): Declared['warnings'] {
  const typesOf = ({ warnings }: Json): string[] => warnings.map(({ type }: { type: string }) => type)
  return new Map(tools.map((tool) => [tool.name, typesOf(tool)]))
}

async function toolsOf(environmentId: string, server: string): Promise<Json[]> {
  const tools: Json[] = []
  let token: string | null = null
  do {
    const query = new URLSearchParams({ environment_id: environmentId, server, page_size: '100' })
    if (token) query.set('page_token', token)
    const { data, next_page_token: next }: Json = await plane.ask('GET', `/tools?${query}`)
    tools.push(...data)
    token = next
  } while (token)
  return tools
}

/** Gives a tool whose name another case has too a number. So one server can declare the tools of all cases. */
function withUniqueNames(cases: readonly Case[]): Case[] {
  const seen = new Map<string, number>()
  return cases.map((one) => {
    const { name } = one.definition
    const number = (seen.get(name) ?? 0) + 1
    seen.set(name, number)
    return number === 1 ? one : { ...one, definition: { ...one.definition, name: `${name}_${number}` } }
  })
}

interface Result {
  warned: ReadonlySet<string>
  listed: string[]
}

const isWarning = (types: readonly string[] = []) => types.some((type) => !ordinary.includes(type))

/** Returns the ids of the cases that the inventory warns about, and the tools that an agent saw. */
async function declareAll(cases: readonly Case[]): Promise<Result> {
  const warned = new Set<string>()
  const alone = withUniqueNames(cases.filter(({ companions = [] }) => companions.length === 0))
  const together = await declare(alone.map(({ definition }) => definition))
  for (const { id, definition } of alone) if (isWarning(together.warnings.get(definition.name))) warned.add(id)
  for (const { id, definition, server, companions = [] } of cases) {
    if (companions.length === 0) continue
    // What other servers declare matters to the control plane only.
    const warnings = await report([...companions, { server: server ?? declaring, tools: [definition] }])
    if (isWarning(warnings.get(definition.name))) warned.add(id)
  }
  return { warned, listed: together.listed }
}

const sets = [
  { name: 'definitions', folder: ownCorpora, mostAlarms: 0.01, tags: [] },
  ...(published
    ? [{ name: 'published definitions', folder: published, mostAlarms: 0.05, tags: ['long' as const] }]
    : []),
]

for (const { name, folder, mostAlarms, tags } of sets) {
  it(`warns about ${name} that have a mark, never lists one that is not pinned, and docs/security.md has the outcomes`, {
    timeout: 600_000,
    tags: [...tags],
  }, async () => {
    const cases = casesOf<Case>(folder, 'definitions.ndjson')
    const { warned, listed } = await declareAll(cases)
    expect(listed, 'tools that an agent saw before a person pinned them').toEqual([])
    const outcomes = await measure(cases, async ({ id }) => warned.has(id))
    expect(complaintsAbout(name, outcomes, { leastFound: 0.9, mostAlarms })).toEqual([])
    if (folder === ownCorpora) expect(isLarge(outcomes)).toBe(true)
    await expect(withTable(readFileSync(page, 'utf8'), name, tableOf(outcomes))).toMatchFileSnapshot(page)
  })
}
