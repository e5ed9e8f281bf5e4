import type { Review, ReviewOutcome, ReviewResolution } from '@mandate/contract/reviews'
import type { Member } from '../../authz/actor.ts'
import { authorityRefusal, ownerRefusal } from '../../authz/can.ts'
import { conflict, forbidden, type Refusal } from '../../refusal.ts'

/** What decides who may resolve a review, besides its columns. `findStakes` reads it. */
export interface ReviewStakes {
  is_production: boolean
  lifecycle_status: string
  /** The agent has another pending review, which is assigned to owners. */
  owners_asked: boolean
  /** The actor requested the review, and another user could resolve it: an owner, or a manager or owner. */
  other_owner: boolean
  other_manager: boolean
  /** The policy that the agent runs is not known, or it is no longer the policy that its open change review is about. */
  running_unknown: boolean
  running_moved: boolean
}

type Judged = Pick<Review, 'assigned_role'>

/**
 * True if only an owner may choose this outcome. The review's assigned role is not enough: a favourable outcome also resolves the
 * agent's other pending reviews, and `approved` changes the agent. So if one of the other reviews is reserved for owners, only an
 * owner may choose a favourable outcome.
 */
function isOwnersOnly({ assigned_role }: Judged, outcome: unknown, stakes: ReviewStakes): boolean {
  if (assigned_role === 'owner') return true
  if (outcome === 'rejected') return false
  const approvesProduction = outcome === 'approved' && stakes.is_production && stakes.lifecycle_status !== 'approved'
  return stakes.owners_asked || approvesProduction
}

/**
 * Returns the 403 for an actor who may not resolve the review with this outcome. The user who requested the review may resolve it
 * only if no other user may.
 */
export function resolverRefusal(
  actor: Member,
  review: Judged,
  outcome: unknown,
  stakes: ReviewStakes,
): Refusal | undefined {
  const byOwner = isOwnersOnly(review, outcome, stakes)
  const ofRole = byOwner
    ? ownerRefusal(actor, 'only an owner may resolve this review')
    : authorityRefusal(actor, 'manager', 'only a manager or above may resolve this review')
  if (ofRole) return ofRole
  if (!(byOwner ? stakes.other_owner : stakes.other_manager)) return undefined
  return forbidden('another user must resolve this review, because you requested it')
}

/** Returns the 409 for a review that is not pending. */
export function statusRefusal({ status }: Pick<Review, 'status'>): Refusal | undefined {
  return status === 'pending' ? undefined : conflict('this review is already resolved')
}

/**
 * Returns the 409 for a change review that cannot be approved: the policy that the agent runs is unknown, or no longer the policy
 * under review.
 */
export function runningRefusal({
  running_unknown,
  running_moved,
}: Pick<ReviewStakes, 'running_unknown' | 'running_moved'>): Refusal | undefined {
  if (running_unknown) return conflict('the policy that the agent runs is not known')
  if (!running_moved) return undefined
  return conflict(
    'the agent no longer runs the policy under review; resolve the change review of the policy that it runs now',
  )
}

/** Returns the 409 for an approval of a policy version that the caller did not look at. `seen` is undefined if the caller did not say. */
export function seenRefusal(
  seen: ReviewResolution['policy'],
  approval: { policyId: string; version: number | null } | null,
): Refusal | undefined {
  if (seen === undefined) return undefined
  if (seen?.policy_id === approval?.policyId && seen?.version === approval?.version) return undefined
  return conflict('the approval would be of another policy version than the one in policy; read the agent again')
}

/**
 * Returns the error of `resolveReview` for a review that the actor sees; undefined if the actor can choose this outcome now. An
 * actor who may resolve the review with any outcome may also reject it. So `rejected` tells whether the actor can decide it at all.
 */
export function resolutionRefusal(
  actor: Member,
  review: Judged & Pick<Review, 'status' | 'kind'>,
  outcome: ReviewOutcome,
  stakes: ReviewStakes,
): Refusal | undefined {
  const refusal = resolverRefusal(actor, review, outcome, stakes) ?? statusRefusal(review)
  if (refusal || outcome === 'rejected' || review.kind !== 'change') return refusal
  return runningRefusal(stakes)
}
