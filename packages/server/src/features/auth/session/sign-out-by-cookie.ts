import { recordAudit } from '../../../audit/record-audit.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { noTenant } from '../../../db/database.ts'
import { endSession, findAccountOfToken } from '../../../sessions/end-sessions.ts'
import { findAccountUser } from '../account/find-account-user.ts'
import { personOf } from '../account/person-of.ts'

/** Ends the session of the refresh token in the cookie. Does nothing for an unknown token and for a session that has ended. */
export async function signOutByCookie(ctx: Ctx<null>, refreshToken: string): Promise<void> {
  const { services, now, request } = ctx
  const accountId = await findAccountOfToken(services.db.global, refreshToken)
  if (accountId === undefined) return
  const user = await findAccountUser(services.db, accountId)
  await services.db.transaction(user?.tenant_id ?? noTenant, async (tx) => {
    // An account without a user belongs to no tenant, so no audit trail can have the entry.
    if (!(await endSession(tx, accountId, refreshToken, now)) || !user) return
    await recordAudit(tx, { actor: personOf(user, accountId), request, now, services }, 'user.signed_out', {
      resource: { type: 'user', id: user.id, name: user.display_name || user.email },
    })
  })
}
