import { isDeepStrictEqual } from 'node:util'
import type { AuditSource } from '../../../audit/record-audit.ts'
import type { Tx } from '../../../db/database.ts'
import { addCases } from '../cases/add-cases.ts'
import { bounded, type DecisionGap, type DecisionRange, withoutRecords } from '../cases/case-items.ts'
import { findCases } from '../cases/case-queries.ts'
import { lockAgents, storeEvidence } from '../queries.ts'
import { closeFinding } from '../record-finding.ts'

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
 * finding when no gap or fork is left. `findOpen` returns those that are stored and were opened since the finding was opened: its
 * evidence does not have all of them if there were too many. A fork stays, because it has no missing record. Only a person can
 * accept it. Does nothing if the agent has no such finding.
 *
 * Locks the agent's row. A transaction that calls this for several agents must do so in the order of their ids.
 */
export async function closeDecisionGap(
  tx: Tx,
  by: AuditSource,
  agentId: string,
  arrived: readonly DecisionRange[],
  findOpen: (since: string) => Promise<DecisionGap[]>,
): Promise<void> {
  await lockAgents(tx, [agentId])
  const agent = await findCases(tx, agentId, type)
  if (!agent || agent.finding_id === null) return
  const { finding_id: id, evidence, opened_at } = agent
  const { dropped: _, ...rest } = evidence
  const left = withoutRecords((evidence.items ?? []) as DecisionGap[], arrived)
  const stored = await findOpen(opened_at)
  const open = [...stored.filter((gap) => !left.some((one) => isSameRange(one, gap))), ...left]
  if (open.length === 0) return await closeFinding(tx, by, agent, { id, type, evidence }, 'edge')
  const shown = bounded(rest, open)
  if (!isDeepStrictEqual(shown, evidence)) await storeEvidence(tx, id, shown)
}

function isSameRange(one: DecisionRange, other: DecisionRange): boolean {
  return one.kid === other.kid && one.from === other.from && one.to === other.to
}
