import { recordAgentsChanged } from '../../../agent-state/agent-changed.ts'
import { openReview, supersedeReviews } from '../../../agent-state/open-review.ts'
import type { AuditSource } from '../../../audit/record-audit.ts'
import type { EdgeActor } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { closeDriftFinding, openDriftFinding, renewDriftFinding } from '../drift/drift-finding.ts'
import { type DriftState, findDrift, storeStandings } from '../drift/drift-queries.ts'
import { lockAgents } from '../queries.ts'
import { closeFinding, openFinding } from '../record-finding.ts'
import { findRunning, type RunningState } from './unapproved-queries.ts'

/**
 * Maximum number of agents that one transaction locks. A limit is needed, because after a save of a policy one heartbeat can
 * report drift for all agents of this policy.
 */
const atOnce = 500

/**
 * Opens, updates and closes findings and change reviews after a heartbeat has reported which policy version each agent runs.
 * Corrects `status`, `drift_state` and `heard` in the rows of the agents. It uses its own transactions, so that storing a
 * heartbeat does not wait for a lock of a reviewer's request. If it fails, the next heartbeat tries again.
 */
export async function settleHeartbeat(ctx: Ctx<EdgeActor>, agentIds: readonly string[]): Promise<void> {
  for (let from = 0; from < agentIds.length; from += atOnce) {
    const some = agentIds.slice(from, from + atOnce)
    await ctx.inTenant(async (tx) => {
      const [, drifts, runnings, changed] = await Promise.all([
        lockAgents(tx, some),
        findDrift(tx, some),
        findRunning(tx, some),
        storeStandings(tx, some, ctx.now),
      ])
      await Promise.all([
        recordAgentsChanged(tx, changed, ctx.now),
        ...drifts.map((agent) => settleDrift(tx, ctx, agent)),
        ...runnings.map((agent) => settleUnapproved(tx, ctx, agent)),
      ])
    })
  }
}

/**
 * Opens, updates or closes the drift finding and the change review of an agent. Does nothing if `drift` is null, which means
 * that the agent has no approval of record or has not reported the policy that it runs.
 */
async function settleDrift(tx: Tx, by: AuditSource, agent: DriftState): Promise<void> {
  const { drift, finding_id: findingId, moved } = agent
  if (drift === false && findingId !== null) {
    await Promise.all([closeDriftFinding(tx, by, agent, 'edge'), supersedeReviews(tx, by, agent, ['change'], 'edge')])
  } else if (drift && findingId === null) {
    await Promise.all([openDriftFinding(tx, by, agent, 'edge'), openChangeReview(tx, by, agent)])
  } else if (drift && findingId !== null && moved) {
    await Promise.all([renewDriftFinding(tx, findingId, agent), openChangeReview(tx, by, agent)])
  }
}

/** A review is about the configuration that ran when it was opened, so a review of an earlier configuration is superseded. */
async function openChangeReview(tx: Tx, by: AuditSource, agent: DriftState): Promise<void> {
  await supersedeReviews(tx, by, agent, ['change'], 'edge')
  const assignedRole = agent.is_production ? 'owner' : 'manager'
  await openReview(tx, by, agent, { kind: 'change', assignedRole, requestedBy: null, source: 'edge' })
}

async function settleUnapproved(tx: Tx, by: AuditSource, agent: RunningState): Promise<void> {
  const { lifecycle_status, running_policy_id, running_version, running_hash, finding_id: id } = agent
  const type = 'unapproved_running'
  const running = { policy_id: running_policy_id, version: running_version, content_hash: running_hash }
  const evidence = { lifecycle_status, running }
  if (agent.runs_unapproved && id === null) await openFinding(tx, by, agent, { type, evidence }, 'edge')
  if (!agent.runs_unapproved && id !== null) await closeFinding(tx, by, agent, { id, type, evidence }, 'edge')
}
