import { addressKey } from '@mandate/contract/fields/address-key'
import type { Ctx } from '../../../caller/ctx.ts'
import { noTenant } from '../../../db/database.ts'
import { sendMail } from '../../../mail/send-mail.ts'
import { digest, newLinkToken } from '../../../security/credentials.ts'
import { identityDb } from '../account/identity-db.ts'
import { insertProof } from '../account/mail-proof-queries.ts'
import { findUser, findUserOfAddress } from '../account/queries.ts'
import { hasRoomFor, type Limit } from '../account/throttle.ts'

const linkMinutes = 15
/**
 * Maximum number of sign-in mails per address and hour. Without a limit, an attacker who knows the password of an account could
 * flood the mailbox of its owner.
 */
const mailsPerAddress: Limit = { limit: 3, windowSeconds: 60 * 60 }

/**
 * If the password is right, mails the account's owner a link that lets them sign in while the address is throttled. The link alone
 * signs no one in: the sign-in page asks for the password again, and for the one-time password if a factor is enrolled.
 */
export async function mailSignInLink(ctx: Ctx<null>, { email, password }: { email: string; password: string }) {
  const { services, now } = ctx
  // Does not check the one-time password, because a check would use it up.
  const proof = await services.identity.verifyPassword(identityDb(services), { email, password })
  if (!proof.ok && proof.reason !== 'mfa_required') return
  const address = addressKey(email)
  const found = await findUserOfAddress(ctx.sql, address)
  const user = found && (await findUser(services.db.reader(found.tenant_id), found.user_id))
  if (!user?.account_id) return
  if (!(await hasRoomFor(ctx, 'sign-in-link:address', mailsPerAddress, address))) return
  const { account_id: accountId, email: to, tenant_id: tenantId } = user
  const token = newLinkToken()
  const link = `${services.config.publicUrl}/sign-in?token=${token}`
  const expiresAt = new Date(Date.parse(now) + linkMinutes * 60_000).toISOString()
  await services.db.transaction(noTenant, async (tx) => {
    await insertProof(tx, { accountId, purpose: 'sign_in', tokenHash: digest(token), now, expiresAt })
    await sendMail(tx, services, {
      to,
      tenantId,
      kind: 'proof',
      link,
      subject: 'Sign in to Mandate',
      text: textOf(link),
    })
  })
}

function textOf(link: string): string {
  return [
    'Someone tried many wrong passwords for your address, so sign-ins with it are slowed down. Then someone sent the right password.',
    `If that was you, sign in here within ${linkMinutes} minutes; the link works once:`,
    link,
    'If it was not you, someone knows your password: choose a new one.',
  ].join('\n\n')
}
