import type { Tx } from '../db/database.ts'
import { raw } from '../db/statements/statement.ts'
import type { Services } from '../services.ts'
import type { MailKind } from './mail-limits.ts'

export interface Mail {
  /** The recipient. Exactly one address. */
  to: string
  subject: string
  /** The text of the mail, without formatting. A link is on a line of its own. */
  text: string
  /** The link that the mail contains. If no mail server is configured, the link is logged. */
  link?: string
  /** The tenant that sends the mail. Used for mail limits, simulated failures and log entries. */
  tenantId?: string
  /** The kind of mail, which determines its limits. Default: `notice`. */
  kind?: MailKind
}

/**
 * Queues a mail, in the transaction of the change that causes the mail. The job worker sends it after the commit and retries on
 * errors, so an error of the mail server never makes a request fail. The mail is encrypted in the queue, because its links are
 * secrets.
 */
export async function sendMail(tx: Tx, services: Pick<Services, 'vault'>, mail: Mail): Promise<void> {
  const payload = JSON.stringify({ sealed: services.vault.seal(JSON.stringify(mail), mailContext) })
  await tx.all(raw('select enqueue_job($1, $2)', ['send_mail', payload]))
}

/** Context for the encryption of mails in the queue. The vault decrypts a mail only with the same context. */
export const mailContext = 'mail'
