import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { approvalMail } from '../features/approvals/mail/approval-mail.ts'
import { invitationMail } from '../features/tenants/invitations/invitation-mail.ts'
import { welcomeMail } from '../features/user-access/welcome-mail.ts'
import type { Mail } from './send-mail.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const link = 'https://mandate.example.com/x?token=y'
const to = 'someone@example.net'

/**
 * Each file that puts text which people wrote into mails. The function uses `name` in every place where such text appears.
 */
const withNames: Record<string, (name: string) => Mail> = {
  'features/approvals/mail/approval-mail.ts': (name) =>
    approvalMail({
      to,
      tenantId: 't',
      approval: { agent_name: name, tool: name, expires_at: '2026-01-01T00:15:00.000Z' },
      link,
      now: '2026-01-01T00:00:00.000Z',
    }),
  'features/tenants/invitations/invitation-mail.ts': (name) =>
    invitationMail({ to, tenantId: 't', organization: name, inviter: name, academyOnly: name.length % 2 === 0, link }),
  'features/user-access/welcome-mail.ts': (name) => welcomeMail({ email: to, tenant_id: 't' }, name, 'member', link),
}

/** Files whose mails contain no text that people wrote. */
const withoutNames = [
  'features/auth/password/forgot-password.ts',
  'features/auth/device/mail-sign-in-link.ts',
  'features/auth/address/release-address.ts',
  'mail/security-mail.ts',
  'features/auth/address/verify-email.ts',
  'features/users/sign-in/reset-mfa.ts',
]

/**
 * The only placeholders that such mails may contain: texts of the server, the client's address, and words of a fixed list.
 */
const ownTexts = new Set([
  ...['config.publicUrl', 'services.config.publicUrl', 'publicUrl', 'token', 'link', 'linkMinutes', 'linkHours'],
  ...['readableTime(now)'],
  ...['request.ip', 'deviceName(request.userAgent)'],
])

const hostile = [
  'Free money at https://evil.example/claim?id=1',
  'evil.example/login',
  'www.evil.example',
  'write to pay@evil.example',
  'ops\r\nBcc: all@evil.example\r\n\r\nhttps://evil.example',
  'a\u202eb\u200b\u0000',
  'x'.repeat(5000),
]

describe('every mail that shows text that people wrote', () => {
  it('is in this test: a file that writes a subject is listed', () => {
    const writes = globSync('**/*.ts', { cwd: root })
      .filter((file) => !file.endsWith('.test.ts') && /^(features|mail)\//.test(file))
      .filter((file) => /\bsubject:/.test(textOf(file)) && /from '.*\/send-mail\.ts'/.test(textOf(file)))
    expect(writes.sort()).toEqual([...Object.keys(withNames), ...withoutNames].sort())
  })

  it.each(withoutNames)('%s shows only links and times', (file) => {
    const shown = [...textOf(file).matchAll(/\$\{([^}]*)\}/g)].map((match) => match[1])
    expect(shown.filter((each) => !ownTexts.has(each ?? ''))).toEqual([])
  })

  it.each(Object.keys(withNames))('%s shows no time in the form for programs', (file) => {
    const { subject, text } = (withNames[file] as (name: string) => Mail)('Mel')
    expect(subject + text).not.toMatch(/\d{4}-\d\d-\d\d|T\d\d:\d\d|\d\.\d{3}/)
  })

  it.each(Object.keys(withNames))(
    '%s removes links, addresses and line breaks from names, and shortens them',
    (file) => {
      for (const name of hostile) {
        const { subject, text } = (withNames[file] as (name: string) => Mail)(name)
        const rest = text.replaceAll(link, '')
        for (const shown of [subject, rest]) {
          expect(shown, name).not.toMatch(/evil\.example|:\/\/|@|www\./)
          expect(shown, name).not.toMatch(/x{61}/)
          expect(shown.replaceAll('\n', ''), name).not.toMatch(/[\p{Cc}\p{Cf}]/u)
        }
        expect(subject, name).not.toMatch(/\n/)
        expect(
          text.split('\n').filter((line) => /^(https|Bcc)/.test(line)),
          name,
        ).toEqual([link])
      }
    },
  )
})

function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
