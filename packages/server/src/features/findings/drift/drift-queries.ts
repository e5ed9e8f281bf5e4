import { driftSql, driftStateSql, findingMovedSql, isOpenDriftFinding } from '../../../agent-state/drift.ts'
import type { Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'

/** The configuration that an agent runs, the configuration that is approved for the agent, and the agent's open drift finding. */
export interface DriftState {
  agent_id: string
  name: string
  environment_id: string | null
  is_production: boolean
  running_policy_id: string | null
  running_version: number | null
  running_hash: string | null
  approved_policy_id: string | null
  approved_version: number | null
  approved_hash: string | null
  /**
   * True if the agent runs a policy other than its approval of record (the policy version that a review approved). Null if the
   * agent has no approval of record, or if no heartbeat has reported the policy that it runs.
   */
  drift: boolean | null
  finding_id: string | null
  /** True if the open finding is about a configuration that the agent no longer runs. */
  moved: boolean
}

const running = { policyId: 'r.running_policy_id', hash: 'r.running_hash' }

const driftText = `
  select a.id as agent_id, a.name, a.environment_id, coalesce(e.is_production, false) as is_production,
    r.running_policy_id, r.running_version, r.running_hash, a.approved_policy_id, a.approved_version, a.approved_hash,
    ${driftSql({ agent: 'a', ...running })} as drift, f.id as finding_id,
    f.id is not null and ${findingMovedSql({ finding: 'f', ...running })} as moved
  from agents a
  left join environments e on e.tenant_id = $1 and e.id = a.environment_id
  left join agent_runtime r on r.tenant_id = $1 and r.agent_id = a.id
  left join findings f on f.tenant_id = $1 and f.agent_id = a.id and ${isOpenDriftFinding('f')}
  where a.tenant_id = $1 and a.id = any($2) order by a.id`

/**
 * Returns the drift state of agents. Their rows must be locked, because findings and reviews are only written under that lock.
 */
export function findDrift(tx: Tx, agentIds: readonly string[]): Promise<DriftState[]> {
  return tx.all(raw<DriftState>(driftText, [tx.tenantId, agentIds]))
}

const driftState = driftStateSql({ agent: 'a', ...running })

/**
 * Stores in the rows of agents that a heartbeat named them, and whether they drift. Lists of agents find them by these columns.
 * The first heartbeat makes a registered agent active. The rows must be locked. Returns the agents that changed.
 */
export function storeStandings(tx: Tx, agentIds: readonly string[], now: string) {
  const text = `update agents a set heard = true, drift_state = ${driftState},
      status = case a.status when 'registered' then 'active' else a.status end,
      updated_at = case a.status when 'registered' then $3::timestamptz else a.updated_at end
    from agent_runtime r where a.tenant_id = $1 and a.id = any($2) and r.tenant_id = $1 and r.agent_id = a.id
      and (a.status = 'registered' or not a.heard or a.drift_state <> ${driftState})
    returning a.id as agent_id, a.environment_id`
  return tx.all(raw<{ agent_id: string; environment_id: string | null }>(text, [tx.tenantId, agentIds, now]))
}
