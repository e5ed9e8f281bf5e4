import type { Review } from '@mandate/contract/reviews'
import type { Rule, Rules } from '../../authz/may.ts'
import { mayPart } from '../../caller/may-part.ts'
import { findStakes } from './queries.ts'
import { type ReviewStakes, resolutionRefusal } from './rules.ts'

interface Standing {
  review: Review
  stakes: ReviewStakes
}

const resolvesAs =
  (outcome: 'approved' | 'rejected' | 'attested'): Rule<Standing> =>
  (actor, { review, stakes }) =>
    resolutionRefusal(actor, review, outcome, stakes)

/** A caller who may choose one of the outcomes may also reject. So `resolveReview` has the rule of a rejection. */
const reviewRules: Rules<Standing> = {
  resolveReview: resolvesAs('rejected'),
  'resolveReview:approved': resolvesAs('approved'),
  'resolveReview:rejected': resolvesAs('rejected'),
  'resolveReview:attested': resolvesAs('attested'),
}

export const reviewMay = mayPart(reviewRules, async ({ sql, actor }, reviews: readonly Review[]) => {
  const ids = reviews.map(({ id }) => id)
  const stakes = await findStakes(sql, actor.userId, ids)
  return (review): Standing => ({ review, stakes: stakes.get(review.id) ?? unknownStakes })
})

// The review was deleted after it was read. Every fact then counts against the caller.
const unknownStakes: ReviewStakes = {
  is_production: true,
  lifecycle_status: '',
  owners_asked: true,
  other_owner: true,
  other_manager: true,
  running_unknown: true,
  running_moved: true,
}
