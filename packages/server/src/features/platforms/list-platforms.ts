import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { findPlatforms } from './queries.ts'
import { requirePlan } from './require-plan.ts'

/**
 * Every connection of the tenant. A connection belongs to no environment and shows no agent, so scoped users and
 * environment-bound keys, who cannot change it, read it like everyone.
 * @throws 402 below Pro
 */
export async function listPlatforms(ctx: Ctx<Member>, { limit, offset }: { limit: number; offset: number }) {
  await requirePlan(ctx.sql)
  const { platforms, total } = await findPlatforms(ctx.sql, limit, offset)
  return { data: platforms, total, limit, offset }
}
