import type { AuditSource } from '../../../audit/record-audit.ts'
import type { Tx } from '../../../db/database.ts'
import { storeEvidence } from '../queries.ts'
import { closeFinding, openFinding, type Source } from '../record-finding.ts'
import type { DriftState } from './drift-queries.ts'

const type = 'policy_drift_unapproved'

/** Opens the drift finding on an agent. The caller has locked the agent's row. */
export function openDriftFinding(tx: Tx, by: AuditSource, agent: DriftState, source: Source): Promise<void> {
  return openFinding(tx, by, agent, { type, evidence: evidenceOf(agent) }, source)
}

/** Updates the open finding, because the agent now runs another unapproved configuration. */
export function renewDriftFinding(tx: Tx, findingId: string, agent: DriftState): Promise<void> {
  return storeEvidence(tx, findingId, evidenceOf(agent))
}

/** Closes the drift finding of an agent. The caller has locked the agent's row. */
export async function closeDriftFinding(tx: Tx, by: AuditSource, agent: DriftState, source: Source): Promise<void> {
  const { finding_id: id } = agent
  if (id !== null) await closeFinding(tx, by, agent, { id, type, evidence: evidenceOf(agent) }, source)
}

function evidenceOf(agent: DriftState) {
  const { running_policy_id, running_version, running_hash, approved_policy_id, approved_version, approved_hash } =
    agent
  return {
    running: { policy_id: running_policy_id, version: running_version, content_hash: running_hash },
    approved: { policy_id: approved_policy_id, version: approved_version, content_hash: approved_hash },
  }
}
