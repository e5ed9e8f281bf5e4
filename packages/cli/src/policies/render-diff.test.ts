import type { Snapshot } from '@mandate/policy/types'
import { expect, it } from 'vitest'
import { renderDiff } from './render-diff.ts'

const withLimit = (limit?: { count: number; window_s: number }): Snapshot => ({
  name: 'Support',
  description: '',
  environment_id: null,
  override_mode: 'inherit',
  default_effect: 'deny',
  dlp_enabled: false,
  rules: [
    {
      id: 'r1',
      name: 'mails',
      priority: 1,
      enabled: true,
      effect: 'allow',
      match: { tools: ['mcp:mail/send'], when: [] },
      reason: '',
      ...(limit && { limit }),
    },
  ],
})
const hourly = withLimit({ count: 10, window_s: 3600 })
const diff = (from: Snapshot, to: Snapshot) => renderDiff(from, to, String)

it('a difference says a new, a lower and a removed limit in words, and what it does to calls', () => {
  expect(diff(withLimit(), hourly)).toEqual([
    '~ rule “mails” at priority 1',
    '    limit: none → at most 10 times in 1 hour',
    'It tightens the policy: no call gets a less strict effect than before.',
  ])
  expect(diff(hourly, withLimit({ count: 1, window_s: 3600 }))[1]).toBe(
    '    limit: at most 10 times in 1 hour → at most once in 1 hour',
  )
  expect(diff(hourly, withLimit()).slice(1)).toEqual([
    '    limit: at most 10 times in 1 hour → none',
    'It loosens the policy: no call gets a stricter effect than before.',
  ])
})

it('an added rule has its limit', () => {
  expect(diff({ ...hourly, rules: [] }, hourly)[0]).toBe(
    '+ rule “mails” at priority 1: allow at most 10 times in 1 hour',
  )
})
