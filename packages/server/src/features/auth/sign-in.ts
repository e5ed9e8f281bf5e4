import type { SignedIn } from '@mandate/contract/auth'
import type { Ctx } from '../../http/ctx.ts'
import type { Credentials } from '../../identity/port.ts'
import { coded, Refusal } from '../../refusal.ts'
import { findAccountUser } from './find-account-user.ts'
import { identityDb } from './identity-db.ts'
import { openSession } from './open-session.ts'
import { recordSignIn } from './record-sign-in.ts'
import { refusing } from './refuse-identity-failure.ts'
import { countSignInFailure } from './sign-in-failures.ts'
import { throttleAddress } from './throttle.ts'

/** One text for an unknown address, a wrong password, a wrong one-time password and an account that is nobody's. */
export const wrongCredentials = () => new Refusal(401, 'wrong email, password or one-time password')

/** Signs a person in with a password, and a one-time password where a factor is enrolled. */
export async function signIn(ctx: Ctx<null>, credentials: Credentials): Promise<SignedIn> {
  const { services } = ctx
  await throttleAddress(ctx, 'sign-in', credentials.email)
  const result = await refusing(() => services.identity.verifyPassword(identityDb(services), credentials))
  if (!result.ok) {
    if (result.reason === 'mfa_required') throw coded('mfa_required')
    countSignInFailure(ctx, credentials.email)
    throw wrongCredentials()
  }
  const user = await findAccountUser(services.db, result.accountId)
  if (!user) throw wrongCredentials()
  const session = await services.db.transaction(user.tenant_id, async (tx) => {
    await recordSignIn(tx, ctx, user, 'password')
    return await openSession(tx, ctx, result.accountId)
  })
  return { session, user }
}
