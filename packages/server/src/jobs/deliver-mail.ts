import { z } from 'zod'
import { type AuditSource, recordAudit } from '../audit/record-audit.ts'
import { noTenant, type Tx } from '../db/database.ts'
import { raw } from '../db/statements/statement.ts'
import { isFaulted } from '../identity/is-faulted.ts'
import { type Count, countMail, type MetLimit, uncountMail } from '../mail/count-mail.ts'
import { formatMail } from '../mail/format-mail.ts'
import type { MailKind } from '../mail/mail-limits.ts'
import { sendBySmtp } from '../mail/send-by-smtp.ts'
import { type Mail, mailContext } from '../mail/send-mail.ts'
import { writeMailFile } from '../mail/write-mail-file.ts'
import type { Services } from '../services.ts'

const Payload = z.object({ sealed: z.string() })

/**
 * Delivers one mail of the queue. If this function throws, the queue retries the mail later. A mail that exceeds an hourly or
 * daily limit is not sent, and a warning is logged. The first such mail in an hour or a day also writes an audit entry for the
 * tenant.
 */
export async function deliverMail(services: Services, payload: unknown): Promise<void> {
  const mail = JSON.parse(services.vault.open(Payload.parse(payload).sealed, mailContext)) as Mail
  if (mail.tenantId && (await isFaulted(services, mail.tenantId, 'mail.send'))) {
    throw new Error('the simulated fault mail.send is switched on')
  }
  const counted = await countOrWithhold(services, mail)
  if (!counted) return
  try {
    await deliver(services, mail)
  } catch (error) {
    await services.db.transaction(mail.tenantId ?? noTenant, (tx) => uncountMail(tx, counted))
    throw error
  }
}

async function deliver({ config, log }: Services, mail: Mail): Promise<void> {
  const message = formatMail(mail, config.mailFrom, new Date())
  if (config.smtpUrl) {
    await sendBySmtp(config.smtpUrl, message)
    log.info({ to: mail.to, subject: mail.subject }, 'mail sent')
    return
  }
  const file = await writeMailFile(config.dataDir, mail.to, message.text)
  log.info({ to: mail.to, link: mail.link, file }, 'mail written')
}

/**
 * Counts the mail for its hourly and daily limits, and returns the counts that include it. Returns undefined if a limit is
 * reached and the mail must not be sent.
 */
async function countOrWithhold(services: Services, mail: Mail): Promise<Count[] | undefined> {
  const { db, log } = services
  const now = new Date()
  const kind = mail.kind ?? 'notice'
  const verdict = await db.transaction(mail.tenantId ?? noTenant, async (tx) => {
    const verdict = await countMail(tx, mail.to, kind, now)
    if ('met' in verdict && verdict.isFirst) await recordWithheld(tx, services, mail.to, kind, verdict.met, now)
    return verdict
  })
  if ('counted' in verdict) return verdict.counted
  log.warn(
    { to: mail.to, kind, tenant_id: mail.tenantId, ...verdict.met },
    'mail not sent: the hourly or daily mail limit is reached',
  )
  return undefined
}

async function recordWithheld(
  tx: Tx,
  services: Services,
  to: string,
  kind: MailKind,
  met: MetLimit,
  now: Date,
): Promise<void> {
  const { tenantId } = tx
  const tenant = tenantId === noTenant ? undefined : await tx.maybe(nameOf(tenantId))
  if (!tenant) return
  const by: AuditSource = {
    actor: { kind: 'system', tenantId },
    request: { id: 'send_mail', ip: '', userAgent: '' },
    now: now.toISOString(),
    services,
  }
  await recordAudit(tx, by, 'mail.withheld', {
    resource: { type: 'tenant', id: tenantId, name: tenant.name },
    details: { to, kind, limit_of: met.of, period: met.period, limit: met.limit },
  })
}

const nameOf = (tenantId: string) => raw<{ name: string }>('select name from tenants where id = $1', [tenantId])
