import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compilePolicy, evaluate } from '../src/evaluate.ts'
import { mayPass } from '../src/may-pass.ts'
import type { Condition, Effect, Rule } from '../src/types.ts'
import { call, snapshot, withSession } from './arbitrary-policy.ts'

test('a tool that may not pass is denied with any arguments', () => {
  fc.assert(
    fc.property(snapshot, call, (document, one) => {
      const policy = compilePolicy(document)
      fc.pre(evaluate(policy, withSession(one)).effect !== 'deny')
      expect(mayPass(policy, one)).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

const rule = (effect: Effect, ...when: Condition[]): Rule => ({
  id: `${effect}${when.length}`,
  name: effect,
  priority: when.length,
  enabled: true,
  effect,
  match: { tools: ['fn:a/*'], when },
  reason: '',
})
const onArguments: Condition = { path: 'args.x', op: 'eq', value: 1 }
const onAgent = (value: string): Condition => ({ path: 'agent.team', op: 'eq', value })
const onNothing: Condition = { path: 'agent.unknown', op: 'eq', value: 'x' }

test.each<[string, Effect, Rule[], boolean]>([
  ['no rules, default deny', 'deny', [], false],
  ['no rules, default allow', 'allow', [], true],
  ['no rules, default require_approval', 'require_approval', [], true],
  ['a deny without conditions', 'allow', [rule('deny')], false],
  ['a deny on arguments', 'allow', [rule('deny', onArguments)], true],
  ['a deny on this agent', 'allow', [rule('deny', onAgent('red'))], false],
  ['a deny on another agent', 'allow', [rule('deny', onAgent('blue'))], true],
  ['a deny that is always in error', 'allow', [rule('deny', onArguments, onNothing)], false],
  ['an allow on arguments', 'deny', [rule('allow', onArguments)], true],
  ['an allow on another agent', 'deny', [rule('allow', onAgent('blue'), onArguments)], false],
  ['an allow in error', 'deny', [rule('allow', onNothing)], false],
  [
    'approval on arguments of another agent, which may be in error',
    'deny',
    [rule('require_approval', onAgent('blue'), onArguments)],
    true,
  ],
  ['approval for another agent', 'deny', [rule('require_approval', onAgent('blue'))], false],
  ['approval and a deny', 'allow', [rule('require_approval', onArguments), rule('deny')], false],
])('%s, default %s', (_, default_effect, rules, expected) => {
  const policy = compilePolicy({ default_effect, rules })
  expect(mayPass(policy, { tool: 'fn:a/b', agent: { team: 'red' }, environment: {} })).toBe(expected)
})
