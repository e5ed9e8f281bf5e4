import { setTimeout as sleep } from 'node:timers/promises'
import { addressKey } from '@mandate/contract/fields/address-key'
import type { Ctx } from '../../../caller/ctx.ts'
import { noTenant, type Tx } from '../../../db/database.ts'
import { sendMail } from '../../../mail/send-mail.ts'
import { digest, newLinkToken } from '../../../security/credentials.ts'
import { findUser, findUserOfAddress } from '../account/queries.ts'
import { throttleAddress } from '../account/throttle.ts'
import { insertReset } from './reset-queries.ts'

const linkMinutes = 60
/**
 * Every response takes this long. It is longer than storing a mail takes, so the response time does not reveal whether a mail was
 * stored.
 */
const answerAfterMs = 250

/** Mails a link to choose a new password if the address has a user. Unknown addresses get the same response in the same time. */
export async function forgotPassword(ctx: Ctx<null>, email: string): Promise<{ message: string }> {
  await throttleAddress(ctx, 'forgot', email)
  const work = mailLink(ctx, email).catch((err) =>
    ctx.services.log.error({ err }, 'the mail with the password reset link could not be sent'),
  )
  await Promise.all([work, sleep(answerAfterMs)])
  return { message: 'If the address has an account, a link to choose a new password is on its way.' }
}

async function mailLink(ctx: Ctx<null>, email: string): Promise<void> {
  const { db, config } = ctx.services
  const found = await findUserOfAddress(ctx.sql, addressKey(email))
  const user = found && (await findUser(db.reader(found.tenant_id), found.user_id))
  if (!user?.account_id) return
  const { account_id: accountId, email: to, tenant_id: tenantId } = user
  const token = newLinkToken()
  const link = `${config.publicUrl}/reset-password?token=${token}`
  const expiresAt = new Date(Date.parse(ctx.now) + linkMinutes * 60_000).toISOString()
  await db.transaction(noTenant, async (tx: Tx) => {
    await insertReset(tx, accountId, digest(token), expiresAt)
    await sendMail(tx, ctx.services, {
      to,
      tenantId,
      kind: 'link',
      link,
      subject: 'Choose a new password',
      text: textOf(link),
    })
  })
}

function textOf(link: string): string {
  return [
    'Someone, probably you, asked for a new password for your Mandate account.',
    `Choose one here within ${linkMinutes} minutes; the link serves once:`,
    link,
    'If it was not you, do nothing: your password stays as it is.',
  ].join('\n\n')
}
