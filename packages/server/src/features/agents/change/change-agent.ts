import type { FindingType } from '@mandate/contract/agents'
import type { ReviewKind } from '@mandate/contract/reviews'
import { copyArchived } from '../../../agent-state/evidence-copies.ts'
import { supersedeReviews } from '../../../agent-state/open-review.ts'
import type { AuditEvent } from '../../../audit/events.ts'
import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { expireApprovalsOf } from '../../approvals/expiry/expire-approvals.ts'
import { changeAgentOwner } from '../../approvals/stored/agent-owner.ts'
import { endDelegations } from '../../delegations/end-delegations.ts'
import { openWithoutRecord } from '../../findings/decisions/approval-without-record.ts'
import { endFindings } from '../../findings/record-finding.ts'
import { findAgentJson } from '../json/agent-json-queries.ts'
import { type AgentChange, type AgentRow, storeAgent } from '../queries.ts'
import { found, requireAgentLocked } from '../require-agent.ts'

/** What `changeAgent` writes: the new column values and the audit event. */
export interface Change {
  set: AgentChange
  event: AuditEvent
  details?: Record<string, unknown>
  /** Types of findings. The transaction that changes the agent also closes the agent's open findings of these types. */
  ends?: readonly FindingType[]
  /** True if the change approves the agent without a review. */
  approvesDirectly?: boolean
  /** The agent's pending reviews of these kinds are superseded: they end without a decision. */
  supersedes?: readonly ReviewKind[]
}

/**
 * Changes an agent that the caller sees and returns its JSON text. The agent's row is locked. `decide` gets the row and returns
 * the change. It throws to refuse the change. It returns null if there is nothing to change; then nothing is written.
 * @throws 404 for an agent that the caller cannot see, and whatever `decide` throws
 */
export function changeAgent(
  ctx: Ctx<Member>,
  id: string,
  decide: (agent: AgentRow, tx: Tx) => Promise<Change | null> | Change | null,
): Promise<string> {
  return ctx.inTenant(async (tx) => {
    const agent = await requireAgentLocked(tx, ctx.actor, id)
    const change = await decide(agent, tx)
    if (change) await applyChange(tx, ctx, agent, change)
    return found(await findAgentJson(tx, ctx.actor, id, ctx.now))
  })
}

/**
 * Stores a change of an agent and writes the audit entry. Closes the findings and supersedes the reviews that `change` lists.
 * If the change stops the agent, also marks the agent's open approvals as expired, and ends its delegations.
 */
export async function applyChange(tx: Tx, ctx: Ctx<Member>, agent: AgentRow, change: Change): Promise<void> {
  const { id, environment_id: environmentId } = agent
  const name = change.set.name ?? agent.name
  const changed = { agent_id: id, name, environment_id: environmentId }
  await Promise.all([
    storeAgent(tx, id, change.set, ctx.now),
    recordAudit(tx, ctx, change.event, {
      resource: { type: 'agent', id, name },
      details: change.details,
      agentId: id,
      environmentId,
    }),
    endFindings(tx, ctx, changed, change.ends ?? []),
    ...(change.set.status === 'archived' ? [copyArchived(tx, id)] : []),
  ])
  const { owner_user_id: ownerId } = change.set
  if (ownerId !== undefined) await changeAgentOwner(tx, id, ownerId)
  if (change.supersedes) await supersedeReviews(tx, ctx, changed, change.supersedes, 'control_plane')
  if (change.approvesDirectly) await openWithoutRecord(tx, ctx, changed)
  const stop = stopOf(change.set)
  if (!stop) return
  await expireApprovalsOf(tx, ctx, id, stop)
  await endDelegations(tx, ctx, { by: 'agent', id }, stop)
}

/** Returns the state by which the change stops the agent. Undefined if it does not stop it. */
function stopOf({ status, lifecycle_status: lifecycle }: AgentChange) {
  if (status === 'suspended' || status === 'archived') return status
  return lifecycle === 'blocked' || lifecycle === 'retired' ? lifecycle : undefined
}
