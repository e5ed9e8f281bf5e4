import { expect, test } from 'vitest'
import { formatMail } from './format-mail.ts'

const link = `https://mandate.example.com/join?token=${'A_-b'.repeat(40)}&next=%2Fhome=1`
const mail = { to: 'someone@example.com', subject: 'Join us', text: `Hello,\n\n${link}\n\nBye` }
const from = 'Mandate <mandate@example.com>'
const format = (changes: Partial<typeof mail> = {}) => formatMail({ ...mail, ...changes }, from, new Date(0))

test('a link is complete and unencoded on a line of its own', () => {
  for (const text of [mail.text, `Grüße von Zoë,\n\n${link}\n`]) {
    expect(format({ text }).text.split('\r\n')).toContain(link)
  }
})

test('the transfer encoding is 7bit for ASCII and 8bit for other text', () => {
  expect(format().text).toMatch(/^Content-Transfer-Encoding: 7bit\r$/m)
  expect(format({ text: 'Grüße' }).text).toMatch(/^Content-Transfer-Encoding: 8bit\r$/m)
})

test('the headers contain sender, recipient, time and subject', () => {
  const [head = ''] = format().text.split('\r\n\r\n')
  for (const line of ['From: Mandate <mandate@example.com>', 'To: someone@example.com', 'Subject: Join us']) {
    expect(head.split('\r\n')).toContain(line)
  }
  expect(head).toMatch(/^Date: Thu, 01 Jan 1970 00:00:00 \+0000\r$/m)
  expect(head).toMatch(/^Message-ID: <.+>\r$/im)
})

test('a name in the subject cannot add a header or end the headers', () => {
  const { text } = format({ subject: 'Join Evil\r\nBcc: other@example.com\r\n\r\nbody' })
  const [head = ''] = text.split('\r\n\r\n')
  expect(head).not.toMatch(/^Bcc:/im)
  expect(head).toContain('Subject: Join Evil Bcc: other@example.com body')
})

test('the envelope has addresses without names', () => {
  expect(format()).toMatchObject({ from: 'mandate@example.com', to: 'someone@example.com' })
})
