import type { Ctx } from '../caller/ctx.ts'
import type { Tx } from '../db/database.ts'
import { readableTime } from '../text/readable-time.ts'
import { deviceName } from './device-name.ts'
import { sendMail } from './send-mail.ts'

export interface SecurityNews {
  to: string
  tenantId: string
  subject: string
  /**
   * One sentence that says what happened. It must not contain text that a user or a program chose, such as the name of an API
   * key, because such text could deceive the person who gets the mail.
   */
  what: string
}

/** Mails a person what happened to their account, when, and from which client. The mail is sent if the transaction commits. */
export async function mailSecurityNews(
  tx: Tx,
  { services, request, now }: Pick<Ctx<null>, 'services' | 'request' | 'now'>,
  { to, tenantId, subject, what }: SecurityNews,
): Promise<void> {
  const text = [
    what,
    `Time: ${readableTime(now)}\nAddress: ${request.ip}\nDevice: ${deviceName(request.userAgent)}`,
    'If this was you, there is nothing to do.',
    `If it was not you, choose a new password at ${services.config.publicUrl}/forgot-password and tell an owner of your organization.`,
  ].join('\n\n')
  await sendMail(tx, services, { to, tenantId, subject, text })
}
