import type { Client } from '@mandate/sdk/client'
import type { Input, Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { connect } from '../connection/connect.ts'
import { type GovernanceState, governanceStates } from '../find/governance-states.ts'
import { usageFailure } from '../invocation/failure.ts'
import { note } from '../output/note.ts'
import { type ListOptions, showList } from '../output/show.ts'
import type { Column } from '../output/table.ts'
import { type AgentFilterOptions, agentQuery } from './agent-filters.ts'
import { driftText } from './drift-text.ts'

type Agent = Schema<'Agent'>
type Query = NonNullable<Input<'listAgents'>['query']>

interface Options extends ListOptions, AgentFilterOptions {
  governanceState?: GovernanceState | 'all'
  archived?: boolean
  sort: NonNullable<Query['sort']>
}

/**
 * Lists agents of every governance state, newest first. In another order, lists the agents of one state, by default the
 * governed agents. Hides archived agents by default and prints their count on standard error.
 */
export async function listAgents(options: Options): Promise<void> {
  const { client } = await connect()
  const { governanceState, archived, sort, limit, json, output, query: shownFields, ...filters } = options
  if (governanceState === 'all' && sort !== 'newest') {
    throw usageFailure(`--sort ${sort} orders the agents of one governance state, not of all`)
  }
  const all = governanceState === undefined ? sort === 'newest' : governanceState === 'all'
  const states = all ? governanceStates : [(governanceState ?? 'governed') as GovernanceState]
  const query = { ...(await agentQuery(client, filters)), sort }
  const withArchived = archived === true || filters.status !== undefined
  let leftOut = 0
  let isWhole = false
  async function* shown(): AsyncGenerator<Agent> {
    for await (const agent of newestFirst(client, states, query)) {
      if (withArchived || agent.status !== 'archived') yield agent
      else leftOut++
    }
    isWhole = true
  }
  await showList(shown(), { limit, json, output, query: shownFields }, columns, 'No agents match.')
  if (leftOut > 0) note(`${archivedText(leftOut, isWhole)} not shown; --archived shows them`)
}

/** The API lists one governance state at a time. This merges the lists by creation time. */
async function* newestFirst(client: Client, states: readonly GovernanceState[], query: Query): AsyncGenerator<Agent> {
  const lists = states.map((governance_state) =>
    eachOf(client, 'listAgents', { query: { ...query, governance_state } }),
  )
  if (lists.length === 1) {
    yield* lists[0] as (typeof lists)[number]
    return
  }
  const heads = await Promise.all(lists.map(async (list) => ({ list, next: await list.next() })))
  for (;;) {
    const [first] = heads
      .filter(({ next }) => !next.done)
      .sort((a, b) => ((a.next.value as Agent).created_at < (b.next.value as Agent).created_at ? 1 : -1))
    if (!first) return
    yield first.next.value as Agent
    first.next = await first.list.next()
  }
}

function archivedText(count: number, isWhole: boolean): string {
  const atLeast = isWhole ? '' : 'at least '
  return count === 1 ? `${atLeast}1 archived agent is` : `${atLeast}${count} archived agents are`
}

const columns: Column<Agent>[] = [
  { title: 'NAME', value: ({ name }) => name },
  {
    title: 'STATUS',
    value: ({ status }) => status,
    color: ({ status }) => (status === 'suspended' ? 'red' : undefined),
  },
  {
    title: 'LIFECYCLE_STATUS',
    value: (agent) => agent.lifecycle_status,
    color: (agent) =>
      (({ approved: 'green', blocked: 'red', proposed: 'yellow', retired: undefined }) as const)[
        agent.lifecycle_status
      ],
  },
  { title: 'ENVIRONMENT', value: ({ environment }) => environment?.slug },
  { title: 'GOVERNANCE_STATE', value: (agent) => agent.governance_state },
  { title: 'POLICY', value: ({ policy }) => policy && `${policy.name} v${policy.version}` },
  { title: 'EXECUTION_COVERAGE_STATE', value: (agent) => agent.execution_coverage_state },
  { title: 'DRIFT', value: ({ drift }) => driftText(drift), color: ({ drift }) => (drift ? 'red' : undefined) },
  { title: 'ID', value: ({ id }) => id },
]
