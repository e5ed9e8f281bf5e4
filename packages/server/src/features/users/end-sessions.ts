import type { Ctx } from '../../caller/ctx.ts'
import type { Tx } from '../../db/database.ts'
import { IdentityFailure } from '../../identity/failure.ts'
import { endRenewalOfSessions, revokeSessionsOfAccount } from '../../sessions/revoke-sessions.ts'

/**
 * Ends an account's sessions. Mandate accepts only its own session tokens, not those of the identity provider. So if the provider
 * fails to revoke its tokens, that is logged and the change goes on.
 */
export async function endSessions(tx: Tx, ctx: Pick<Ctx, 'services' | 'now'>, accountId: string) {
  await revokeSessionsOfAccount(tx, accountId, ctx.now)
  await revokeAtProvider(tx, ctx, accountId)
}

/** Ends the renewal of an account's sessions. Access tokens stay valid until they expire; then the person must sign in again. */
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
