import type { Condition, Rule } from '@mandate/policy/types'
import { expect, test } from 'vitest'
import { argumentPaths, findReplayGaps } from './replay-gaps.ts'

const rule = (name: string, priority: number, paths: string[], more: Partial<Rule> = {}): Rule => ({
  id: name,
  name,
  priority,
  enabled: true,
  effect: 'allow',
  match: { tools: ['*'], when: paths.map((path): Condition => ({ path, op: 'exists', value: true })) },
  reason: '',
  ...more,
})
const gapsOf = (rules: Rule[], dlp_enabled = false) => findReplayGaps({ rules, dlp_enabled })

test.each([
  ['args.path', /^args\.path \(rule “a”\): a record has a digest of the arguments/],
  ['agent.name', /^agent\.name \(rule “a”\): a record does not have the fields of the agent/],
  ['environment.slug', /^environment\.slug .*fields of the environment/],
  ['session.labels', /^session\.labels .*fails closed$/],
  ['tool.labels', /^tool\.labels .*of today/],
])('a rule that asks about %s has a gap with its reason', (path, text) => {
  expect(gapsOf([rule('a', 1, [path])])).toEqual([expect.stringMatching(text)])
})

test('rules that ask about names of tools, and rules that are off, have no gap', () => {
  expect(gapsOf([rule('a', 1, ['tool.name']), rule('b', 2, ['args.x'], { enabled: false })])).toEqual([])
})

test('names the rules of a gap once, at most three of them, and limits and content rules', () => {
  const limited = rule('', 9, [], { limit: { count: 1, window_s: 60 } })
  const rules = [...['a', 'b', 'c', 'd'].map((name, at) => rule(name, at, ['args.x', 'args.x'])), limited]
  expect(gapsOf(rules, true)).toEqual([
    expect.stringMatching(/^args\.x \(rules “a”, “b”, “c” and 1 more\): /),
    expect.stringMatching(/^limits \(rule priority 9\): /),
    expect.stringMatching(/^content rules: /),
  ])
})

test('if an environment keeps arguments, says which values it does not keep', () => {
  const paths = ['args.path', 'args.password', 'args.other', 'agent.name']
  const read = argumentPaths([rule('s', 1, ['args.path', 'args.password', 'agent.id'])])
  expect(findReplayGaps({ rules: [rule('a', 1, paths)], dlp_enabled: false }, { isOn: true, read })).toEqual([
    expect.stringMatching(
      /^args\.path .*: calls whose record does not have the value: no rule of the stored policy read it for their tool, /,
    ),
    expect.stringMatching(/^args\.password .*: it has the name of a secret/),
    expect.stringMatching(/^args\.other .*: the stored policy does not read it/),
    expect.stringMatching(/^agent\.name /),
  ])
})
