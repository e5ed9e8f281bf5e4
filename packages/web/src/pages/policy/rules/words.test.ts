import { expect, it } from 'vitest'
import type { Document } from '../document/document.ts'
import { draftSentence, hunksOf, savedText, summaryText } from './words.ts'

const rule = {
  id: 'r1',
  name: 'Refunds',
  priority: 20,
  enabled: true,
  effect: 'deny' as const,
  match: { tools: ['mcp:stripe/refund'], when: [] },
  reason: '',
}
const document: Document = {
  name: 'Support',
  description: '',
  environment_id: null,
  override_mode: 'inherit',
  default_effect: 'deny',
  dlp_enabled: false,
  rules: [rule],
}

const placeOf = (id: string) => (id === 'e1' ? 'Production' : 'another one')

it('a diff names environments, and says what the enforcement does', () => {
  const after: Document = { ...document, environment_id: 'e1', override_mode: 'monitor', dlp_enabled: true }
  expect(hunksOf(document, after, placeOf)).toMatchObject([
    {
      title: 'Policy: environment was every environment, is Production',
      before: 'every environment',
      after: 'Production',
    },
    { title: 'Policy: enforcement was “As the environment”, is “Calls pass and are recorded”' },
    { title: 'Policy: content rules was off, is on', before: 'off', after: 'on' },
  ])
})

it('a diff says in words what changed', () => {
  const after: Document = {
    ...document,
    default_effect: 'allow',
    rules: [
      { ...rule, effect: 'allow', priority: 30 },
      { ...rule, id: 'r2', name: '', effect: 'require_approval' },
    ],
  }
  expect(hunksOf(document, after, placeOf).map(({ title }) => title)).toEqual([
    'Policy: effect of calls that no rule matches was Deny, is Allow',
    'Rule Refunds: priority was 20, is 30; effect was Deny, is Allow',
    'New rule 20: Require approval',
  ])
  expect(hunksOf(after, document, placeOf).map(({ title }) => title)).toContain(
    'Removed rule 20, which was Require approval',
  )
  expect(hunksOf(document, document, placeOf)).toEqual([])
})

it('a diff names a new, a changed and a removed limit', () => {
  const allow = { ...rule, effect: 'allow' as const }
  const limited = (count: number) => ({ ...document, rules: [{ ...allow, limit: { count, window_s: 3600 } }] })
  const without = { ...document, rules: [allow] }
  const titlesOf = (before: Document, after: Document) => hunksOf(before, after, placeOf).map(({ title }) => title)
  expect(titlesOf(without, limited(10))).toEqual(['Rule Refunds: limit was off, is at most 10 times in 1 hour'])
  expect(titlesOf(limited(10), limited(1))).toEqual([
    'Rule Refunds: limit was at most 10 times in 1 hour, is at most once in 1 hour',
  ])
  expect(titlesOf(limited(1), without)).toEqual(['Rule Refunds: limit was at most once in 1 hour, is off'])
})

it('the summary of a version', () => {
  const none = { fields: [], rules_added: 0, rules_removed: 0, rules_changed: 0 }
  expect(summaryText(none)).toBe('Nothing changed')
  expect(summaryText({ ...none, rules_added: 1, fields: ['default_effect'] })).toBe(
    '1\u00a0rule added, effect of calls that no rule matches changed',
  )
})

const row = { allow: 0, deny: 0, require_approval: 0, depends: 0 }
const week = { from: '2026-11-16T14:00:00.000Z', to: '2026-11-23T14:31:00.000Z' }
const replay = (rest: object) =>
  ({
    ...week,
    decisions: 100,
    undecidable: 0,
    matrix: { allow: row, deny: row, require_approval: row },
    ...rest,
  }) as Parameters<typeof draftSentence>[0]

it('the sentence never says that nothing changes while something depends', () => {
  expect(draftSentence(replay({ decisions: 0 }))).toContain('No call of the last 7 days')
  expect(draftSentence(replay({}))).toBe('Your draft decides every call of the last 7 days as before.')
  expect(draftSentence(replay({ from: '2026-10-24T14:00:00.000Z' }))).toContain('every call of the last 30 days')
  expect(draftSentence(replay({ undecidable: 2 }))).toBe(
    'Of the last 7 days, 2\u00a0calls depend on what is not recorded, and the others are decided as before.',
  )
  const matrix = { allow: { ...row, require_approval: 214 }, deny: row, require_approval: row }
  expect(draftSentence(replay({ matrix, undecidable: 1 }))).toBe(
    'Of the last 7 days, your draft makes 214\u00a0calls wait for a person; 1\u00a0call depends on what is not recorded.',
  )
})

it('says that a saved policy is in force only if an agent uses it', () => {
  expect(savedText({ version: 2, agents: 1 }, true)).toBe('Saved version 2. It is in force.')
  expect(savedText({ version: 2, agents: 0 }, true)).toBe('Saved version 2. No agent uses it yet.')
  expect(savedText({ version: 2, agents: 0 }, false)).toBe('Saved version 2. No agent that you see uses it yet.')
})
