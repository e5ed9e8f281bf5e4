import type { AuditSource } from '../../../audit/record-audit.ts'
import type { Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import { type FoundAgent, openFinding } from '../record-finding.ts'

const type = 'approval_without_record'

/**
 * SQL that selects whether the agent is in production, and `is_missing`: true if the agent has no approval of record (the
 * policy version that a review approved). `is_missing` is false for archived and suppressed agents, because no finding is
 * opened on them.
 */
const recordText = `select a.approved_hash is null and a.status <> 'archived' and a.governance_state <> 'suppressed' as is_missing,
    coalesce(e.is_production, false) as is_production
  from agents a left join environments e on e.tenant_id = $1 and e.id = a.environment_id
  where a.tenant_id = $1 and a.id = $2`

/**
 * Opens the finding `approval_without_record` on an agent that was just approved without a review. Does nothing if the agent
 * has an approval of record (the policy version that a review approved). The agent's row must be locked. The finding cannot be
 * open already, because each change of the lifecycle status away from `approved` closes it.
 */
export async function openWithoutRecord(tx: Tx, by: AuditSource, agent: FoundAgent): Promise<void> {
  const statement = raw<{ is_missing: boolean; is_production: boolean }>(recordText, [tx.tenantId, agent.agent_id])
  const { is_missing, is_production } = await tx.one(statement)
  if (!is_missing) return
  await openFinding(tx, by, { ...agent, is_production }, { type, evidence: {} }, 'control_plane')
}
