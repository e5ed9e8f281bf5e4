import MimeNode from 'nodemailer/lib/mime-node'
import type { Mail } from './send-mail.ts'

/** A message that is ready to be sent, with the addresses of its envelope. */
export interface Message {
  from: string
  to: string
  /** The message in the format of RFC 5322. Lines end with CRLF. */
  text: string
}

/**
 * Formats a mail as a message in the format of RFC 5322. The text is sent as 7bit or 8bit, because any other encoding could
 * split a long link over two lines.
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
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches all 7-bit characters
  const encoding = /^[\x00-\x7f]*$/.test(body) ? '7bit' : '8bit'
  node.setHeader('Content-Transfer-Encoding', encoding)
  const envelope = node.getEnvelope()
  return { from: envelope.from || 'mandate@localhost', to: mail.to, text: `${node.buildHeaders()}\r\n\r\n${body}` }
}

/**
 * Puts the subject of a mail on one line. The subject contains names of people and organizations, and a line break in a name
 * could start a new mail header.
 */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}
