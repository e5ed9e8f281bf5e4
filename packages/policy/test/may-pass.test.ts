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

test('a tool that may not pass with the arguments that it declares is denied with any arguments', () => {
  let hidden = 0
  fc.assert(
    fc.property(snapshot, call, (document, one) => {
      fc.pre(one.declaredArgs !== null)
      const policy = compilePolicy(document)
      const passes = evaluate(policy, withSession(one)).effect !== 'deny'
      if (mayPass(policy, one)) return
      expect(passes).toBe(false)
      const { declaredArgs: _, ...unknown } = one
      if (mayPass(policy, unknown)) hidden++
    }),
    { numRuns: 4000 },
  )
  // About 20 calls of a run. Without any, the test would show nothing.
  expect(hidden).toBeGreaterThan(0)
})

test.each<[string, Condition, boolean]>([
  ['an argument that it declares', { path: 'args.x', op: 'under', value: '/a' }, true],
  ['an argument that it does not declare', { path: 'args.path', op: 'under', value: '/a' }, false],
  ['a field of an argument that it does not declare', { path: 'args.path.x', op: 'eq', value: 1 }, false],
  [
    'an argument that it does not declare, which may be absent',
    { path: 'args.path', op: 'eq', value: 1, absent: false },
    true,
  ],
  ['an argument that must be absent', { path: 'args.path', op: 'eq', value: 1, absent: true }, false],
  ['whether an argument exists that it does not declare', { path: 'args.path', op: 'exists', value: true }, true],
])('a deny on %s decides whether an allowed tool may pass', (_, condition, expected) => {
  const rules = [rule('deny', condition), { ...rule('allow'), match: { tools: ['fn:a/b'], when: [] } }]
  const policy = compilePolicy({ default_effect: 'deny', rules })
  const known = { agent: {}, environment: {}, declaredArgs: new Set(['x']) }
  expect(mayPass(policy, { tool: 'fn:a/b', ...known })).toBe(expected)
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
