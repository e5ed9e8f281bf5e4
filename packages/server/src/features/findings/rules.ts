import type { Finding, FindingType, Severity } from '@mandate/contract/agents'
import { findingTypes } from '@mandate/contract/words/agent-words'
import { conflict, type Refusal } from '../../refusal.ts'

/** The severity of a finding in production, and in other environments. */
const severities: Record<FindingType, readonly [Severity, Severity]> = {
  policy_drift_unapproved: ['high', 'medium'],
  unapproved_running: ['high', 'medium'],
  coverage_gap: ['high', 'medium'],
  evidence_stale: ['medium', 'low'],
  approval_without_record: ['low', 'low'],
  decision_gap: ['high', 'medium'],
  tool_definition_changed: ['high', 'medium'],
}

export function severityOf(type: FindingType, isProduction: boolean): Severity {
  const [inProduction, elsewhere] = severities[type]
  return isProduction ? inProduction : elsewhere
}

/** What is wrong with the agent, as a sentence without its full stop. */
export const findingSentences: Record<FindingType, string> = {
  policy_drift_unapproved: 'The agent runs a policy that nobody approved',
  unapproved_running: 'The agent runs without approval',
  approval_without_record: 'The agent was approved without a review',
  coverage_gap: 'The agent can act past its edge',
  evidence_stale: 'The evidence of the agent is stale',
  decision_gap: 'Decisions of the agent are missing',
  tool_definition_changed: 'The agent can call a tool whose definition changed',
}

export const remediations: Record<FindingType, string> = {
  policy_drift_unapproved:
    "approve the change review, which makes the running policy the approved one, or bring the approved version back: restore it from the policy's history, or assign its policy again if another policy is assigned",
  unapproved_running: 'approve the agent through its review, or stop it where it runs',
  approval_without_record:
    'request an attestation review of the agent (POST /agents/{agent_id}/reviews) and resolve it; a review sets the approval of record',
  coverage_gap:
    "route everything the agent does through the edge's mediation points: its MCP gateway, and functions guarded by the SDK. " +
    'Hooks and other callers of /edge/v1/decide count as partial, because they may disregard the answer. Fresh evidence closes the finding',
  evidence_stale: 'see to it that the agent and its edge run and report; fresh evidence closes the finding',
  decision_gap:
    'find out why records are missing or doubled: start the edge again with its state folder, so that it sends what its spool holds. ' +
    'The finding closes when the missing records arrive. If they are lost, accept the finding with a reason (POST /findings/{finding_id}/accept)',
  tool_definition_changed:
    'read what changed (GET /tools/{tool_id}), then pin the new definition, or block the tool and find out why its server changed it',
}

/**
 * Whether a finding closes when its agent is archived or suppressed. A drift finding stays open, because it depends only on the
 * approved and the running configuration.
 */
const closesByArchiving: Record<FindingType, boolean> = {
  approval_without_record: true,
  decision_gap: false,
  tool_definition_changed: true,
  coverage_gap: true,
  evidence_stale: true,
  policy_drift_unapproved: false,
  unapproved_running: true,
}

export const closedByArchiving = findingTypes.filter((type) => closesByArchiving[type])

const acceptable: FindingType = 'decision_gap'

/** Returns the 409 for a finding that nobody can accept. */
export function acceptanceRefusal({ type, status }: Pick<Finding, 'type' | 'status'>): Refusal | undefined {
  if (type !== acceptable)
    return conflict(
      `only a finding of the type ${acceptable} can be accepted; this ${type} closes when its cause is gone`,
    )
  return status === 'open' ? undefined : conflict('this finding is already closed')
}

/**
 * The agent's latest attestation, and the latest reporting window in which the agent's actions were counted. Each is null if it
 * does not exist.
 */
export interface Axes {
  attested: { mode: 'full' | 'partial' | 'none'; attested_at: string } | null
  observed: {
    window_start: string
    window_end: string
    actions_seen: number
    actions_mediated: number
    unmediated_seen: number
  } | null
}

/**
 * Returns the attestation or reporting window that shows a coverage gap (actions that do not pass an edge), as the finding
 * stores it. Returns null if there is no gap.
 */
export function gapIn({ attested, observed }: Axes): Partial<Axes> | null {
  const inClaim = attested !== null && attested.mode !== 'full'
  const inSight =
    observed !== null && (observed.unmediated_seen > 0 || observed.actions_mediated < observed.actions_seen)
  if (!inClaim && !inSight) return null
  return { ...(inClaim && { attested }), ...(inSight && { observed }) }
}
