import type { RemovalPreview } from '@mandate/contract/users'
import type { z } from 'zod'
import type { Member } from '../../../authz/actor.ts'
import { requireOwner } from '../../../authz/can.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { notFound } from '../../../refusal.ts'
import { countDependents, findUser } from '../queries.ts'

/**
 * Counts what is affected if the user is removed: their active keys, the agents they own that are not archived, and the pending
 * reviews they requested. Also returns the latest time at which one of these keys was used.
 * @throws 403 for a caller who is not an owner
 */
export async function previewRemoval(ctx: Ctx<Member>, userId: string): Promise<z.output<typeof RemovalPreview>> {
  requireOwner(ctx.actor, 'only an owner may preview the removal of a user')
  await ctx.services.lastUsed.flush(ctx.actor.tenantId)
  const [user, dependents] = await Promise.all([findUser(ctx.sql, userId), countDependents(ctx.sql, userId, ctx.now)])
  if (!user) throw notFound('user')
  const { keys, last_used_at, agents_owned, open_reviews } = dependents
  return { api_keys: { count: keys, ...(last_used_at !== null && { last_used_at }) }, agents_owned, open_reviews }
}
