import type { Tx } from '../db/database.ts'
import { raw } from '../db/statements/statement.ts'

// The row of an agent's evidence has copies of the values of other tables that decide the agent's execution coverage. So one index
// has all that a count of agents by execution coverage needs. An open finding has a copy too, so that a count can leave out the findings
// of archived agents. The agent's row must be locked.

/** Stores whether the agent has an open finding `coverage_gap`. */
export async function copyGap(tx: Tx, agentId: string, hasGap: boolean): Promise<void> {
  const text = 'update agent_evidence set has_gap = $3 where tenant_id = $1 and agent_id = $2'
  await tx.all(raw(text, [tx.tenantId, agentId, hasGap]))
}

/** Stores that the agent is archived. */
export async function copyArchived(tx: Tx, agentId: string): Promise<void> {
  const inEvidence = 'update agent_evidence set is_archived = true where tenant_id = $1 and agent_id = $2'
  const inFindings = `update findings set is_archived = true where tenant_id = $1 and agent_id = $2 and status = 'open'`
  await Promise.all([inEvidence, inFindings].map((text) => tx.all(raw(text, [tx.tenantId, agentId]))))
}

/**
 * SQL for the values of `environment_id` and `is_archived` in a new row of `agent_evidence`. In the insert, `$1` must be the
 * tenant and `$2` the agent's id.
 */
export const copiedFromAgent = `(select a.environment_id from agents a where a.tenant_id = $1 and a.id = $2),
  (select a.status = 'archived' from agents a where a.tenant_id = $1 and a.id = $2)`
