import type { Input } from '@mandate/sdk/operation'
import { connect } from '../connection/connect.ts'
import type { OutputOptions } from '../output/format.ts'
import { showRows } from '../output/show.ts'
import type { Column } from '../output/table.ts'
import { type AgentFilterOptions, agentQuery } from './agent-filters.ts'

interface Options extends OutputOptions, AgentFilterOptions {
  governanceState: NonNullable<Input<'getAgentFacets'>['query']>['governance_state']
}

interface Row {
  filter: string
  key: string
  name: string
  count: number
  at_least?: boolean | undefined
}

/** Shows how many agents have each value of each filter. */
export async function showFacets({ governanceState, json, output, query, ...filters }: Options): Promise<void> {
  const { client } = await connect()
  const asked = { ...(await agentQuery(client, filters)), governance_state: governanceState }
  const facets = await client.call('getAgentFacets', { query: asked })
  const rows = Object.entries(facets).flatMap(([filter, counts]) => counts.map((count): Row => ({ filter, ...count })))
  await showRows(rows, { json, output, query }, columns, 'No agents match.')
}

const columns: Column<Row>[] = [
  { title: 'FILTER', value: ({ filter }) => filter },
  { title: 'NAME', value: ({ name }) => name },
  {
    title: 'COUNT',
    value: ({ count, at_least }) => (at_least || count === 10_000 ? `${count} or more` : String(count)),
  },
]
