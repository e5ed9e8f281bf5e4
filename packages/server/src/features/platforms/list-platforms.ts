import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Include } from '../../caller/may-part.ts'
import { findPlatforms } from './queries.ts'
import { requirePlan } from './require-plan.ts'
import { platformMay } from './rules.ts'

interface Listed {
  include?: Include
  limit: number
  offset: number
}

/**
 * Returns the tenant's connections to platforms such as GitHub. All callers see all connections, even scoped users and
 * environment-bound keys, because a connection has no environment and does not reveal any agents.
 * @throws 402 for a plan below Pro
 */
export async function listPlatforms(ctx: Ctx<Member>, { include, limit, offset }: Listed) {
  await requirePlan(ctx.sql)
  const { platforms, total } = await findPlatforms(ctx.sql, limit, offset)
  return { data: await platformMay.addToAll(ctx, include, platforms), total, limit, offset }
}
