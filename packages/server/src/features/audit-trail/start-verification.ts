import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { enqueueVerification } from './verification-queries.ts'

/** Starts the job that verifies the trail of the tenant, unless it is queued or running already. */
export async function startVerification(ctx: Ctx<Member>): Promise<void> {
  await ctx.inTenant((tx) => enqueueVerification(tx, ctx.actor.userId, ctx.now))
}
