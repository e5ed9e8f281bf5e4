import { z } from 'zod'
import { isFaulted } from '../boot/create-services.ts'
import { formatMail } from '../mail/format-mail.ts'
import { sendBySmtp } from '../mail/send-by-smtp.ts'
import { type Mail, mailContext } from '../mail/send-mail.ts'
import { writeMailFile } from '../mail/write-mail-file.ts'
import type { Services } from '../services.ts'

const Payload = z.object({ sealed: z.string() })

/** Delivers one mail of the outbox; whatever it throws makes the queue try again later. */
export async function deliverMail(services: Services, payload: unknown): Promise<void> {
  const { config, log, vault } = services
  const mail = JSON.parse(vault.open(Payload.parse(payload).sealed, mailContext)) as Mail
  if (mail.tenantId && (await isFaulted(services, mail.tenantId, 'mail.send'))) {
    throw new Error('fault mail.send is on')
  }
  const message = formatMail(mail, config.mailFrom, new Date())
  if (config.smtpUrl) {
    await sendBySmtp(config.smtpUrl, message)
    log.info({ to: mail.to, subject: mail.subject }, 'mail sent')
    return
  }
  const file = await writeMailFile(config.dataDir, mail.to, message.text)
  log.info({ to: mail.to, link: mail.link, file }, 'mail written')
}
