import type { Review, ReviewResolution } from '@mandate/contract/reviews'
import { recordAgentsChanged } from '../../agent-state/agent-changed.ts'
import { supersedeReviews } from '../../agent-state/open-review.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Tx } from '../../db/database.ts'
import { notFound, throwIfRefused } from '../../refusal.ts'
import { applyChange } from '../agents/change/change-agent.ts'
import { requireAgentLocked } from '../agents/require-agent.ts'
import { endFindings } from '../findings/record-finding.ts'
import { lockTenant } from '../tenants/lock-tenant.ts'
import { approveOfRecord, endDriftIfApproved } from './approve-of-record.ts'
import { requireReview } from './list-reviews.ts'
import { findPolicyName, lockReview, storeOutcome } from './queries.ts'
import { requireMayResolve } from './require-may-resolve.ts'
import { statusRefusal } from './rules.ts'

/**
 * Resolves a pending review. The outcomes `approved` and `attested` set the agent's approval of record (the policy version that
 * drift is measured against). The outcomes `approved` and `rejected` change the agent's lifecycle status. If the outcome makes
 * other reviews of the agent obsolete, they are superseded.
 * @throws 404; the 403 of `requireMayResolve`; 409 if the review is no longer pending, if the agent now runs another policy
 *   version, or if the caller looked at another policy version
 */
export async function resolveReview(ctx: Ctx<Member>, id: string, resolution: ReviewResolution): Promise<Review> {
  const { actor } = ctx
  const { outcome, comment } = resolution
  return ctx.inTenant(async (tx) => {
    const seen = await requireReview(tx, actor, id)
    // A user may resolve a review that they requested only if no other user may resolve it. Locks the tenant, so that no role
    // or seat changes before the commit and this condition stays true.
    if (seen.requested_by === actor.userId) await lockTenant(tx)
    const agent = await requireAgentLocked(tx, actor, seen.agent_id)
    const review = await lockReview(tx, id)
    if (!review) throw notFound('review')
    await requireMayResolve(tx, actor, review, outcome)
    throwIfRefused(statusRefusal(review))
    const reviewed = { agent_id: agent.id, name: agent.name, environment_id: agent.environment_id }
    const approval = outcome === 'rejected' ? null : await approveOfRecord(tx, ctx, review, resolution.policy)
    const resolved = await storeOutcome(tx, id, { outcome, comment, userId: actor.userId, now: ctx.now })
    await recordAudit(tx, ctx, 'review.resolved', {
      resource: { type: 'review', id, name: agent.name },
      details: {
        kind: review.kind,
        outcome,
        comment,
        ...(approval && {
          approved: {
            policy_id: approval.policyId,
            policy_name: await findPolicyName(tx, approval.policyId),
            version: approval.version,
            content_hash: approval.hash,
          },
        }),
      },
      agentId: agent.id,
      environmentId: agent.environment_id,
    })
    if (outcome !== 'attested') await moveLifecycle(tx, ctx, agent, outcome, comment)
    if (outcome === 'approved') {
      await supersedeReviews(tx, ctx, reviewed, ['onboarding', 'change', 'attestation'], 'control_plane')
      await endFindings(tx, ctx, reviewed, ['unapproved_running'])
    }
    await endFindings(tx, ctx, reviewed, ['approval_without_record'])
    if (outcome !== 'rejected') await endDriftIfApproved(tx, ctx, agent.id)
    if (approval) await recordAgentsChanged(tx, [reviewed], ctx.now)
    return resolved
  })
}

/**
 * Throws the 404 or 403 of `resolveReview`. Runs only if the body is invalid. The 404 or 403 takes precedence over the 400 for
 * the body.
 */
export async function refuseResolution(ctx: Ctx<Member>, id: string, outcome: unknown): Promise<void> {
  await requireMayResolve(ctx.sql, ctx.actor, await requireReview(ctx.sql, ctx.actor, id), outcome)
}

async function moveLifecycle(
  tx: Tx,
  ctx: Ctx<Member>,
  agent: Awaited<ReturnType<typeof requireAgentLocked>>,
  outcome: 'approved' | 'rejected',
  reason: string,
): Promise<void> {
  const previous = agent.lifecycle_status
  const wanted = outcome === 'approved' ? 'approved' : 'blocked'
  if (wanted === previous) return
  await applyChange(tx, ctx, agent, {
    set: { lifecycle_status: wanted },
    event: 'agent.lifecycle.changed',
    details: { previous_state: previous, new_state: wanted, reason },
  })
}
