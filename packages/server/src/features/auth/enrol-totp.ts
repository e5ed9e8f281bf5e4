import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../http/ctx.ts'
import { invalid, notFound, Refusal } from '../../refusal.ts'
import { identityDb } from './identity-db.ts'
import { setMfaEnrolled } from './queries.ts'
import { refusing } from './refuse-identity-failure.ts'
import { throttleAddress } from './throttle.ts'

/** Begins to enrol a second factor. In place of one in force only with the current password: a session alone is not enough. */
export async function startTotp(ctx: Ctx<Member>, password?: string): Promise<{ secret: string; otpauth_url: string }> {
  const { identity } = ctx.services
  const accountId = accountOf(ctx)
  return await refusing(async () => {
    if (await identity.hasFactors(identityDb(ctx.services), accountId)) await requirePassword(ctx, password)
    const { secret, otpauthUrl } = await ctx.inTenant((tx) => identity.startTotp(tx, accountId, ctx.actor.email))
    return { secret, otpauth_url: otpauthUrl }
  })
}

/** Puts the begun factor in force. The recovery codes are shown this once. */
export async function confirmTotp(ctx: Ctx<Member>, otp: string): Promise<{ recovery_codes: string[] }> {
  const { identity } = ctx.services
  const accountId = accountOf(ctx)
  return await refusing(() =>
    ctx.inTenant(async (tx) => {
      const user = await setMfaEnrolled(tx, ctx.actor.userId)
      if (!user) throw notFound('user')
      await recordAudit(tx, ctx, 'user.profile_updated', {
        resource: { type: 'user', id: user.id, name: user.display_name || user.email },
        details: { mfa_enrolled: true },
      })
      const confirmed = await identity.confirmTotp(tx, accountId, otp)
      if (!confirmed) throw invalid('otp is wrong, or no enrolment has been begun')
      return { recovery_codes: confirmed.recoveryCodes }
    }),
  )
}

async function requirePassword(ctx: Ctx<Member>, password: string | undefined): Promise<void> {
  const { services, actor } = ctx
  if (password === undefined) throw new Refusal(401, 'the current password is required to replace a second factor')
  await throttleAddress(ctx, 'sign-in', actor.email)
  const { email } = actor
  const proof = await services.identity.verifyPassword(identityDb(services), { email, password })
  // Asking for the one-time password says that the password was right.
  if (!proof.ok && proof.reason !== 'mfa_required') throw new Refusal(401, 'wrong password')
}

function accountOf(ctx: Ctx<Member>): string {
  if (ctx.actor.accountId === null) throw new Refusal(401, 'the sign-in account is gone')
  return ctx.actor.accountId
}
