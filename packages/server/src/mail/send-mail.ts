import type { Tx } from '../db/database.ts'
import { raw } from '../db/statement.ts'
import type { Services } from '../services.ts'
import type { MailKind } from './mail-limits.ts'

export interface Mail {
  /** One address. */
  to: string
  subject: string
  /** Plain text; a link stands on a line of its own. */
  text: string
  /** The link the mail is about, logged where there is no mail server. */
  link?: string
  /** Whose mail it is, for limits, faults and logs. */
  tenantId?: string
  /** Which limits it counts for; `notice` when absent. */
  kind?: MailKind
}

/**
 * Hands a mail to the outbox in the transaction that causes it: it goes out if that commits, later and with retries, so
 * a mail server's failure never fails a request. Sealed, for links in it are secrets.
 */
export async function sendMail(tx: Tx, services: Pick<Services, 'vault'>, mail: Mail): Promise<void> {
  const payload = JSON.stringify({ sealed: services.vault.seal(JSON.stringify(mail), mailContext) })
  await tx.all(raw('select enqueue_job($1, $2)', ['send_mail', payload]))
}

/** What sealed mails are bound to. */
export const mailContext = 'mail'
