import { expect, test } from 'vitest'
import type { Condition, Rule } from '../src/types.ts'
import { validateDocument } from '../src/validate.ts'

const rule = (when: object): Rule => ({
  id: 'r1',
  name: 'no secrets',
  priority: 1,
  enabled: true,
  effect: 'deny',
  match: { tools: ['mcp:files/*'], when: [when as Condition] },
  reason: '',
})
const warningsOf = (when: object) => validateDocument({ rules: [rule(when)] }).warnings

test.each([
  { path: 'args.path', op: 'starts_with', value: '/srv/secrets/' },
  { path: 'args.path', op: 'not_starts_with', value: '/srv/public/' },
  { path: 'args.x', op: 'contains', value: '/secrets/' },
  { path: 'args.x', op: 'not_contains', value: '../' },
  { path: 'args.x', op: 'eq', value: '~/.ssh/id_rsa' },
  { path: 'args.x', op: 'in', value: ['a', './b'] },
  { path: 'args.x', op: 'starts_with', value: 'file:///srv' },
  { path: 'args.x', op: 'starts_with', value: 'C:\\secrets' },
  { path: 'args.files.0', op: 'contains', value: 'secrets/' },
  { path: 'args.targetDir', op: 'contains', value: 'a/b' },
  { path: 'args.file_name', op: 'eq', value: 'a/b' },
])('warns about $path $op $value', (when) => {
  expect(warningsOf(when)).toEqual([
    {
      rule_id: 'r1',
      path: 'rules[0].match.when[0]',
      message: expect.stringMatching(/^rule "no secrets" compares args\..* as text .*: use (?:not_)?under$/),
    },
  ])
})

test.each([
  { path: 'args.path', op: 'under', value: '/srv/secrets' },
  { path: 'args.x', op: 'starts_with', value: 'secrets/a' },
  { path: 'args.profile', op: 'eq', value: 'a/b' },
  { path: 'args.uri', op: 'starts_with', value: 'https://example.com/' },
  { path: 'args.path', op: 'eq', value: 'readme' },
  { path: 'tool.name', op: 'eq', value: '/srv' },
  { path: 'args.path', op: 'exists', value: true },
  { path: 'args.size', op: 'gt', value: 5 },
])('does not warn about $path $op $value', (when) => {
  expect(warningsOf(when)).toEqual([])
})

test('names a rule by its place in the policy', () => {
  const exact = { ...rule({ path: 'args.size', op: 'gt', value: 5 }), id: 'r0', priority: 0 }
  const { warnings } = validateDocument({
    rules: [exact, rule({ path: 'args.path', op: 'starts_with', value: '/srv' })],
  })
  expect(warnings).toMatchObject([{ path: 'rules[1].match.when[0]' }])
})
