import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { mailSecurityNews } from '../../../mail/security-mail.ts'
import { coded, invalid, notFound, Refusal } from '../../../refusal.ts'
import { findSignInTime } from '../../../sessions/live-session.ts'
import { revokeSessionsOfAccount } from '../../../sessions/revoke-sessions.ts'
import { requireAccount } from '../account/account-of.ts'
import { identityDb } from '../account/identity-db.ts'
import { setMfaEnrolled } from '../account/queries.ts'
import { refusing } from '../account/refuse-identity-failure.ts'
import { throttleCodeCheck, throttlePasswordCheck } from '../account/throttle.ts'

/**
 * Time after a sign-in, in milliseconds. During this time, a person without a second factor may enrol a second factor and need
 * not enter the password again.
 */
const freshMs = 5 * 60_000

/**
 * Starts to enrol a second factor. If the account has no second factor yet, this needs the current password or a sign-in in the
 * last five minutes. Otherwise a person with a stolen access token could enrol a factor and so lock out the account's real
 * owner. Replacing an active factor always needs the password.
 */
export async function startTotp(ctx: Ctx<Member>, password?: string): Promise<{ secret: string; otpauth_url: string }> {
  const { identity } = ctx.services
  const accountId = requireAccount(ctx.actor)
  return await refusing(async () => {
    const isReplaced = await identity.hasFactors(identityDb(ctx.services), accountId)
    if (isReplaced || password !== undefined) await requirePassword(ctx, accountId, password)
    else await requireFreshSignIn(ctx, accountId)
    const { secret, otpauthUrl } = await ctx.inTenant((tx) => identity.startTotp(tx, accountId, ctx.actor.email))
    return { secret, otpauth_url: otpauthUrl }
  })
}

/**
 * Activates the new factor, ends the caller's other sessions, and sends the caller a mail about it. The response contains the
 * recovery codes. They are not shown again.
 */
export async function confirmTotp(ctx: Ctx<Member>, otp: string): Promise<{ recovery_codes: string[] }> {
  const { identity } = ctx.services
  const { actor, now } = ctx
  const accountId = requireAccount(actor)
  await throttleCodeCheck(ctx, accountId)
  return await refusing(() =>
    ctx.inTenant(async (tx) => {
      const user = await setMfaEnrolled(tx, actor.userId)
      if (!user) throw notFound('user')
      await recordAudit(tx, ctx, 'user.profile_updated', {
        resource: { type: 'user', id: user.id, name: user.display_name || user.email },
        details: { mfa_enrolled: true },
      })
      await revokeSessionsOfAccount(tx, accountId, now, actor.sessionId)
      await mailSecurityNews(tx, ctx, {
        to: user.email,
        tenantId: user.tenant_id,
        subject: 'A second factor was added to your Mandate account',
        what: 'An authenticator app was set up as the second factor of your Mandate account. Every other session was signed out.',
      })
      const confirmed = await identity.confirmTotp(tx, accountId, otp)
      if (!confirmed) throw invalid('otp is wrong, or no enrolment was started in the last 15 minutes')
      return { recovery_codes: confirmed.recoveryCodes }
    }),
  )
}

async function requirePassword(ctx: Ctx<Member>, accountId: string, password: string | undefined): Promise<void> {
  const { services, actor } = ctx
  if (password === undefined) throw new Refusal(401, 'the current password is required to replace a second factor')
  await throttlePasswordCheck(ctx, accountId)
  const { email } = actor
  const proof = await services.identity.verifyPassword(identityDb(services), { email, password })
  // The reason `mfa_required` means that the password was right and only the one-time password is missing. A one-time password is
  // not needed here.
  if (!proof.ok && proof.reason !== 'mfa_required') throw new Refusal(401, 'wrong password')
}

async function requireFreshSignIn({ services, actor, now }: Ctx<Member>, accountId: string): Promise<void> {
  const signedInAt = await findSignInTime(services.db.global, actor.sessionId, accountId)
  if (signedInAt === undefined || Date.parse(now) - Date.parse(signedInAt) > freshMs)
    throw coded('fresh_sign_in_required')
}
