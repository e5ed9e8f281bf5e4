import type { Message } from './format-mail.ts'

const timeoutMs = 20_000

/** Sends a message through the mail server at `smtpUrl`. Throws if the mail server does not accept the message. */
export async function sendBySmtp(smtpUrl: string, { from, to, text }: Message): Promise<void> {
  const url = new URL(smtpUrl)
  for (const name of ['connectionTimeout', 'greetingTimeout', 'socketTimeout']) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(timeoutMs))
  }
  // Loaded by the first mail, because many servers send none.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport(url.href)
  try {
    await transport.sendMail({ envelope: { from, to: [to] }, raw: text })
  } finally {
    transport.close()
  }
}
