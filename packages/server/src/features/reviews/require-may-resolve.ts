import type { Review } from '@mandate/contract/reviews'
import type { Member } from '../../authz/actor.ts'
import type { Sql } from '../../db/database.ts'
import { notFound, throwIfRefused } from '../../refusal.ts'
import { findStakes } from './queries.ts'
import { resolverRefusal } from './rules.ts'

/** @throws the 403 of `resolverRefusal` */
export async function requireMayResolve(db: Sql, actor: Member, review: Review, outcome: unknown): Promise<void> {
  const stakes = (await findStakes(db, actor.userId, [review.id])).get(review.id)
  if (!stakes) throw notFound('review')
  throwIfRefused(resolverRefusal(actor, review, outcome, stakes))
}
