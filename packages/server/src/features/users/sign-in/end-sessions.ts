import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { IdentityFailure } from '../../../identity/failure.ts'
import { endRenewalOfSessions, revokeSessionsOfAccount } from '../../../sessions/revoke-sessions.ts'

/**
 * Ends an account's sessions. Mandate accepts only its own session tokens, not those of the identity provider. So if the provider
 * fails to revoke its own tokens, the failure is only logged. Returns how many sessions were in use.
 */
export async function endSessions(tx: Tx, ctx: Pick<Ctx, 'services' | 'now'>, accountId: string) {
  const ended = await revokeSessionsOfAccount(tx, accountId, ctx.now)
  await revokeAtProvider(tx, ctx, accountId)
  return ended
}

/**
 * Revokes an account's refresh tokens, so that its sessions cannot be renewed. Access tokens stay valid until they expire. Then
 * the person must sign in again.
 */
export async function endRenewals(tx: Tx, ctx: Pick<Ctx, 'services' | 'now'>, accountId: string) {
  await endRenewalOfSessions(tx, accountId, ctx.now)
  await revokeAtProvider(tx, ctx, accountId)
}

async function revokeAtProvider(tx: Tx, { services }: Pick<Ctx, 'services' | 'now'>, accountId: string) {
  try {
    await services.identity.revokeRefreshTokens(tx, accountId)
  } catch (error) {
    if (!(error instanceof IdentityFailure)) throw error
    services.log.warn({ err: error }, "the identity provider could not revoke the refresh tokens of a user's account")
  }
}
