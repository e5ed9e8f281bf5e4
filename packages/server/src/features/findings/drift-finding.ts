import { type AuditSource, recordAudit } from '../../audit/record-audit.ts'
import type { Tx } from '../../db/database.ts'
import { newId } from '../../db/new-id.ts'
import { type DriftState, insertDriftFinding, storeClosed, storeEvidence } from './queries.ts'

const remediation =
  "approve the change review, which makes the running policy the approved one, or restore the approved version from the policy's history"

type Source = 'control_plane' | 'edge'

/** Raises the finding on an agent, whose row is locked. */
export async function openDriftFinding(tx: Tx, by: AuditSource, agent: DriftState, source: Source): Promise<void> {
  const id = newId()
  const severity = agent.is_production ? 'high' : 'medium'
  const evidence = evidenceOf(agent)
  await Promise.all([
    insertDriftFinding(tx, { id, agentId: agent.agent_id, severity, evidence, remediation, now: by.now }),
    recordFinding(tx, by, 'finding.opened', agent, id, source),
  ])
}

/** Notes that the agent runs another unapproved configuration by now: the finding stays the one it is. */
export function renewDriftFinding(tx: Tx, findingId: string, agent: DriftState): Promise<void> {
  return storeEvidence(tx, findingId, evidenceOf(agent))
}

/** Closes the finding of an agent, whose row is locked. */
export async function closeDriftFinding(tx: Tx, by: AuditSource, agent: DriftState, source: Source): Promise<void> {
  const { finding_id: id } = agent
  if (id === null) return
  await Promise.all([storeClosed(tx, id, by.now), recordFinding(tx, by, 'finding.closed', agent, id, source)])
}

function evidenceOf(agent: DriftState) {
  const { running_policy_id, running_version, running_hash, approved_policy_id, approved_version, approved_hash } =
    agent
  return {
    running: { policy_id: running_policy_id, version: running_version, content_hash: running_hash },
    approved: { policy_id: approved_policy_id, version: approved_version, content_hash: approved_hash },
  }
}

function recordFinding(
  tx: Tx,
  by: AuditSource,
  event: 'finding.opened' | 'finding.closed',
  agent: DriftState,
  id: string,
  source: Source,
): Promise<void> {
  return recordAudit(tx, by, event, {
    resource: { type: 'finding', id, name: agent.name },
    details: { type: 'policy_drift_unapproved', ...evidenceOf(agent) },
    agentId: agent.agent_id,
    environmentId: agent.environment_id,
    source,
  })
}
