import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { endSession } from '../../../sessions/end-sessions.ts'

/**
 * Ends the session of a refresh token if the token belongs to the caller. Otherwise does nothing. The response is the same in
 * both cases.
 */
export async function signOut(ctx: Ctx<Member>, refreshToken: string): Promise<void> {
  const { accountId } = ctx.actor
  if (accountId === null) return
  await ctx.services.db.transaction(ctx.actor.tenantId, async (tx) => {
    if (!(await endSession(tx, accountId, refreshToken, ctx.now))) return
    const { userId, displayName, email } = ctx.actor
    await recordAudit(tx, ctx, 'user.signed_out', {
      resource: { type: 'user', id: userId, name: displayName || email },
    })
  })
}
