import type { Review, ReviewKind } from '@mandate/contract/reviews'
import { type AuditSource, recordAudit } from '../audit/record-audit.ts'
import type { Tx } from '../db/database.ts'
import { newId } from '../db/ids/new-id.ts'
import { insertReview, storeSuperseded } from './review-queries.ts'

/** The agent that is reviewed. The transaction must hold the lock of the agent's row. */
export interface ReviewedAgent {
  agent_id: string
  name: string
  environment_id: string | null
}

interface Asked {
  kind: ReviewKind
  assignedRole: 'manager' | 'owner'
  /** The id of the user who requests the review. Null if a heartbeat opens it. */
  requestedBy: string | null
  source: 'control_plane' | 'edge'
}

/** Opens a review. The caller must check that the agent has no pending review of the same kind. */
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

/** Marks the pending reviews of these kinds as `superseded`, for one agent. */
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
