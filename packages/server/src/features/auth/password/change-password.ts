import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { checkPassword } from '../../../identity/password-policy.ts'
import { mailSecurityNews } from '../../../mail/security-mail.ts'
import { coded, conflict } from '../../../refusal.ts'
import { revokeSessionsOfAccount } from '../../../sessions/revoke-sessions.ts'
import { requireAccount } from '../account/account-of.ts'
import { refusing } from '../account/refuse-identity-failure.ts'
import { contextWords } from '../account/tenant-queries.ts'
import { throttlePasswordCheck } from '../account/throttle.ts'
import { forgetDevices, rememberDevice } from '../device/known-devices.ts'
import { deleteResets } from './reset-queries.ts'

/**
 * Sets a new password for the caller, ends the caller's other sessions, and sends the caller a mail about the change.
 * @throws 403 `wrong_password`; 409 for an account without a password; 400 if the new password breaks the password policy
 */
export async function changePassword(
  ctx: Ctx<Member>,
  passwords: { current: string; next: string },
  device: string,
): Promise<void> {
  const { services, actor, now } = ctx
  const { identity } = services
  const { email, tenantId } = actor
  const accountId = requireAccount(actor)
  await throttlePasswordCheck(ctx, accountId)
  await refusing(() =>
    ctx.inTenant(async (tx) => {
      if (!(await identity.getAccount(tx, accountId))?.hasPassword) {
        throw conflict('this account has no password; ask for one with "forgot password"')
      }
      const proof = await identity.verifyPassword(tx, { email, password: passwords.current })
      // The reason `mfa_required` means that the password was right and only the one-time password is missing. A one-time
      // password is not needed here.
      if (!proof.ok && proof.reason !== 'mfa_required') throw coded('wrong_password')
      checkPassword(passwords.next, email, [...(await contextWords(tx)), actor.displayName])
      await revokeSessionsOfAccount(tx, accountId, now, actor.sessionId)
      await deleteResets(tx, accountId)
      await forgetDevices(tx, accountId)
      await rememberDevice(tx, { ...ctx, actor: null }, { accountId, device })
      await mailSecurityNews(tx, ctx, {
        to: email,
        tenantId,
        subject: 'Your Mandate password was changed',
        what: 'The password of your Mandate account was changed. Every other session was signed out.',
      })
      await identity.setPassword(tx, accountId, passwords.next)
      await identity.revokeRefreshTokens(tx, accountId)
    }),
  )
}
