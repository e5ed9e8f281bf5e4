import type { Review, ReviewFilters } from '@mandate/contract/reviews'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { readRecords } from '../../caller/read-records.ts'
import type { Sql } from '../../db/database.ts'
import { notFound } from '../../refusal.ts'
import { findReview, findReviews } from './queries.ts'

/** Returns the reviews of agents that the caller sees, newest first. */
export async function listReviews(ctx: Ctx<Member>, filters: ReviewFilters) {
  const { data, total } = await readRecords(ctx, (sql) => findReviews(sql, ctx.actor, filters))
  return { data, total, limit: filters.limit, offset: filters.offset }
}

/** @throws 404 for an unknown id, and the same 404 for a review of an agent that the caller cannot see */
export async function requireReview(db: Sql, actor: Member, id: string): Promise<Review> {
  const review = await findReview(db, actor, id)
  if (!review) throw notFound('review')
  return review
}
