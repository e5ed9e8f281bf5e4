// May take over 10 s: sends every attack and every harmless case of the corpora through an edge.
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { joinControlPlane, type Organization } from '../control-plane.ts'
import { stateFolder } from '../edge-in-test.ts'
import { startServedEdge } from '../served-edge.ts'
import {
  casesOf,
  complaintsAbout,
  isLarge,
  type Labelled,
  measure,
  type Outcomes,
  ownCorpora,
  page,
  published,
  tableOf,
  withTable,
} from './labelled-cases.ts'

interface Case extends Labelled {
  text: string
}

let plane: Organization

beforeAll(async () => {
  plane = await joinControlPlane({ plan: 'pro' })
})

/** A tool server that answers each call with the text of its argument. */
const echo = `
import { createInterface } from 'node:readline'
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const tools = [{ name: 'echo', inputSchema: { type: 'object' } }]
  const result =
    method === 'initialize'
      ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1' } }
      : method === 'tools/list' ? { tools } : { content: [{ type: 'text', text: params.arguments?.text ?? '' }] }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
}`

type Place = 'arguments' | 'results'

/** Starts an edge that denies calls or withholds results in which a pattern of the group matches. Returns whether it stops a text. */
async function edgeFor(group: string, on: Place): Promise<(text: string) => Promise<boolean>> {
  const agent = await plane.newAgent({ default_effect: 'allow', dlp_enabled: true })
  const bindings = [{ group, on, action: 'deny' }]
  await plane.ask('PUT', `/policies/${agent.policyId}/content-bindings`, { bindings })
  const stateDir = await stateFolder()
  const [program, servers] = [join(stateDir, 'echo.mjs'), join(stateDir, 'servers.json')]
  await writeFile(program, echo)
  await writeFile(servers, JSON.stringify({ servers: { echo: { command: process.execPath, args: [program] } } }))
  const settings = { MANDATE_EDGE_MCP: servers, MANDATE_EDGE_MCP_PORT: '0' }
  const { token, output } = await startServedEdge(plane.server.url, agent, stateDir, { settings })
  const url = new URL('/mcp/echo', /"mcp_url":"([^"]+)"/.exec(output())?.[1])
  const client = new Client({ name: 'agent', version: '1.0.0' })
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  )
  onTestFinished(() => client.close())
  return async (text) => (await client.callTool({ name: 'echo', arguments: { text } })).isError === true
}

async function measureGroup(folder: string, file: string, group: string, on: Place): Promise<Outcomes> {
  const isStopped = await edgeFor(group, on)
  return await measure(casesOf<Case>(folder, file), ({ text }) => isStopped(text))
}

const own = { folder: ownCorpora, leastFound: 0.9, mostAlarms: 0.01 }
const others = { folder: published ?? '', leastFound: 0.9, mostAlarms: 0.01 }
const lookAlikes = { ...others, mostAlarms: 0 }

const sets = [
  { name: 'results', file: 'results.ndjson', group: 'injection', on: 'results', ...own },
  { name: 'secrets', file: 'secrets.ndjson', group: 'secrets', on: 'results', ...own },
  { name: 'secrets in arguments', file: 'secrets.ndjson', group: 'secrets', on: 'arguments', ...own },
  ...(published
    ? ([
        { name: 'published results', file: 'results.ndjson', group: 'injection', on: 'results', ...others },
        { name: 'published secrets', file: 'secrets.ndjson', group: 'secrets', on: 'results', ...lookAlikes },
        {
          name: 'published secrets in arguments',
          file: 'secrets.ndjson',
          group: 'secrets',
          on: 'arguments',
          ...lookAlikes,
        },
      ] as const)
    : []),
] as const

it('finds what has a mark, with few false alarms, and docs/security.md has the outcomes', {
  timeout: 600_000,
}, async () => {
  let text = readFileSync(page, 'utf8')
  const complaints: string[] = []
  for (const { name, folder, file, group, on, ...limits } of sets) {
    const outcomes = await measureGroup(folder, file, group, on)
    text = withTable(text, name, tableOf(outcomes))
    complaints.push(...complaintsAbout(name, outcomes, limits))
    if (folder === ownCorpora) expect(isLarge(outcomes), name).toBe(true)
  }
  expect(complaints).toEqual([])
  await expect(text).toMatchFileSnapshot(page)
})
