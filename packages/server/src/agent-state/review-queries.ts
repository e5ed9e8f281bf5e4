import type { Review, ReviewKind } from '@mandate/contract/reviews'
import type { Tx } from '../db/database.ts'
import { environmentOfAgent } from '../db/record-list.ts'
import { raw } from '../db/statement.ts'

/** The columns of a review in an SQL statement. */
export const reviewColumns =
  'id, agent_id, kind, status, assigned_role, requested_by, opened_at, resolved_by, resolved_at, comment'

export interface NewReview {
  id: string
  agentId: string
  kind: ReviewKind
  assignedRole: 'manager' | 'owner'
  requestedBy: string | null
  now: string
}

export function insertReview(tx: Tx, { id, agentId, kind, assignedRole, requestedBy, now }: NewReview) {
  const text = `insert into reviews (tenant_id, id, agent_id, environment_id, kind, status, assigned_role, requested_by, opened_at)
    values ($1, $2, $3, ${environmentOfAgent}, $4, 'pending', $5, $6, $7) returning ${reviewColumns}`
  return tx.one(raw<Review>(text, [tx.tenantId, id, agentId, kind, assignedRole, requestedBy, now]))
}

/**
 * Marks the pending reviews of these kinds as `superseded`, for one agent. Returns the ids and kinds of the changed reviews.
 */
export function storeSuperseded(tx: Tx, agentId: string, kinds: readonly ReviewKind[], now: string) {
  const text = `update reviews set status = 'superseded', resolved_at = $4
    where tenant_id = $1 and agent_id = $2 and kind = any($3) and status = 'pending' returning id, kind`
  return tx.all(raw<{ id: string; kind: ReviewKind }>(text, [tx.tenantId, agentId, kinds, now]))
}
