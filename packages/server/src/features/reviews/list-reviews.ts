import type { Review, ReviewFilters } from '@mandate/contract/reviews'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Include } from '../../caller/may-part.ts'
import { readRecords } from '../../caller/read-records.ts'
import type { Sql } from '../../db/database.ts'
import { notFound } from '../../refusal.ts'
import { reviewMay } from './may.ts'
import { findReview, findReviews } from './queries.ts'

/** Returns the reviews of agents that the caller sees, newest first. */
export async function listReviews(ctx: Ctx<Member>, filters: ReviewFilters) {
  const { data, total } = await readRecords(ctx, (sql) => findReviews(sql, ctx.actor, filters))
  return {
    data: await reviewMay.addToAll(ctx, filters.include, data),
    total,
    limit: filters.limit,
    offset: filters.offset,
  }
}

/** @throws 404 for a review of an agent that the caller cannot see */
export async function getReview(ctx: Ctx<Member>, id: string, include: Include): Promise<Review> {
  return await reviewMay.addTo(ctx, include, await requireReview(ctx.sql, ctx.actor, id))
}

/** @throws 404 for an unknown id, and the same 404 for a review of an agent that the caller cannot see */
export async function requireReview(db: Sql, actor: Member, id: string): Promise<Review> {
  const review = await findReview(db, actor, id)
  if (!review) throw notFound('review')
  return review
}
