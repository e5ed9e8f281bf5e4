import { skeletonsOf } from '@mandate/policy/look-alike'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findLookAlikeTool, findOtherTool, keysOf, otherToolsOf } from './other-tools.ts'

const others = otherToolsOf(
  [
    { server: 'mail', name: 'send_mail' },
    { server: 'mail', name: 'email' },
    { server: 'site', name: 'sign_in' },
    { server: 'bank', name: 'payInvoice' },
  ],
  ['send-file'],
)

describe('a tool has the name of another one', () => {
  it.each([
    ['with the same letters', 'send_mail'],
    ['with Cyrillic letters', 'sеnd_mаil'],
    ['with other punctuation', 'send-mail'],
    ['without punctuation', 'sendmail'],
    ['in other letter case', 'Send_Mail'],
    ['with a digit in place of a letter', 'send_mai1'],
    ['with a capital I in place of an l', 'send_maiI'],
    ['with a hidden character', 'send\u200b_mail'],
    ['with full-width letters', 'ｓｅｎｄ_mail'],
  ])('%s', (_, name) => expect(findLookAlikeTool(name, others)).toEqual({ server: 'mail', name: 'send_mail' }))

  it('unless a letter differs for a reader', () => {
    for (const name of ['send_mails', 'sent_mail', 'mail_send', '_', 'é'])
      expect(findLookAlikeTool(name, others), name).toBeNull()
  })
})

describe('a text names the tool of another server', () => {
  it.each([
    'Use send_mail instead.',
    'Use sеnd_mаil instead.',
    'Use SendMail instead.',
    'Use mcp:mail/Send_Mail instead.',
    'Use `Send-Mail` instead.',
    'Never call the sign-in tool.',
    'Use pay_invoice for this.',
  ])('%j', (text) => expect(findOtherTool(text, others)).not.toBeNull())

  it.each([
    'Send mail to a person.',
    'Sends an e-mail.',
    'Opens the sign-in page.',
    'Pay invoices on time.',
    'Отправляет письмо.',
  ])('but not in the ordinary text %j', (text) => expect(findOtherTool(text, others)).toBeNull())

  it('but not if its own server has a tool whose name looks like it', () => {
    const own = otherToolsOf([{ server: 'files', name: 'send_file' }], ['send-file'])
    expect(findOtherTool('Use send_file first.', own)).toBeNull()
  })
})

it('property: the key of a plain name is what policies compare, without punctuation', () => {
  const letters = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHJKLMNOPQRSTUVWXYZ0123456789_.-rnvv')
  fc.assert(
    fc.property(fc.string({ unit: letters, minLength: 1, maxLength: 30 }), (name) => {
      expect(keysOf(name)).toEqual(skeletonsOf(name).map((skeleton) => skeleton.replace(/[\p{P}\p{S}]/gu, '')))
    }),
  )
})
