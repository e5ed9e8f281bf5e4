import type { Schema } from '@mandate/sdk/operation'
import { connect } from '../connection/connect.ts'
import { agentId } from '../find/find-agent.ts'
import type { OutputOptions } from '../output/format.ts'
import { showOne } from '../output/show.ts'
import { type Column, minute } from '../output/table.ts'
import { driftText } from './drift-text.ts'

type Agent = Schema<'Agent'>

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
  { title: 'Approval of record', value: recordText },
  {
    title: 'Approved',
    value: ({ approved_policy: record }) => record?.approved_at && `${minute(record.approved_at)} UTC`,
  },
  { title: 'Running', value: ({ running_policy: at, policy }) => at && versionOf(at, policy) },
  { title: 'Running since', value: ({ running_policy: at }) => at?.since && `${minute(at.since)} UTC` },
  { title: 'Reported by', value: ({ running_policy: at }) => at?.edge && edgeText(at.edge) },
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

/** Returns a text that names the approval of record (the policy version that a review approved), or says that it is missing. */
function recordText({ approved_policy, policy }: Agent): string {
  return approved_policy
    ? versionOf(approved_policy, policy)
    : 'none: no review has approved a policy, so drift is not detected'
}

/** Returns a text for a policy version. The text names the agent's own policy by its name, and any other policy by its id. */
export function versionOf({ id, version }: { id: string; version: number | null }, policy: Agent['policy']): string {
  return `v${version ?? '?'} of ${policy?.id === id ? policy.name : id}`
}

function edgeText({ name, version }: NonNullable<NonNullable<Agent['running_policy']>['edge']>): string {
  return version ? `${name}, edge version ${version}` : name
}
