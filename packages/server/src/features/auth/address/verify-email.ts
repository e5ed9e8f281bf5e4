import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { sendMail } from '../../../mail/send-mail.ts'
import { Refusal } from '../../../refusal.ts'
import { digest, newLinkToken } from '../../../security/credentials.ts'
import { insertProof, spendProof } from '../account/mail-proof-queries.ts'
import { markAddressProved } from '../account/proved-address-queries.ts'
import { refusing } from '../account/refuse-identity-failure.ts'
import { findEmailVerified } from '../account/session-queries.ts'
import { throttleAddress } from '../account/throttle.ts'

const linkHours = 24

export interface UnprovedAddress {
  accountId: string
  tenantId: string
  email: string
}

/** Mails a link that verifies an address. An earlier link of the account stops working. */
export async function mailVerification(tx: Tx, ctx: Ctx<null> | Ctx<Member>, to: UnprovedAddress): Promise<void> {
  const { services, now } = ctx
  const token = newLinkToken()
  const link = `${services.config.publicUrl}/verify-email?token=${token}`
  const expiresAt = new Date(Date.parse(now) + linkHours * 60 * 60_000).toISOString()
  await insertProof(tx, {
    accountId: to.accountId,
    purpose: 'verify_email',
    tokenHash: digest(token),
    now,
    expiresAt,
  })
  const { email, tenantId } = to
  await sendMail(tx, services, {
    to: email,
    tenantId,
    kind: 'proof',
    link,
    subject: 'Confirm your address',
    text: textOf(link),
  })
}

/**
 * Mails a new link that verifies the caller's address. If the address is already verified, sends no mail and returns the same
 * response.
 */
export async function requestVerification(ctx: Ctx<Member>): Promise<{ message: string }> {
  const { email, tenantId, userId, accountId } = ctx.actor
  await throttleAddress(ctx, 'verify', email)
  await ctx.inTenant(async (tx) => {
    const user = await findEmailVerified(tx, userId)
    if (!user || user.email_verified || accountId === null) return
    await mailVerification(tx, ctx, { accountId, tenantId, email })
  })
  return { message: 'Unless your address is confirmed, a link to confirm it is on its way.' }
}

/**
 * Verifies the caller's address by the mailed token. The token works only for the account that requested it, and the caller
 * must be signed in to this account. Otherwise a person could register somebody else's address, and the address would be
 * verified for this person as soon as its real owner opens the link.
 */
export async function verifyEmail(ctx: Ctx<Member>, token: string): Promise<void> {
  const { accountId, userId, email, displayName } = ctx.actor
  await refusing(() =>
    ctx.inTenant(async (tx) => {
      const spent = accountId !== null && (await spendProof(tx, digest(token), 'verify_email', accountId, ctx.now))
      if (!spent) throw new Refusal(410, 'this link has been used or has expired, or belongs to another account')
      await markAddressProved(tx, userId)
      await recordAudit(tx, ctx, 'user.profile_updated', {
        resource: { type: 'user', id: userId, name: displayName || email },
        details: { email_verified: true },
      })
      await ctx.services.identity.markEmailVerified(tx, accountId)
    }),
  )
}

function textOf(link: string): string {
  return [
    'Someone, probably you, registered this address at Mandate.',
    `Confirm that the address is yours within ${linkHours} hours, in the browser that you are signed in with; the link works once:`,
    link,
    'If it was not you, do not open the link. You can take the account over at any time: ask for a new password on the sign-in page.',
  ].join('\n\n')
}
