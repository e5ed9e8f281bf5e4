import type { FindingType } from '@mandate/contract/agents'
import type { AuditSource } from '../../../audit/record-audit.ts'
import type { Tx } from '../../../db/database.ts'
import { lockAgents, storeEvidence } from '../queries.ts'
import { openFinding, type Source } from '../record-finding.ts'
import { withItems } from './case-items.ts'
import { findCases } from './case-queries.ts'

/**
 * Adds cases to the agent's finding of this type. Opens the finding if none is open. An open finding has its cases in
 * `evidence.items`, the newest `mostItems` of them. Ignores a case if an equal case is already among them. Does nothing if the
 * agent does not exist.
 *
 * Locks the agent's row until the transaction ends, so that two transactions cannot open two findings. A transaction that adds
 * cases to several agents must do so in the order of their ids.
 */
export async function addCases(
  tx: Tx,
  by: AuditSource,
  agentId: string,
  { type, items }: { type: FindingType; items: readonly object[] },
  source: Source,
): Promise<void> {
  await lockAgents(tx, [agentId])
  const agent = await findCases(tx, agentId, type)
  if (!agent) return
  if (agent.finding_id === null)
    return await openFinding(tx, by, agent, { type, evidence: withItems({}, items) }, source)
  const evidence = withItems(agent.evidence, items)
  if (evidence !== agent.evidence) await storeEvidence(tx, agent.finding_id, evidence)
}
