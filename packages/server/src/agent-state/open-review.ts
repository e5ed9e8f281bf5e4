import type { Review, ReviewKind } from '@mandate/contract/reviews'
import { type AuditSource, recordAudit } from '../audit/record-audit.ts'
import type { Tx } from '../db/database.ts'
import { newId } from '../db/new-id.ts'
import { insertReview, storeSuperseded } from './review-queries.ts'

/** The agent a review is about; its row is locked by the transaction. */
export interface ReviewedAgent {
  agent_id: string
  name: string
  environment_id: string | null
}

interface Asked {
  kind: ReviewKind
  assignedRole: 'manager' | 'owner'
  /** Null when a heartbeat asks. */
  requestedBy: string | null
  source: 'control_plane' | 'edge'
}

/** Opens a review. At most one of a kind is pending of an agent: the caller has seen to that. */
export async function openReview(
  tx: Tx,
  by: AuditSource,
  agent: ReviewedAgent,
  { kind, assignedRole, requestedBy, source }: Asked,
): Promise<Review> {
  const id = newId()
  const [review] = await Promise.all([
    insertReview(tx, { id, agentId: agent.agent_id, kind, assignedRole, requestedBy, now: by.now }),
    recordAudit(tx, by, 'review.opened', {
      resource: { type: 'review', id, name: agent.name },
      details: { kind, assigned_role: assignedRole },
      agentId: agent.agent_id,
      environmentId: agent.environment_id,
      source,
    }),
  ])
  return review
}

/** Ends the pending reviews of these kinds that something else has answered. */
export async function supersedeReviews(
  tx: Tx,
  by: AuditSource,
  agent: ReviewedAgent,
  kinds: readonly ReviewKind[],
  source: 'control_plane' | 'edge',
): Promise<void> {
  const superseded = await storeSuperseded(tx, agent.agent_id, kinds, by.now)
  await Promise.all(
    superseded.map(({ id, kind }) =>
      recordAudit(tx, by, 'review.resolved', {
        resource: { type: 'review', id, name: agent.name },
        details: { kind, outcome: 'superseded' },
        agentId: agent.agent_id,
        environmentId: agent.environment_id,
        source,
      }),
    ),
  )
}
