import type { Tx } from '../../db/database.ts'
import type { Ctx } from '../../http/ctx.ts'
import { IdentityFailure } from '../../identity/failure.ts'
import { revokeSessionsOfAccount } from '../../sessions/revoke-sessions.ts'

/**
 * Ends an account's sessions. They are ours; what the identity provider itself may have handed out opens nothing here, so
 * its failure to revoke that is logged and does not keep a role from being taken.
 */
export async function endSessions(tx: Tx, { services, now }: Pick<Ctx, 'services' | 'now'>, accountId: string) {
  await revokeSessionsOfAccount(tx, accountId, now)
  try {
    await services.identity.revokeRefreshTokens(tx, accountId)
  } catch (error) {
    if (!(error instanceof IdentityFailure)) throw error
    services.log.warn({ err: error }, 'the identity provider did not revoke its refresh tokens')
  }
}
