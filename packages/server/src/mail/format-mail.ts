import MimeNode from 'nodemailer/lib/mime-node'
import type { Mail } from './send-mail.ts'

/** A message as it goes over the wire, and between whom. */
export interface Message {
  from: string
  to: string
  /** RFC 5322, lines ended by CRLF. */
  text: string
}

/**
 * The mail as a message. The text goes as it is, 7 or 8 bits wide: a link stays whole on its line and reads the same in
 * the source as in a mail program, which encoding it would break.
 */
export function formatMail(mail: Mail, from: string, at: Date): Message {
  const node = new MimeNode('text/plain; charset=utf-8')
  node.setHeader({
    From: from,
    To: mail.to,
    Subject: oneLine(mail.subject),
    Date: at.toUTCString().replace('GMT', '+0000'),
  })
  const body = mail.text.replaceAll(/\r\n|\r|\n/g, '\r\n').replace(/(?:\r\n)*$/, '\r\n')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: seven bits are exactly these
  const encoding = /^[\x00-\x7f]*$/.test(body) ? '7bit' : '8bit'
  node.setHeader('Content-Transfer-Encoding', encoding)
  const envelope = node.getEnvelope()
  return { from: envelope.from || 'mandate@localhost', to: mail.to, text: `${node.buildHeaders()}\r\n\r\n${body}` }
}

/** Names of people and organizations come into subjects: they may not begin a header of their own. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}
