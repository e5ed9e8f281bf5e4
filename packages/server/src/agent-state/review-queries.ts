import type { Review, ReviewKind } from '@mandate/contract/reviews'
import type { Tx } from '../db/database.ts'
import { environmentOfAgent } from '../db/lists/record-list.ts'
import { raw } from '../db/statements/statement.ts'

/** The columns of a review in an SQL statement. */
export const reviewColumns =
  'id, agent_id, environment_id, subject, kind, status, assigned_role, requested_by, opened_at, resolved_by, resolved_at, comment'

/**
 * SQL for the column `subject` of a new review: the policy that is assigned to its agent, the policy version that is approved, and
 * the one that runs. In the insert, `$1` must be the tenant and `$3` the agent's id. The transaction must have locked or created the
 * agent.
 */
export const subjectOfAgent = `(select jsonb_build_object('policy_id', a.policy_id,
    'approved', case when a.approved_policy_id is not null
      then jsonb_build_object('policy_id', a.approved_policy_id, 'version', a.approved_version) end,
    'running', case when s.running_policy_id is not null
      then jsonb_build_object('policy_id', s.running_policy_id, 'version', s.running_version) end)
  from agents a left join agent_runtime s on s.tenant_id = $1 and s.agent_id = a.id where a.tenant_id = $1 and a.id = $3)`

export interface NewReview {
  id: string
  agentId: string
  kind: ReviewKind
  assignedRole: 'manager' | 'owner'
  requestedBy: string | null
  now: string
}

export function insertReview(tx: Tx, { id, agentId, kind, assignedRole, requestedBy, now }: NewReview) {
  const text = `insert into reviews (tenant_id, id, agent_id, environment_id, kind, status, assigned_role, requested_by, opened_at, subject)
    values ($1, $2, $3, ${environmentOfAgent}, $4, 'pending', $5, $6, $7, ${subjectOfAgent}) returning ${reviewColumns}`
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
