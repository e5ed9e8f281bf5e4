import type { Ctx } from '../../../caller/ctx.ts'
import { coded, Refusal } from '../../../refusal.ts'
import { findEpoch, lockEpochForShare } from '../../../sessions/account-epoch.ts'
import { findAccountUser } from '../account/find-account-user.ts'
import { identityDb } from '../account/identity-db.ts'
import { refusing } from '../account/refuse-identity-failure.ts'
import type { SignedIn } from '../session/deliver-session.ts'
import { openSession } from '../session/open-session.ts'
import { recordSignIn } from '../session/record-sign-in.ts'
import { countSignInFailure } from '../session/sign-in-failures.ts'
import { countSignIn, type PasswordAttempt, refuseSpentProof } from './sign-in-attempts.ts'

/**
 * The refusal of a sign-in. It has the same text for an unknown address, a wrong password, a wrong one-time password and an
 * account without a user.
 */
export const wrongCredentials = () => new Refusal(401, 'wrong email, password or one-time password')

/** Signs in a person with a password, and with a one-time password if a factor is enrolled. */
export async function signIn(ctx: Ctx<null>, attempt: PasswordAttempt, device: string): Promise<SignedIn> {
  const { services } = ctx
  const { email, password, otp } = attempt
  const { proof } = await countSignIn(ctx, attempt)
  const before = await findEpoch(ctx.sql, email)
  const result = await refusing(() => services.identity.verifyPassword(identityDb(services), { email, password, otp }))
  if (!result.ok) {
    if (result.reason === 'mfa_required') throw coded('mfa_required')
    countSignInFailure(ctx, email)
    throw wrongCredentials()
  }
  const { accountId } = result
  const user = await findAccountUser(services.db, accountId)
  if (!user) throw wrongCredentials()
  const session = await services.db.transaction(user.tenant_id, async (tx) => {
    // A change of the password or the second factors gives the account a new epoch. If the epoch changed during the check, the
    // sign-in fails.
    const epoch = await lockEpochForShare(tx, accountId)
    if (before?.accountId === accountId && before.epoch !== epoch) throw wrongCredentials()
    if (proof) await refuseSpentProof(tx, ctx, proof, accountId)
    await recordSignIn(tx, ctx, user, 'password')
    return await openSession(tx, ctx, { accountId, user, device })
  })
  return { session, user }
}
