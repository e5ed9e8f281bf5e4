import { describe, expect, test } from 'vitest'
import { compilePolicy, evaluate } from '../src/evaluate.ts'
import type { Call, Condition, Effect, Rule } from '../src/types.ts'

const call: Call = { tool: 'mcp:github/create_issue', args: { amount: 10 }, agent: {}, environment: {} }

function rule(
  id: string,
  priority: number,
  effect: Effect,
  overrides: Partial<Rule> & Partial<Rule['match']> = {},
): Rule {
  const { tools = ['mcp:github/*'], when = [], ...rest } = overrides
  return { id, name: id, priority, enabled: true, effect, reason: `because of ${id}`, match: { tools, when }, ...rest }
}

function decide(default_effect: Effect, ...rules: Rule[]) {
  return evaluate(compilePolicy({ default_effect, rules }), call)
}

const missing: Condition = { path: 'args.absent', op: 'eq', value: 1 }
const fails: Condition = { path: 'args.amount', op: 'gt', value: 50 }
const holds: Condition = { path: 'args.amount', op: 'lt', value: 50 }

describe('evaluation', () => {
  test.each<Effect>(['allow', 'deny', 'require_approval'])(
    'without a matching rule the default effect decides: %s',
    (effect) => {
      expect(decide(effect)).toEqual({
        effect,
        rule_id: null,
        reason: 'no rule matched',
        undecided: null,
        over_limit: null,
      })
    },
  )

  test('a matching deny decides, with any priorities', () => {
    const verdict = decide('allow', rule('a', 1, 'allow'), rule('b', 2, 'require_approval'), rule('c', 9, 'deny'))
    expect(verdict).toEqual({ effect: 'deny', rule_id: 'c', reason: 'because of c', undecided: null, over_limit: null })
  })

  test('without a deny, the matching rule with the lowest priority number decides', () => {
    expect(decide('deny', rule('a', 2, 'allow'), rule('b', 1, 'require_approval')).rule_id).toBe('b')
    expect(decide('deny', rule('a', 1, 'allow'), rule('b', 2, 'require_approval')).rule_id).toBe('a')
    expect(decide('deny', rule('a', -1, 'allow'), rule('b', 0, 'require_approval')).rule_id).toBe('a')
  })

  test('ignores a disabled rule', () => {
    expect(decide('allow', rule('a', 1, 'deny', { enabled: false })).effect).toBe('allow')
  })

  test('a rule matches only if all conditions are true', () => {
    expect(decide('deny', rule('a', 1, 'allow', { when: [holds, fails] })).effect).toBe('deny')
    expect(decide('deny', rule('a', 1, 'allow', { when: [holds, holds] })).effect).toBe('allow')
  })

  test('one matching pattern of several is enough', () => {
    const tools = ['fn:a/b', 'mcp:github/create_issue', 'mcp:*/*', '*']
    for (const tool of tools.slice(1))
      expect(decide('deny', rule('a', 1, 'allow', { tools: [tool] })).rule_id).toBe('a')
    expect(decide('deny', rule('a', 1, 'allow', { tools })).rule_id).toBe('a')
    expect(decide('deny', rule('a', 1, 'allow', { tools: ['fn:a/b'] })).rule_id).toBeNull()
  })
})

describe('errors close, never open', () => {
  test.each<[Effect, string | null]>([
    ['deny', 'args.absent'],
    ['require_approval', 'args.absent'],
  ])('a condition in error makes %s match, and the verdict names its path', (effect, undecided) => {
    expect(decide('allow', rule('a', 1, effect, { when: [missing] }))).toMatchObject({
      effect,
      rule_id: 'a',
      undecided,
    })
  })

  test('a condition in error makes allow not match', () => {
    expect(decide('deny', rule('a', 1, 'allow', { when: [missing] })).rule_id).toBeNull()
  })

  test('an error makes a deny match, even if another condition is false, in any order', () => {
    expect(decide('allow', rule('a', 1, 'deny', { when: [fails, missing] })).effect).toBe('deny')
    expect(decide('allow', rule('a', 1, 'deny', { when: [missing, fails] })).effect).toBe('deny')
  })

  test('a malformed pattern matches everything in a deny and nothing in an allow', () => {
    expect(decide('allow', rule('a', 1, 'deny', { tools: ['(a+)+$'] })).effect).toBe('deny')
    expect(decide('deny', rule('a', 1, 'allow', { tools: ['(a+)+$'] })).effect).toBe('deny')
  })

  test('an unknown effect or default is a deny', () => {
    expect(decide('allow', rule('a', 1, 'permit' as Effect)).effect).toBe('deny')
    expect(decide('permit' as Effect).effect).toBe('deny')
  })

  test('only "*" matches a malformed tool name', () => {
    const policy = compilePolicy({ default_effect: 'allow', rules: [rule('a', 1, 'deny', { tools: ['*'] })] })
    for (const tool of ['', 'x', 'mcp:a', 'mcp:a/b/c', 'MCP:a/b']) {
      expect(evaluate(policy, { ...call, tool }).effect).toBe('deny')
    }
  })
})
