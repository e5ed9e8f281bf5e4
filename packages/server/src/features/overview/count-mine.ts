import type { Overview } from '@mandate/contract/overview'
import type { Member } from '../../authz/actor.ts'
import { scopesPermit } from '../../authz/scopes.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { countMine as countApprovals } from '../approvals/list/count-mine.ts'
import { countMine as countReviews } from '../reviews/count-mine.ts'

/**
 * Counts the pending approvals and reviews that the caller could decide now, each at most 1,000. A key whose scopes do not permit
 * decisions counts none.
 */
export async function countMine(ctx: Ctx<Member>): Promise<Overview['needs_me']> {
  const scopes = ctx.actor.key?.scopes ?? []
  const [approvals, reviews] = await Promise.all([
    scopesPermit(scopes, 'approvals', 'POST') ? countApprovals(ctx) : 0,
    scopesPermit(scopes, 'reviews', 'POST') ? countReviews(ctx) : 0,
  ])
  return { approvals, reviews }
}
