import type { Ctx } from '../../caller/ctx.ts'
import type { Tx } from '../../db/database.ts'
import { IdentityFailure } from '../../identity/failure.ts'
import { endRenewalOfSessions, revokeSessionsOfAccount } from '../../sessions/revoke-sessions.ts'

/**
 * Ends an account's sessions. They are ours; what the identity provider itself may have handed out opens nothing here, so
 * its failure to revoke that is logged and does not keep a role from being taken.
 */
export async function endSessions(tx: Tx, ctx: Pick<Ctx, 'services' | 'now'>, accountId: string) {
  await revokeSessionsOfAccount(tx, accountId, ctx.now)
  await revokeAtProvider(tx, ctx, accountId)
}

/** The current sign-in stays valid until its access token expires; then the person signs in again. */
export async function endRenewals(tx: Tx, ctx: Pick<Ctx, 'services' | 'now'>, accountId: string) {
  await endRenewalOfSessions(tx, accountId, ctx.now)
  await revokeAtProvider(tx, ctx, accountId)
}

async function revokeAtProvider(tx: Tx, { services }: Pick<Ctx, 'services' | 'now'>, accountId: string) {
  try {
    await services.identity.revokeRefreshTokens(tx, accountId)
  } catch (error) {
    if (!(error instanceof IdentityFailure)) throw error
    services.log.warn({ err: error }, 'the identity provider did not revoke its refresh tokens')
  }
}
