import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { findPlatforms } from './queries.ts'
import { requirePlan } from './require-plan.ts'

/**
 * Returns the tenant's connections to platforms such as GitHub. All callers see all connections, even scoped users and
 * environment-bound keys, because a connection has no environment and does not reveal any agents.
 * @throws 402 for a plan below Pro
 */
export async function listPlatforms(ctx: Ctx<Member>, { limit, offset }: { limit: number; offset: number }) {
  await requirePlan(ctx.sql)
  const { platforms, total } = await findPlatforms(ctx.sql, limit, offset)
  return { data: platforms, total, limit, offset }
}
