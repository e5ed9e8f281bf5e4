import { isDeepStrictEqual } from 'node:util'
import type { AuditSource } from '../../audit/record-audit.ts'
import type { Tx } from '../../db/database.ts'
import { addCases } from './add-cases.ts'
import { bounded, type DecisionGap, type DecisionRange, withoutRecords } from './case-items.ts'
import { findCases } from './case-queries.ts'
import { lockAgents, storeEvidence } from './queries.ts'
import { closeFinding } from './record-finding.ts'

const type = 'decision_gap'

/**
 * Records that an edge key left out records, or sent two different records with one `seq`. Opens the finding `decision_gap` on
 * the agent, or adds the gaps to the open finding. Ignores a gap that the open finding already has.
 *
 * Locks the agent's row. A transaction that calls this for several agents must do so in the order of their ids.
 */
export function openDecisionGap(tx: Tx, by: AuditSource, agentId: string, ...items: DecisionGap[]): Promise<void> {
  return addCases(tx, by, agentId, { type, items }, 'edge')
}

/**
 * Records that missing records of keys arrived, which may be a part of a gap. `agentId` is the agent with the finding. Closes the
 * finding when nothing is missing any more. It stays open if it had more gaps than its evidence contains, because nobody can tell
 * whether those are closed. Does nothing if the agent has no such gap.
 *
 * A range must not contain a `seq` that was repeated: a fork has no missing record, and only a person can accept it.
 *
 * Locks the agent's row. A transaction that calls this for several agents must do so in the order of their ids.
 */
export async function closeDecisionGap(
  tx: Tx,
  by: AuditSource,
  agentId: string,
  ...arrived: DecisionRange[]
): Promise<void> {
  await lockAgents(tx, [agentId])
  const agent = await findCases(tx, agentId, type)
  if (!agent || agent.finding_id === null) return
  const { finding_id: id, evidence } = agent
  const gaps = (evidence.items ?? []) as DecisionGap[]
  const left = withoutRecords(gaps, arrived)
  if (isDeepStrictEqual(left, gaps)) return
  if (left.length > 0 || evidence.dropped !== undefined) return await storeEvidence(tx, id, bounded(evidence, left))
  await closeFinding(tx, by, agent, { id, type, evidence }, 'edge')
}
