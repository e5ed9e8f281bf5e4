import { isOpenUnapprovedFinding, isReportedSql, runsUnapprovedSql } from '../../../agent-state/unapproved.ts'
import type { Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import type { FoundAgent } from '../record-finding.ts'

/** An agent's lifecycle status, what it runs according to its latest heartbeat, and its open `unapproved_running` finding. */
export interface RunningState extends FoundAgent {
  is_production: boolean
  lifecycle_status: string
  running_policy_id: string | null
  running_version: number | null
  running_hash: string | null
  runs_unapproved: boolean
  finding_id: string | null
}

const text = `
  select a.id as agent_id, a.name, a.environment_id, coalesce(e.is_production, false) as is_production, a.lifecycle_status,
    r.running_policy_id, r.running_version, r.running_hash, ${runsUnapprovedSql({ agent: 'a', isReported: isReportedSql('r') })} as runs_unapproved,
    f.id as finding_id
  from agents a
  join agent_runtime r on r.tenant_id = $1 and r.agent_id = a.id
  left join environments e on e.tenant_id = $1 and e.id = a.environment_id
  left join findings f on f.tenant_id = $1 and f.agent_id = a.id and ${isOpenUnapprovedFinding('f')}
  where a.tenant_id = $1 and a.id = any($2) order by a.id`

/** Returns the state of the agents that have sent a heartbeat. Leaves out the other agents. The agents' rows must be locked. */
export function findRunning(tx: Tx, agentIds: readonly string[]): Promise<RunningState[]> {
  return tx.all(raw<RunningState>(text, [tx.tenantId, agentIds]))
}
