import type { Tx } from '../db/database.ts'
import { raw } from '../db/statements/statement.ts'

// The column `attention` of an agent is its place when lists show agents with open findings first. A lower number comes first: the
// highest severity of the agent's open findings, then the newest finding of that severity. Agents without open findings have the
// default of the column, which is the highest number. Migration 37 computes the same.
const attention = `select min(case f.severity when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end
    * 1000000000000000 + 999999999999999 - (extract(epoch from f.opened_at) * 1000)::bigint)
  from findings f where f.tenant_id = $1 and f.agent_id = a.id and f.status = 'open'`

const withoutFindings = '9000000000000000'

/**
 * Stores the agent's place among the agents that need attention. Call it after the agent's findings were opened or closed, in
 * the same transaction. The agent's row must be locked.
 */
export async function storeAttention(tx: Tx, agentId: string): Promise<void> {
  const text = `update agents a set attention = coalesce((${attention}), ${withoutFindings})
    where a.tenant_id = $1 and a.id = $2`
  await tx.all(raw(text, [tx.tenantId, agentId]))
}
