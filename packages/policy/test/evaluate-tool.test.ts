import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePolicy, evaluate } from '../src/evaluate.ts'
import { evaluateTool, reachTool } from '../src/evaluate-tool.ts'
import { mayPass } from '../src/may-pass.ts'
import { type Condition, type Effect, noUses, type Rule } from '../src/types.ts'
import { call, snapshot, withSession } from './arbitrary-policy.ts'

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

  it('returns an effect only if every call of a tool with these declared arguments gets it, and more effects than without them', () => {
    const names = fc.subarray(['x', 'y', 'list', 'z']).map((some) => new Set(some))
    let more = 0
    fc.assert(
      fc.property(snapshot, call, names, (policy, one, declaredArgs) => {
        const compiled = compilePolicy(policy)
        const { effect, rule_id } = evaluateTool(compiled, one.tool, undefined, { declaredArgs })
        fc.pre(effect !== null)
        const verdict = evaluate(compiled, { ...one, declaredArgs })
        expect(verdict.effect).toBe(effect)
        if (rule_id !== null) expect(verdict.rule_id).toBe(rule_id)
        if (evaluateTool(compiled, one.tool).effect === null) more++
      }),
      { numRuns: 4000 },
    )
    expect(more).toBeGreaterThan(20)
  })

  it('always returns an effect if all conditions are on the tool and no rule has a limit', () => {
    fc.assert(
      fc.property(snapshot, call, (policy, one) => {
        const rules = policy.rules.map((each) => ({
          ...each,
          limit: null,
          match: { ...each.match, when: each.match.when.filter(({ path }) => /^(?:tool|session)\./.test(path)) },
        }))
        const compiled = compilePolicy({ ...policy, rules })
        const { effect, rule_id } = evaluate(compiled, { ...one, session: undefined })
        expect(evaluateTool(compiled, one.tool, one.inventory ?? null)).toEqual(decided(effect, rule_id))
      }),
      { numRuns: 1000 },
    )
  })
})

describe('what a known caller may do with a tool', () => {
  const caller = { agent: { team: 'a' }, environment: { name: 'b' } }
  const reach = (rules: Rule[], default_effect: Effect = 'deny') =>
    reachTool(compilePolicy({ default_effect, rules }), 'fn:bank/pay', caller)
  const ofTeam = (value: string): Condition => ({ path: 'agent.team', op: 'eq', value })

  it('decides conditions on the agent and its environment, and depends on the arguments', () => {
    expect(reach([])).toEqual({ verdict: 'deny', rules: [], default_may_decide: true })
    expect(reach([rule('r1', 'allow', [ofTeam('a')])])).toEqual({
      verdict: 'allow',
      rules: ['r1'],
      default_may_decide: false,
    })
    expect(reach([rule('r1', 'allow', [ofTeam('x')])])).toMatchObject({ verdict: 'deny', rules: [] })
    expect(reach([rule('r1', 'allow', [ofTeam('a'), large])])).toMatchObject({ verdict: 'depends', rules: ['r1'] })
    expect(reach([rule('r1', 'deny', [large]), rule('r2', 'allow')])).toEqual({
      verdict: 'depends',
      rules: ['r1', 'r2'],
      default_may_decide: false,
    })
    expect(reach([rule('r1', 'allow', [large]), rule('r2', 'allow')])).toEqual({
      verdict: 'allow',
      rules: ['r1', 'r2'],
      default_may_decide: false,
    })
    expect(reach([rule('r1', 'require_approval', [{ path: 'agent.none', op: 'eq', value: 1 }])])).toEqual({
      verdict: 'require_approval',
      rules: ['r1'],
      default_may_decide: false,
    })
  })

  it('denies a tool that a rule and the default deny, whatever the arguments are', () => {
    expect(reach([rule('r1', 'deny', [large])])).toEqual({ verdict: 'deny', rules: ['r1'], default_may_decide: true })
    expect(reach([rule('r1', 'deny', [large])], 'allow')).toEqual({
      verdict: 'depends',
      rules: ['r1'],
      default_may_decide: true,
    })
  })

  it('gives an effect only if every call of this caller gets it, by one of the rules', () => {
    fc.assert(
      fc.property(snapshot, call, (policy, one) => {
        const compiled = compilePolicy(policy)
        const { verdict, rules, default_may_decide } = reachTool(compiled, one.tool, one)
        const { effect, rule_id } = evaluate(compiled, { ...withSession(one), uses: noUses })
        fc.pre(verdict !== 'depends')
        expect(effect).toBe(verdict)
        if (rule_id !== null) expect(rules).toContain(rule_id)
        else if (rules.length > 0) expect(default_may_decide).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it('denies a tool if no call with the arguments that it declares may pass', () => {
    const under: Condition = { path: 'args.path', op: 'under', value: '/srv' }
    const policy = compilePolicy({
      default_effect: 'deny',
      rules: [rule('r1', 'allow', [under]), rule('r2', 'deny', [large])],
    })
    const declaring = (...names: string[]) =>
      reachTool(policy, 'fn:bank/pay', { ...caller, declaredArgs: new Set(names) })
    expect(declaring('file')).toEqual({ verdict: 'deny', rules: ['r2'], default_may_decide: true })
    expect(declaring('path', 'amount')).toMatchObject({ verdict: 'depends', rules: ['r2', 'r1'] })
    expect(reachTool(policy, 'fn:bank/pay', { ...caller, declaredArgs: null })).toMatchObject({ verdict: 'depends' })
  })

  it('agrees with lists of tools: denies each tool that a list leaves out, and no tool with a call that passes', () => {
    const names = fc.option(fc.subarray(['x', 'y', 'list', 'z']), { nil: null })
    let denied = 0
    fc.assert(
      fc.property(snapshot, call, names, (policy, one, declared) => {
        const compiled = compilePolicy(policy)
        const known = { ...one, declaredArgs: declared && new Set(declared) }
        const { verdict } = reachTool(compiled, one.tool, known)
        if (!mayPass(compiled, known)) expect(verdict).toBe('deny')
        if (verdict !== 'deny') return
        denied++
        expect(evaluate(compiled, { ...withSession(known), uses: noUses }).effect).toBe('deny')
      }),
      { numRuns: 2000 },
    )
    expect(denied).toBeGreaterThan(100)
  })

  it('never depends if no condition is on the arguments', () => {
    fc.assert(
      fc.property(snapshot, call, (policy, one) => {
        const rules = policy.rules.map((each) => ({
          ...each,
          match: { ...each.match, when: each.match.when.filter(({ path }) => !/^(?:args|session)\./.test(path)) },
        }))
        const compiled = compilePolicy({ ...policy, rules })
        const { effect } = evaluate(compiled, { ...withSession(one), uses: noUses })
        expect(reachTool(compiled, one.tool, one).verdict).toBe(effect)
      }),
      { numRuns: 1000 },
    )
  })
})
