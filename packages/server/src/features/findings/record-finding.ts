import type { FindingType } from '@mandate/contract/agents'
import { recordAgentsChanged } from '../../agent-state/agent-changed.ts'
import { copyGap } from '../../agent-state/evidence-copies.ts'
import type { AuditEvent } from '../../audit/events.ts'
import { type AuditSource, recordAudit } from '../../audit/record-audit.ts'
import type { Tx } from '../../db/database.ts'
import { newId } from '../../db/ids/new-id.ts'
import { insertFinding, storeClosed, storeClosedOf } from './queries.ts'
import { remediations, severityOf } from './rules.ts'

/**
 * The agent of a finding. The agent's row must be locked, so that two transactions cannot open the same type of finding on the
 * agent.
 */
export interface FoundAgent {
  agent_id: string
  name: string
  environment_id: string | null
}

/** The `source` of the audit entries about a finding. */
export type Source = 'control_plane' | 'edge'

type Evidence = object

/** Opens a finding. The caller has checked that no finding of this type is open on the agent. */
export async function openFinding(
  tx: Tx,
  by: AuditSource,
  agent: FoundAgent & { is_production: boolean },
  { type, evidence }: { type: FindingType; evidence: Evidence },
  source: Source,
): Promise<void> {
  const id = newId()
  await Promise.all([
    insertFinding(tx, {
      id,
      agentId: agent.agent_id,
      type,
      severity: severityOf(type, agent.is_production),
      evidence,
      remediation: remediations[type],
      now: by.now,
    }),
    ...(type === 'coverage_gap' ? [copyGap(tx, agent.agent_id, true)] : []),
    recordFinding(tx, by, 'finding.opened', agent, { id, type, evidence }, source),
  ])
}

export async function closeFinding(
  tx: Tx,
  by: AuditSource,
  agent: FoundAgent,
  finding: { id: string; type: FindingType; evidence: Evidence },
  source: Source,
): Promise<void> {
  await Promise.all([
    storeClosed(tx, agent.agent_id, finding.id, by.now),
    ...(finding.type === 'coverage_gap' ? [copyGap(tx, agent.agent_id, false)] : []),
    recordFinding(tx, by, 'finding.closed', agent, finding, source),
  ])
}

/** Closes the agent's open findings of these types, because a change of the agent resolved them. */
export async function endFindings(tx: Tx, by: AuditSource, agent: FoundAgent, types: readonly FindingType[]) {
  if (types.length === 0) return
  const closed = await storeClosedOf(tx, agent.agent_id, types, by.now)
  await Promise.all([
    ...(types.includes('coverage_gap') ? [copyGap(tx, agent.agent_id, false)] : []),
    ...closed.map((finding) => recordFinding(tx, by, 'finding.closed', agent, finding, 'control_plane')),
  ])
}

/** Findings that are part of the execution coverage of an agent. */
const ofCoverage: readonly FindingType[] = ['coverage_gap', 'evidence_stale']

/** Writes an audit entry about a finding. */
export async function recordFinding(
  tx: Tx,
  by: AuditSource,
  event: AuditEvent & `finding.${string}`,
  agent: FoundAgent,
  { id, type, evidence }: { id: string; type: FindingType; evidence: Evidence },
  source: Source,
): Promise<string> {
  if (ofCoverage.includes(type)) await recordAgentsChanged(tx, [agent], by.now)
  return await recordAudit(tx, by, event, {
    resource: { type: 'finding', id, name: agent.name },
    details: { type, ...evidence },
    agentId: agent.agent_id,
    environmentId: agent.environment_id,
    source,
  })
}
