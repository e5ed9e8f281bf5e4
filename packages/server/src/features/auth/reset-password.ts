import { noTenant } from '../../db/database.ts'
import type { Ctx } from '../../http/ctx.ts'
import { Refusal } from '../../refusal.ts'
import { digest } from '../../security/credentials.ts'
import { revokeSessionsOfAccount } from '../../sessions/revoke-sessions.ts'
import { refusing } from './refuse-identity-failure.ts'
import { deleteResets, findResetLocked } from './reset-queries.ts'

/** Sets a new password and ends every session of the account. A password the policy refuses leaves the link usable. */
export async function resetPassword(ctx: Ctx<null>, token: string, password: string): Promise<void> {
  const { db, identity } = ctx.services
  await refusing(() =>
    db.transaction(noTenant, async (tx) => {
      const reset = await findResetLocked(tx, digest(token), ctx.now)
      // The account may have gone with its user since.
      if (!reset || !(await identity.getAccount(tx, reset.account_id))) {
        throw new Refusal(410, 'this link has been used or has expired')
      }
      const accountId = reset.account_id
      await deleteResets(tx, accountId)
      await revokeSessionsOfAccount(tx, accountId, ctx.now)
      await identity.setPassword(tx, accountId, password)
      // The link went to the address, so whoever has it has the address.
      await identity.markEmailVerified(tx, accountId)
      await identity.revokeRefreshTokens(tx, accountId)
    }),
  )
}
