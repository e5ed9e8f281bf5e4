import type { Approval } from '@mandate/contract/approvals'
import type { Member } from '../../authz/actor.ts'
import { authorityRefusal, ownerRefusal } from '../../authz/can.ts'
import { conflict, forbidden, type Refusal } from '../../refusal.ts'
import { mayNotAct } from '../edge/profiles/profile.ts'
import type { AskingAgent } from './stored/agent-queries.ts'

/** What decides who may resolve an approval, besides its columns. `findLeftToOthers` reads it. */
export interface ApprovalStake {
  /** The actor owns the agent or owned it at the time of the request, and another user may resolve the approval. */
  isLeftToOthers: boolean
}

/**
 * Returns the 403 for an actor who may not resolve the approval. The actor needs the role that the approval is assigned to. The
 * agent's owner, now or at the time of the request, may resolve the approval only if no other user may.
 */
export function resolverRefusal(
  actor: Member,
  { assigned_role: assigned }: Pick<Approval, 'assigned_role'>,
  { isLeftToOthers }: ApprovalStake,
): Refusal | undefined {
  const ofRole =
    assigned === 'owner'
      ? ownerRefusal(actor, 'only an owner resolves an approval of a production agent')
      : authorityRefusal(actor, 'manager', 'only a manager or above may resolve an approval')
  if (ofRole) return ofRole
  if (!isLeftToOthers) return undefined
  return forbidden(
    "the agent's owner, now or at the time of the request, may not resolve this approval: another user must resolve it",
  )
}

/** Returns the 409 for an agent that a freeze stops. The freeze ends its open approvals a moment after it started. */
export function frozenRefusal({ frozen }: Pick<AskingAgent, 'frozen'>): Refusal | undefined {
  return frozen
    ? conflict('the agent is frozen; its approvals expire, and it can request new ones after the freeze is lifted')
    : undefined
}

/** Returns the 409 for an agent that may not request or use an approval now. */
export function actingRefusal(agent: AskingAgent): Refusal | undefined {
  const refusal = frozenRefusal(agent)
  if (refusal || !mayNotAct(agent)) return refusal
  return conflict('the agent is not allowed to act now; check its status and lifecycle status')
}

/** Returns the 409 for an approval that is not pending. `status` is the status at the time of the request. */
export function statusRefusal({ status }: Pick<Approval, 'status'>): Refusal | undefined {
  if (status === 'expired') return conflict('this approval has expired')
  return status === 'pending' ? undefined : conflict('this approval is already resolved')
}

/** Returns the error of `resolveApproval` for an approval that the actor sees; undefined if the actor can decide it now. */
export function resolutionRefusal(
  actor: Member,
  approval: Pick<Approval, 'assigned_role' | 'status'>,
  stake: ApprovalStake,
): Refusal | undefined {
  return resolverRefusal(actor, approval, stake) ?? statusRefusal(approval)
}
