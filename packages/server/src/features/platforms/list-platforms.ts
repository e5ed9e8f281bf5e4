import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { findPlatforms } from './queries.ts'
import { requirePlan } from './require-plan.ts'

/**
 * Returns all connections of the tenant. A connection has no environment and shows no agents. So scoped users and environment-bound
 * keys see all of them too, although they cannot change them.
 * @throws 402 for a plan below Pro
 */
export async function listPlatforms(ctx: Ctx<Member>, { limit, offset }: { limit: number; offset: number }) {
  await requirePlan(ctx.sql)
  const { platforms, total } = await findPlatforms(ctx.sql, limit, offset)
  return { data: platforms, total, limit, offset }
}
