import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { notFound, throwIfRefused } from '../../refusal.ts'
import { endDelegations } from './end-delegations.ts'
import { findDelegation, lockList } from './queries.ts'
import { revocationRefusal } from './rules.ts'
import { stateOf } from './state.ts'

/**
 * Ends a delegation and everything below it.
 * @throws 404 for a delegation of an agent that the caller does not see; 403; 409 if it has ended or expired
 */
export async function revokeDelegation(ctx: Ctx<Member>, id: string): Promise<void> {
  await ctx.inTenant(async (tx) => {
    const seen = await findDelegation(tx, ctx.actor, id)
    if (!seen) throw notFound('delegation')
    await lockList(tx, seen.environment_id)
    const locked = (await findDelegation(tx, ctx.actor, id)) ?? seen
    throwIfRefused(revocationRefusal(ctx.actor, { ...locked, state: stateOf(locked, ctx.now) }))
    await endDelegations(tx, ctx, { by: 'id', id, userId: ctx.actor.userId }, 'revoked')
  })
}
