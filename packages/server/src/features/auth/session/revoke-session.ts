import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { sessionEnded } from '../../../caller/still-live.ts'
import { notFound } from '../../../refusal.ts'
import { lockEpochForShare } from '../../../sessions/account-epoch.ts'
import { lockLiveSessions } from '../../../sessions/own-sessions.ts'
import { revokeSession as endOneSession } from '../../../sessions/revoke-sessions.ts'
import { requireAccount } from '../account/account-of.ts'

/**
 * Ends a session of the caller's account. It may be the session of the request.
 * @throws 401 if the session of the request has ended; 404 for an unknown session, a session that has ended, and a session of
 *   another account
 */
export async function revokeSession(ctx: Ctx<Member>, sessionId: string): Promise<void> {
  const { actor, now } = ctx
  const { userId, displayName, email, sessionId: current = '' } = actor
  const accountId = requireAccount(actor)
  // Not `inTenant`: its last check would refuse a request that ends its own session. So this transaction locks the session of the
  // request and checks it first. If two sessions end each other at the same time, only one of the requests succeeds.
  await ctx.services.db.transaction(actor.tenantId, async (tx) => {
    await lockEpochForShare(tx, accountId)
    const live = await lockLiveSessions(tx, accountId, [current, sessionId], now)
    if (!live.includes(current)) throw sessionEnded()
    if (!live.includes(sessionId)) throw notFound('session')
    await endOneSession(tx, sessionId, now)
    await recordAudit(tx, ctx, 'session.revoked', {
      resource: { type: 'user', id: userId, name: displayName || email },
      details: { email, sessions: 1, session_id: sessionId, current: sessionId === current },
    })
  })
}
