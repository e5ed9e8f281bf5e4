import type { Client } from '@mandate/sdk/client'
import type { Input, Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { connect } from '../connection/connect.ts'
import { type ListOptions, type OutputOptions, showList, showOne } from '../output/show.ts'
import { type Column, minute } from '../output/table.ts'
import { agentId, type GovernanceState, governanceStates } from './find-agent.ts'

type Agent = Schema<'Agent'>
type Query = NonNullable<Input<'listAgents'>['query']>

interface Options extends ListOptions {
  governanceState: GovernanceState | 'all'
  status?: Query['status']
  lifecycle?: Query['lifecycle_status']
  coverage?: Query['execution_coverage']
  source?: Query['source']
  search?: string
}

export async function listAgents(options: Options): Promise<void> {
  const { client } = await connect()
  const { governanceState, status, lifecycle, coverage, source, search, ...output } = options
  const states = governanceState === 'all' ? governanceStates : [governanceState]
  const query = { status, lifecycle_status: lifecycle, execution_coverage: coverage, source, search }
  const empty =
    governanceState === 'governed'
      ? 'No governed agents match; --governance-state discovered shows those that have no policy yet.'
      : 'No agents match.'
  await showList(inStates(client, states, query), output, columns, empty)
}

async function* inStates(client: Client, states: readonly GovernanceState[], query: Query): AsyncGenerator<Agent> {
  for (const governance_state of states) yield* eachOf(client, 'listAgents', { query: { ...query, governance_state } })
}

const columns: Column<Agent>[] = [
  { title: 'NAME', value: ({ name }) => name },
  {
    title: 'STATUS',
    value: ({ status }) => status,
    color: ({ status }) => (status === 'suspended' ? 'red' : undefined),
  },
  {
    title: 'LIFECYCLE',
    value: (agent) => agent.lifecycle_status,
    color: (agent) =>
      (({ approved: 'green', blocked: 'red', proposed: 'yellow', retired: undefined }) as const)[
        agent.lifecycle_status
      ],
  },
  { title: 'ENVIRONMENT', value: ({ environment }) => environment?.slug },
  { title: 'POLICY', value: ({ policy }) => policy && `${policy.name} v${policy.version}` },
  { title: 'COVERAGE', value: (agent) => agent.execution_coverage_state },
  { title: 'DRIFT', value: ({ drift }) => driftText(drift), color: ({ drift }) => (drift ? 'red' : undefined) },
  { title: 'ID', value: ({ id }) => id },
]

export async function showAgent(named: string, options: OutputOptions): Promise<void> {
  const { client } = await connect()
  const agent_id = await agentId(client, named)
  showOne(await client.call('getAgent', { path: { agent_id } }), options, fields)
}

export const fields: Column<Agent>[] = [
  { title: 'Name', value: ({ name }) => name },
  { title: 'Id', value: ({ id }) => id },
  { title: 'Description', value: ({ description }) => description },
  { title: 'Status', value: ({ status }) => status },
  { title: 'Lifecycle', value: (agent) => agent.lifecycle_status },
  { title: 'Governance', value: (agent) => `${agent.governance_state}, mode ${agent.governance_mode ?? '-'}` },
  { title: 'Environment', value: ({ environment }) => environment?.slug },
  { title: 'Source', value: ({ source }) => source },
  { title: 'Policy', value: ({ policy }) => policy && `${policy.name} v${policy.version} (${policy.id})` },
  { title: 'Approved', value: (agent) => agent.approved_policy && versionOf(agent.approved_policy) },
  { title: 'Running', value: (agent) => agent.running_policy && versionOf(agent.running_policy) },
  { title: 'Drift', value: ({ drift }) => driftText(drift) },
  { title: 'Coverage', value: (agent) => agent.execution_coverage_state },
  {
    title: 'Open findings',
    value: (agent) => agent.execution_coverage.findings.map(({ type }) => type).join(', ') || 'none',
  },
  { title: 'Framework', value: ({ framework, model }) => [framework, model].filter(Boolean).join(', ') },
  { title: 'Tools', value: ({ tools }) => tools.join(' ') },
  { title: 'Last heartbeat', value: (agent) => agent.last_heartbeat_at },
  { title: 'Created', value: ({ created_at }) => `${minute(created_at)} UTC` },
]

function versionOf({ id, version }: { id: string; version: number | null }): string {
  return `v${version ?? '?'} of ${id}`
}

function driftText(drift: boolean | null): string | undefined {
  if (drift === null) return undefined
  return drift ? 'yes' : 'no'
}
