import type { Member } from '../../authz/actor.ts'
import { noTenant } from '../../db/database.ts'
import type { Ctx } from '../../http/ctx.ts'
import { endSession } from '../../sessions/end-session.ts'

/** Ends the session of one of the caller's refresh tokens. Another person's token is left alone, without saying so. */
export async function signOut(ctx: Ctx<Member>, refreshToken: string): Promise<void> {
  const { accountId } = ctx.actor
  if (accountId === null) return
  await ctx.services.db.transaction(noTenant, (tx) => endSession(tx, accountId, refreshToken, ctx.now))
}
