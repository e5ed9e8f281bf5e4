import { recordAgentsChanged } from '../../../agent-state/agent-changed.ts'
import type { AuditSource } from '../../../audit/record-audit.ts'
import type { Tx } from '../../../db/database.ts'
import { storeEvidence } from '../queries.ts'
import { closeFinding, openFinding } from '../record-finding.ts'
import { gapIn } from '../rules.ts'
import { type EvidenceState, findEvidence, storeToldState } from './evidence-queries.ts'

/**
 * Opens and closes the agent's coverage findings after new evidence was stored. The agent's row must be locked. The lock makes
 * edge reports about one agent wait for each other, so the last report sees all evidence.
 */
export async function settleEvidence(tx: Tx, by: AuditSource, agentId: string): Promise<void> {
  const [agent] = await findEvidence(tx, [agentId], by.now)
  if (!agent || agent.has_left) return
  await Promise.all([settleGap(tx, by, agent), closeStale(tx, by, agent), tellState(tx, by, agent)])
}

/**
 * Opens, updates or closes the finding `coverage_gap` (some actions of the agent do not pass an edge). Only fresh evidence
 * closes the finding, because old evidence does not show what the agent does now.
 */
async function settleGap(tx: Tx, by: AuditSource, agent: EvidenceState): Promise<void> {
  const type = 'coverage_gap'
  const { gap: open, attested, observed } = agent
  const evidence = gapIn(agent)
  if (evidence && !open) await openFinding(tx, by, agent, { type, evidence }, 'edge')
  else if (evidence && open && !onSameAxes(evidence, open.evidence)) await storeEvidence(tx, open.id, evidence)
  else if (!evidence && open && isFresh(agent)) {
    await closeFinding(tx, by, agent, { id: open.id, type, evidence: { attested, observed } }, 'edge')
  }
}

/** Evidence that changes no state writes no event. */
async function tellState(tx: Tx, by: AuditSource, agent: EvidenceState): Promise<void> {
  if (agent.state === agent.told_state) return
  await Promise.all([storeToldState(tx, agent.agent_id, agent.state), recordAgentsChanged(tx, [agent], by.now)])
}

async function closeStale(tx: Tx, by: AuditSource, agent: EvidenceState): Promise<void> {
  const { stale_id: id, state, newest_at } = agent
  if (id === null || state === 'stale') return
  await closeFinding(tx, by, agent, { id, type: 'evidence_stale', evidence: { newest_at } }, 'edge')
}

const isFresh = ({ state }: EvidenceState) => state !== 'stale' && state !== 'unknown'

const onSameAxes = (a: object, b: object) => 'attested' in a === 'attested' in b && 'observed' in a === 'observed' in b
