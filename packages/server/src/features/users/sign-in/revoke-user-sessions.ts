import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { throwIfRefused } from '../../../refusal.ts'
import { sessionRevocation, signInRefusal, signInRequestRefusal } from '../rules.ts'
import { endSessions } from './end-sessions.ts'
import { lockTarget } from './lock-target.ts'

/**
 * Ends all sessions of a user. A user with a pending invitation has no sessions. The function then changes nothing.
 * @throws 403 for the caller's own id, for members and viewers, and for a manager if the user is a manager or an owner; 404
 */
export async function revokeUserSessions(ctx: Ctx<Member>, userId: string): Promise<void> {
  const { actor } = ctx
  throwIfRefused(signInRequestRefusal(actor, userId, sessionRevocation))
  await ctx.inTenant(async (tx) => {
    const target = await lockTarget(tx, actor, userId)
    throwIfRefused(signInRefusal(actor, target, sessionRevocation))
    if (target.account_id === null) return
    // An entry is written even if no session is in use, because a sign-in that is in progress is refused too.
    const sessions = await endSessions(tx, ctx, target.account_id)
    await recordAudit(tx, ctx, 'session.revoked', {
      resource: { type: 'user', id: target.id, name: target.display_name || target.email },
      details: { email: target.email, sessions },
    })
  })
}
