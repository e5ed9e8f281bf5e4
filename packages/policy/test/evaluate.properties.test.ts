import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compilePolicy, evaluate } from '../src/evaluate.ts'
import type { Call, PolicyDocument, Rule } from '../src/types.ts'
import { call, rules, snapshot } from './arbitrary-policy.ts'
import { naiveEvaluate } from './naive-evaluate.ts'

const decide = (policy: PolicyDocument, one: Call) => evaluate(compilePolicy(policy), one)
const runs = { numRuns: 500 }

test('the compiled evaluator decides like a naive evaluator', () => {
  fc.assert(
    fc.property(snapshot, call, (policy, one) => {
      const { effect, rule_id } = decide(policy, one)
      expect({ effect, rule_id }).toEqual(naiveEvaluate(policy, one))
    }),
    { numRuns: 1000 },
  )
})

test('a matching deny decides, with any other rules', () => {
  fc.assert(
    fc.property(snapshot, call, (policy, one) => {
      const denied = policy.rules.some(
        (rule) => rule.effect === 'deny' && decide({ default_effect: 'allow', rules: [rule] }, one).effect === 'deny',
      )
      fc.pre(denied)
      expect(decide(policy, one).effect).toBe('deny')
    }),
    { numRuns: 500 },
  )
})

test('without arguments, rules with conditions on them never allow a call', () => {
  const asking = rules.filter((all) => all.length > 0)
  fc.assert(
    fc.property(asking, call, (all, one) => {
      const conditional = all.map((rule) => withConditionInError(rule))
      expect(decide({ default_effect: 'deny', rules: conditional }, one).effect).not.toBe('allow')
      const open = decide({ default_effect: 'allow', rules: conditional }, one)
      const unconditional = all.map((rule) => ({ ...rule, match: { ...rule.match, when: [] } }))
      const closing = unconditional.filter(({ effect }) => effect !== 'allow')
      expect(open.effect).toBe(decide({ default_effect: 'allow', rules: closing }, one).effect)
    }),
    runs,
  )
})

test('the order of the rules array does not matter', () => {
  const shuffled = snapshot.chain((policy) =>
    fc.tuple(fc.constant(policy), fc.shuffledSubarray(policy.rules, { minLength: policy.rules.length })),
  )
  fc.assert(
    fc.property(shuffled, call, ([policy, other], one) => {
      expect(decide({ ...policy, rules: other }, one)).toEqual(decide(policy, one))
    }),
    runs,
  )
})

test('the order of the rules array does not matter, even with equal priorities', () => {
  fc.assert(
    fc.property(snapshot, call, (policy, one) => {
      const tied = policy.rules.map((rule) => ({ ...rule, priority: 1 }))
      expect(decide({ ...policy, rules: tied.toReversed() }, one)).toEqual(decide({ ...policy, rules: tied }, one))
    }),
    runs,
  )
})

test('adding a deny rule never turns a non-allow into an allow', () => {
  fc.assert(
    fc.property(snapshot, rules, call, (policy, extra, one) => {
      const before = decide(policy, one).effect
      const denies = extra.map(
        (rule): Rule => ({ ...rule, id: `x${rule.id}`, priority: rule.priority + 10, effect: 'deny' }),
      )
      const after = decide({ ...policy, rules: [...policy.rules, ...denies] }, one).effect
      expect([before, 'deny']).toContain(after)
    }),
    runs,
  )
})

test('the evaluation does not change the policy or the call', () => {
  fc.assert(
    fc.property(snapshot, call, (policy, one) => {
      const before = structuredClone([policy, one])
      decide(policy, one)
      expect([policy, one]).toEqual(before)
    }),
    { numRuns: 200 },
  )
})

function withConditionInError(rule: Rule): Rule {
  const absent = { path: 'args.never.sent', op: 'ne', value: 1 } as const
  return { ...rule, match: { ...rule.match, when: [...rule.match.when, absent] } }
}
