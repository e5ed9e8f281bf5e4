import type { Freeze } from '@mandate/contract/freezes'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { conflict, throwIfRefused } from '../../../refusal.ts'
import { quietAt } from '../../edge/reach/quiet.ts'
import { findFreeze, hasEnding, lockFreeze, storeFinalReach, storeLift } from '../freeze-queries.ts'
import { readReach } from '../reach.ts'
import { foundFreeze, freezeJson, requireFreeze } from '../read-freezes.ts'
import { liftRefusal } from '../rules.ts'
import { endApprovals } from './end-approvals.ts'
import { recordFreeze } from './record-freeze.ts'

/**
 * Ends a freeze for every agent that it covers. Other freezes and suspensions remain.
 * @throws 404; the 403 and 409 of `liftRefusal`; 409 while many approvals of the freeze still wait for their end
 */
export async function liftFreeze(ctx: Ctx<Member>, id: string, reason: string): Promise<Freeze> {
  const { actor, now } = ctx
  await refuseLift(ctx, id)
  // An approval that did not end before the lift could be granted after it.
  await endApprovals(ctx.services, ctx, id)
  return await ctx.inTenant(async (tx) => {
    const freeze = foundFreeze(await lockFreeze(tx, actor, id))
    throwIfRefused(liftRefusal(actor, freeze))
    if (await hasEnding(tx, id)) throw conflict('approvals of this freeze are still being ended; try again in a minute')
    const everybody: Member = { ...actor, accessScope: 'all', key: null }
    const reach = await readReach(tx, everybody, freeze, quietAt(ctx))
    const { total, confirmed, unreachable } = reach
    await storeLift(tx, id, actor.userId, now, reason)
    await storeFinalReach(tx, id, reach)
    await recordFreeze(tx, ctx, 'freeze.lifted', freeze, { reason, edges: { total, confirmed, unreachable } })
    return await freezeJson(tx, ctx, foundFreeze(await findFreeze(tx, actor, id)))
  })
}

/** Throws the 404, 403 or 409 of `liftFreeze`. They come before the 400 for the body. */
export async function refuseLift({ sql, actor }: Ctx<Member>, id: string): Promise<void> {
  throwIfRefused(liftRefusal(actor, await requireFreeze(sql, actor, id)))
}
