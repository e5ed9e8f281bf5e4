import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { sendMail } from '../../../mail/send-mail.ts'
import { deviceName } from './device-name.ts'

export interface SecurityNews {
  to: string
  tenantId: string
  subject: string
  /** One sentence: what happened. Holds no text that a person or a program chose. */
  what: string
}

/** Mails a person what happened to their account, when, and from where. Goes out if the transaction commits. */
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

/** `22 Nov 2026, 07:38 UTC`, from ISO 8601. */
export function readableTime(at: string): string {
  const [date, time] = [new Date(at), at.slice(11, 16)]
  const month = date.toLocaleString('en-GB', { month: 'short', timeZone: 'UTC' })
  return `${date.getUTCDate()} ${month} ${date.getUTCFullYear()}, ${time} UTC`
}
