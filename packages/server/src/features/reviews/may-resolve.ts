import type { Review } from '@mandate/contract/reviews'
import type { Member } from '../../authz/actor.ts'
import { requireAuthority, requireOwner } from '../../authz/can.ts'
import type { Sql } from '../../db/database.ts'
import { forbidden } from '../../refusal.ts'
import { findStakes, hasOtherResolver } from './queries.ts'

/**
 * Checks whether the actor may resolve a review with this outcome. The review's assigned role is not enough: a favourable outcome
 * also resolves the agent's other pending reviews, and `approved` changes the agent. So if one of the other reviews is reserved
 * for owners, only an owner may choose a favourable outcome.
 * @throws 403
 */
export async function requireMayResolve(db: Sql, actor: Member, review: Review, outcome: unknown): Promise<void> {
  const byOwner = await isOwnersOnly(db, review, outcome)
  if (byOwner) requireOwner(actor, 'only an owner may resolve this review')
  else requireAuthority(actor, 'manager', 'only a manager or above may resolve this review')
  if (review.requested_by !== actor.userId) return
  const roles = byOwner ? ['owner'] : ['manager', 'owner']
  if (await hasOtherResolver(db, { userId: actor.userId, agentId: review.agent_id, roles })) {
    throw forbidden('another user must resolve this review, because you requested it')
  }
}

async function isOwnersOnly(db: Sql, review: Review, outcome: unknown): Promise<boolean> {
  if (review.assigned_role === 'owner') return true
  if (outcome === 'rejected') return false
  const { is_production, lifecycle_status, owners_asked } = await findStakes(db, review.agent_id, review.id)
  return owners_asked || (outcome === 'approved' && is_production && lifecycle_status !== 'approved')
}
