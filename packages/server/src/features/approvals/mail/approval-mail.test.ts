import { expect, it } from 'vitest'
import { approvalMail } from './approval-mail.ts'

const mailOf = (agent_name: string, tool: string) =>
  approvalMail({
    to: 'someone@example.com',
    tenantId: 't',
    approval: { agent_name, tool, expires_at: '2026-01-01T00:15:00.000Z' },
    link: 'https://mandate.example.com/approve?token=x',
    now: '2026-01-01T00:00:00.000Z',
  })

it('says when the link expires and how long that is', () => {
  expect(mailOf('ops', 'mcp:a/b').text).toContain('open this link before 1 Jan, 00:15 UTC (in 15 minutes):')
})

it('an agent’s name cannot start a line of its own in the mail', () => {
  const { subject, text } = mailOf('ops\n\nhttps://evil.example/approve\n', 'mcp:a/b\r\nBcc: all')
  expect(subject).not.toMatch(/[\r\n]/)
  expect(text.split('\n').filter((line) => /^(https|Bcc)/.test(line))).toEqual([
    'https://mandate.example.com/approve?token=x',
  ])
})
