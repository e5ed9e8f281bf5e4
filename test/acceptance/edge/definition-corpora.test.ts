import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { beforeAll, expect, it } from 'vitest'
import { joinControlPlane, type Organization } from './control-plane.ts'
import { stateFolder } from './edge-in-test.ts'
import { startEdgeProcess } from './edge-process.ts'
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
import type { Json } from './middle.ts'

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

const declaringServer = fileURLToPath(new URL('./changing-server.ts', import.meta.url))
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

/**
 * Starts an edge before MCP servers that declare these tools, in a new environment that enforces pins. An agent lists the tools of each server, one
 * server after the other.
 */
async function declare(servers: readonly ServerOfTools[]): Promise<Declared> {
  places++
  const named = { name: `Place ${places}`, slug: `place-${places}` }
  const { id: environmentId } = await plane.ask('POST', '/environments', { ...named, tool_pinning: 'enforce' })
  const { id: policyId } = await plane.ask('POST', '/policies', { name: named.slug, default_effect: 'allow' })
  const { agent } = await plane.ask('POST', '/agents', {
    name: named.slug,
    environment_id: environmentId,
    policy_id: policyId,
  })
  // An agent's own key declares 200 tools at most.
  const { edge_key: key } = await plane.ask('POST', '/edges', { name: named.name, environment_id: environmentId })
  const stateDir = await stateFolder()
  const commands: Record<string, object> = {}
  for (const { server, tools } of servers) {
    const file = join(stateDir, `${server}.json`)
    await writeFile(file, JSON.stringify(tools.map(inMcp)))
    commands[server] = { command: process.execPath, args: [declaringServer], env: { TOOLS: file } }
  }
  const settings = { MANDATE_EDGE_MCP: join(stateDir, 'servers.json'), MANDATE_EDGE_MCP_PORT: '0' }
  await writeFile(settings.MANDATE_EDGE_MCP, JSON.stringify({ servers: commands }))
  const edge = await startEdgeProcess(plane.server.url, { id: agent.id, key, policyId }, stateDir, { settings })
  const mcpUrl = /"mcp_url":"([^"]+)"/.exec(edge.output())?.[1]
  const listed: string[] = []
  let known: Json[] = []
  for (const { server, tools } of servers) {
    const client = new Client({ name: 'agent', version: '1.0.0' })
    const requestInit = { headers: { authorization: `Bearer ${edge.token}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(`/mcp/${server}`, mcpUrl), { requestInit }))
    listed.push(...(await client.listTools()).tools.map(({ name }) => name))
    await client.close()
    const read = async () => {
      known = await toolsOf(environmentId, server)
      return known.length
    }
    await expect.poll(read, { timeout: 300_000, interval: 500 }).toBe(tools.length)
  }
  edge.child.kill('SIGKILL')
  const typesOf = ({ warnings }: Json): string[] => warnings.map(({ type }: { type: string }) => type)
  return { listed, warnings: new Map(known.map((tool) => [tool.name, typesOf(tool)])) }
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
  const together = await declare([{ server: 'declaring', tools: alone.map(({ definition }) => definition) }])
  for (const { id, definition } of alone) if (isWarning(together.warnings.get(definition.name))) warned.add(id)
  const listed = [...together.listed]
  for (const { id, definition, server, companions = [] } of cases) {
    if (companions.length === 0) continue
    const beside = await declare([...companions, { server: server ?? 'declaring', tools: [definition] }])
    if (isWarning(beside.warnings.get(definition.name))) warned.add(id)
    listed.push(...beside.listed)
  }
  return { warned, listed }
}

const sets = [
  { name: 'definitions', folder: ownCorpora, mostAlarms: 0.01 },
  ...(published ? [{ name: 'published definitions', folder: published, mostAlarms: 0.05 }] : []),
]

it('warns about definitions that have a mark, never lists one that is not pinned, and docs/security.md has the outcomes', {
  timeout: 600_000,
}, async () => {
  let text = readFileSync(page, 'utf8')
  const complaints: string[] = []
  for (const { name, folder, mostAlarms } of sets) {
    const cases = casesOf<Case>(folder, 'definitions.ndjson')
    const { warned, listed } = await declareAll(cases)
    expect(listed, `${name}: tools that an agent saw before a person pinned them`).toEqual([])
    const outcomes = await measure(cases, async ({ id }) => warned.has(id))
    text = withTable(text, name, tableOf(outcomes))
    complaints.push(...complaintsAbout(name, outcomes, { leastFound: 0.9, mostAlarms }))
    if (folder === ownCorpora) expect(isLarge(outcomes)).toBe(true)
  }
  expect(complaints).toEqual([])
  await expect(text).toMatchFileSnapshot(page)
})
