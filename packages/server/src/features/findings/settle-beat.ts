import { openReview, supersedeReviews } from '../../agent-state/open-review.ts'
import type { AuditSource } from '../../audit/record-audit.ts'
import type { EdgeActor } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Tx } from '../../db/database.ts'
import { closeDriftFinding, openDriftFinding, renewDriftFinding } from './drift-finding.ts'
import { type DriftState, findDrift } from './drift-queries.ts'
import { lockAgents } from './queries.ts'
import { closeFinding, openFinding } from './record-finding.ts'
import { findRunning, type RunningState } from './unapproved-queries.ts'

/** Agents a transaction holds at once: a save of a policy reaches all that are bound to it in one beat. */
const atOnce = 500

/**
 * Brings findings and change reviews in line with what the agents run by the heartbeat just stored. After the heartbeat's own
 * transaction, so that beats do not wait for reviewers; what fails here is found again by the next one.
 */
export async function settleBeat(ctx: Ctx<EdgeActor>, agentIds: readonly string[]): Promise<void> {
  for (let from = 0; from < agentIds.length; from += atOnce) {
    const some = agentIds.slice(from, from + atOnce)
    await ctx.inTenant(async (tx) => {
      const [, drifts, runnings] = await Promise.all([lockAgents(tx, some), findDrift(tx, some), findRunning(tx, some)])
      await Promise.all([
        ...drifts.map((agent) => settleDrift(tx, ctx, agent)),
        ...runnings.map((agent) => settleUnapproved(tx, ctx, agent)),
      ])
    })
  }
}

/** Missing approval or report: nothing is known, nothing changes. */
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

/** A reviewer answers for the configuration they were asked about: one about an earlier one is superseded. */
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
