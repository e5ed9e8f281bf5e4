import type { Tx } from '../db/database.ts'
import { raw } from '../db/statement.ts'
import type { Services } from '../services.ts'
import type { MailKind } from './mail-limits.ts'

export interface Mail {
  /** One address. */
  to: string
  subject: string
  /** Plain text. A link is on a line of its own. */
  text: string
  /** The mail's link. It is logged if there is no mail server. */
  link?: string
  /** The tenant of the mail, for limits, faults and logs. */
  tenantId?: string
  /** The kind for the limits. Default: `notice`. */
  kind?: MailKind
}

/**
 * Queues a mail in the transaction that causes it. The mail is sent after the commit, with retries, so an error of the mail server never
 * fails a request. The mail is encrypted in the queue, because its links are secrets.
 */
export async function sendMail(tx: Tx, services: Pick<Services, 'vault'>, mail: Mail): Promise<void> {
  const payload = JSON.stringify({ sealed: services.vault.seal(JSON.stringify(mail), mailContext) })
  await tx.all(raw('select enqueue_job($1, $2)', ['send_mail', payload]))
}

/** The context that encrypted mails are bound to. */
export const mailContext = 'mail'
