import type { Review } from '@mandate/contract/reviews'
import { openReview } from '../../agent-state/open-review.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { throwIfRefused } from '../../refusal.ts'
import { requireAgentLocked } from '../agents/require-agent.ts'
import { attestationRefusal } from '../agents/rules.ts'
import { hasPending } from './queries.ts'

/**
 * Opens an attestation review for an agent. The review is assigned to the role `manager`.
 * @throws 404 for an agent that the caller cannot see; 409 while an attestation review is pending
 */
export function requestAttestation(ctx: Ctx<Member>, agentId: string): Promise<Review> {
  return ctx.inTenant(async (tx) => {
    const { name, environment_id } = await requireAgentLocked(tx, ctx.actor, agentId)
    throwIfRefused(attestationRefusal(await hasPending(tx, agentId, 'attestation')))
    return openReview(
      tx,
      ctx,
      { agent_id: agentId, name, environment_id },
      { kind: 'attestation', assignedRole: 'manager', requestedBy: ctx.actor.userId, source: 'control_plane' },
    )
  })
}
