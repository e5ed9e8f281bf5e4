import type { Review, ReviewResolution } from '@mandate/contract/reviews'
import { supersedeReviews } from '../../agent-state/open-review.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Tx } from '../../db/database.ts'
import { throwIfRefused } from '../../refusal.ts'
import { closeDriftFinding } from '../findings/drift/drift-finding.ts'
import { findDriftOf } from '../findings/drift/find-drift-of.ts'
import { type Approval, lockPolicyInForceForShare, storeApproval } from './queries.ts'
import { runningRefusal, seenRefusal } from './rules.ts'

/**
 * Sets and returns the approval of record of an agent (the policy version that drift is measured against). After a change
 * review, this is the policy version that the agent runs. After any other review, it is the current version of the agent's
 * policy, or null if the agent has no policy. The agent's row must be locked. `seen` is the version that the caller looked at.
 * @throws 409 if the agent no longer runs the policy that the change review was opened for, or if the policy that it runs is
 *   unknown; 409 if it is another version than `seen`
 */
export async function approveOfRecord(
  tx: Tx,
  ctx: Ctx<Member>,
  review: Review,
  seen: ReviewResolution['policy'],
): Promise<Approval | null> {
  const { agent_id: agentId, kind } = review
  const approval =
    kind === 'change' ? await runningOf(tx, agentId) : ((await lockPolicyInForceForShare(tx, agentId)) ?? null)
  throwIfRefused(seenRefusal(seen, approval))
  const by = { userId: ctx.actor.userId, reviewId: review.id }
  await storeApproval(tx, agentId, approval && { ...approval, ...by }, ctx.now)
  return approval
}

async function runningOf(tx: Tx, agentId: string): Promise<Approval> {
  const {
    running_policy_id: policyId,
    running_version: version,
    running_hash: hash,
    moved,
  } = await findDriftOf(tx, agentId)
  const unknown = policyId === null || hash === null
  throwIfRefused(runningRefusal({ running_unknown: unknown, running_moved: moved }))
  return { policyId: policyId as string, version, hash: hash as string }
}

/** Closes the drift finding and the change review of an agent if the agent runs the policy version that was just approved. */
export async function endDriftIfApproved(tx: Tx, ctx: Ctx<Member>, agentId: string): Promise<void> {
  const agent = await findDriftOf(tx, agentId)
  if (agent.drift !== false) return
  await Promise.all([
    closeDriftFinding(tx, ctx, agent, 'control_plane'),
    supersedeReviews(tx, ctx, agent, ['change'], 'control_plane'),
  ])
}
