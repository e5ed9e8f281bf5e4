import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { connect } from '../connection/connect.ts'
import { agentId } from '../find/find-agent.ts'
import { environmentsForSlugs, findEnvironment, slugOf } from '../find/find-environment.ts'
import type { OutputOptions } from '../output/format.ts'
import { type ListOptions, showList, showOne, showRows } from '../output/show.ts'
import { type Column, minute } from '../output/table.ts'
import { type Tool, toolId } from './find-tool.ts'

interface Filters {
  search?: string
  state?: Tool['state']
  server?: string
  label?: string
  warning?: Tool['warnings'][number]['type']
  environment?: string
  agent?: string
}

const colors = { new: 'yellow', pinned: 'green', changed: 'red', blocked: 'red' } as const
const warningTypes = ({ warnings }: Tool) => [...new Set(warnings.map(({ type }) => type))].join(' ') || null

/** Lists tools by name. */
export async function listTools(options: Filters & ListOptions): Promise<void> {
  const { client } = await connect()
  const query = await queryOf(client, options)
  const columns = async () => {
    const environments = await environmentsForSlugs(client)
    return [
      { title: 'TOOL', value: ({ tool }: Tool) => tool },
      { title: 'ENVIRONMENT', value: ({ environment_id }: Tool) => slugOf(environments, environment_id) },
      { title: 'STATE', value: ({ state }: Tool) => state, color: ({ state }: Tool) => colors[state] },
      { title: 'LABELS', value: ({ labels }: Tool) => labels.join(' ') || null },
      { title: 'WARNINGS', value: warningTypes },
      { title: 'AGENTS', value: ({ agents }: Tool) => agents },
      { title: 'CALLS (30 DAYS)', value: ({ calls_30d }: Tool) => calls_30d },
      { title: 'ID', value: ({ id }: Tool) => id },
    ]
  }
  await showList(eachOf(client, 'listTools', { query }), options, columns, 'No tools match.')
}

async function queryOf(client: Client, { search, state, server, label, warning, environment, agent }: Filters) {
  return {
    ...{ search, state, server, label, warning },
    environment_id: environment === undefined ? undefined : await findEnvironment(client, environment),
    agent_id: agent === undefined ? undefined : await agentId(client, agent),
  }
}

/** Shows how many tools have each value of each filter. */
export async function showToolFacets(options: Filters & OutputOptions): Promise<void> {
  const { client } = await connect()
  const {
    total: _,
    is_whole,
    ...facets
  } = await client.call('getToolFacets', {
    query: await queryOf(client, options),
  })
  const rows = Object.entries(facets).flatMap(([filter, counts]) => counts.map((count) => ({ filter, ...count })))
  const columns: Column<(typeof rows)[number]>[] = [
    { title: 'FILTER', value: ({ filter }) => filter },
    { title: 'NAME', value: ({ name }) => name },
    { title: 'COUNT', value: ({ count }) => (is_whole ? String(count) : `${count} or more`) },
  ]
  await showRows(rows, options, columns, 'No tools match.')
}

type Shown = Schema<'ToolWithDefinitions'>

/** Shows a tool with its definitions and what changed. */
export async function showTool(named: string, { environment, ...output }: OutputOptions & { environment?: string }) {
  const { client } = await connect()
  const path = { tool_id: await toolId(client, named, environment) }
  showOne(await client.call('getTool', { path }), output, toolFields)
}

const toolFields: Column<Shown>[] = [
  { title: 'Tool', value: ({ tool }) => tool },
  { title: 'Title', value: ({ title }) => title },
  { title: 'Description', value: ({ description }) => description },
  { title: 'State', value: ({ state }) => state, color: ({ state }) => colors[state] },
  { title: 'Block reason', value: ({ block_reason }) => block_reason },
  { title: 'Labels', value: ({ labels }) => labels.join(', ') || null },
  {
    title: 'Warnings',
    value: ({ warnings }) => linesOf(warnings.map(({ type, where, detail }) => `${type} (${where}): ${detail}`)),
  },
  { title: 'Changed', value: ({ diff }) => linesOf((diff ?? []).map(differenceText)) },
  {
    title: 'Definitions',
    value: ({ definitions }) =>
      linesOf(
        definitions.map(
          ({ hash, pinned, first_seen_at }) => `${hash} since ${minute(first_seen_at)} UTC${pinned ? ', pinned' : ''}`,
        ),
      ),
  },
  { title: 'Agents', value: ({ agents }) => agents },
  { title: 'Calls (30 days)', value: ({ calls_30d }) => calls_30d },
  { title: 'Last seen', value: ({ last_seen_at }) => `${minute(last_seen_at)} UTC` },
  { title: 'Id', value: ({ id }) => id },
]

const linesOf = (lines: readonly string[]) => lines.join('; ') || null

type Difference = Schema<'ToolDifference'>

function differenceText({ path, change, from, to }: Difference): string {
  if (change === 'changed') return `${path} changed from ${JSON.stringify(from)} to ${JSON.stringify(to)}`
  return `${path} ${change}: ${JSON.stringify(to ?? from)}`
}
