import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePolicy, evaluate } from '../src/evaluate.ts'
import { evaluateTool } from '../src/evaluate-tool.ts'
import type { Condition, Effect, Rule } from '../src/types.ts'
import { call, snapshot } from './arbitrary-policy.ts'

const large: Condition = { path: 'args.amount', op: 'gt', value: 100 }
const rule = (id: string, effect: Effect, when: Condition[] = [], tools = ['fn:bank/*']): Rule => ({
  id,
  name: id,
  priority: Number(id.slice(1)),
  enabled: true,
  effect,
  match: { tools, when },
  reason: '',
})
const decide = (rules: Rule[], default_effect: Effect = 'deny', tool = 'fn:bank/pay') =>
  evaluateTool(compilePolicy({ default_effect, rules }), tool)
const undecidable = (...paths: string[]) => ({ effect: null, rule_id: null, undecidable: paths })
const decided = (effect: Effect, rule_id: string | null) => ({ effect, rule_id, undecidable: [] })

describe('a decision by the tool name only', () => {
  it.each([
    ['no rule matches', [], decided('deny', null)],
    ['a rule without conditions decides', [rule('r1', 'allow')], decided('allow', 'r1')],
    ['a condition on the arguments may decide', [rule('r1', 'allow', [large])], undecidable('args.amount')],
    [
      'a condition on the agent may decide',
      [rule('r1', 'allow', [{ path: 'agent.team', op: 'eq', value: 'a' }])],
      undecidable('agent.team'),
    ],
    ['a condition does not matter if the effect is the same', [rule('r1', 'deny', [large])], decided('deny', null)],
    [
      'a condition does not matter after a rule that decides',
      [rule('r1', 'allow'), rule('r2', 'require_approval', [large])],
      decided('allow', 'r1'),
    ],
    [
      'a deny comes first, with any priority',
      [rule('r1', 'allow'), rule('r2', 'deny', [large])],
      undecidable('args.amount'),
    ],
    [
      'a condition on the tool is decided',
      [rule('r1', 'allow', [{ path: 'tool.operation', op: 'eq', value: 'pay' }])],
      decided('allow', 'r1'),
    ],
    [
      'a condition on the tool that fails keeps an allowing rule from matching',
      [rule('r1', 'allow', [{ path: 'tool.operation', op: 'eq', value: 'x' }, large])],
      decided('deny', null),
    ],
    [
      'an error on the tool makes a closing rule match',
      [rule('r1', 'require_approval', [{ path: 'tool.none', op: 'eq', value: 'x' }, large])],
      decided('require_approval', 'r1'),
    ],
    ['a rule for other tools has no influence', [rule('r1', 'allow', [large], ['fn:mail/*'])], decided('deny', null)],
  ])('%s', (_, rules, expected) => {
    expect(decide(rules)).toEqual(expected)
  })

  it('returns an effect only if every call of the tool gets it', () => {
    fc.assert(
      fc.property(snapshot, call, (policy, one) => {
        const compiled = compilePolicy(policy)
        const { effect, rule_id } = evaluateTool(compiled, one.tool)
        fc.pre(effect !== null)
        const verdict = evaluate(compiled, one)
        expect(verdict.effect).toBe(effect)
        if (rule_id !== null) expect(verdict.rule_id).toBe(rule_id)
      }),
      { numRuns: 2000 },
    )
  })

  it('always returns an effect if all conditions are on the tool', () => {
    fc.assert(
      fc.property(snapshot, call, (policy, one) => {
        const rules = policy.rules.map((each) => ({
          ...each,
          match: { ...each.match, when: each.match.when.filter(({ path }) => path.startsWith('tool.')) },
        }))
        const compiled = compilePolicy({ ...policy, rules })
        const { effect, rule_id } = evaluate(compiled, one)
        expect(evaluateTool(compiled, one.tool)).toEqual(decided(effect, rule_id))
      }),
      { numRuns: 1000 },
    )
  })
})
