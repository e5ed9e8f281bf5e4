import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findContradiction } from '../src/changes/find-contradiction.ts'
import { findDeadRules } from '../src/changes/find-dead-rules.ts'
import { compilePolicy, evaluate } from '../src/evaluate.ts'
import type { Condition, Effect, Operator, Rule } from '../src/types.ts'
import { call, condition, snapshot } from './arbitrary-policy.ts'

function rule(id: string, priority: number, effect: Effect, tools: string[], when: Condition[] = []): Rule {
  return { id, name: id, priority, enabled: true, effect, match: { tools, when }, reason: '' }
}

const warned = (...rules: Rule[]) => findDeadRules(rules).map(({ rule_id }) => rule_id)
const amount: Condition = { path: 'args.amount', op: 'gt', value: 5 }

describe('shadowed rules', () => {
  test('an allow under a broader deny without conditions, with any priorities', () => {
    const warnings = findDeadRules([rule('a', 1, 'allow', ['mcp:a/get']), rule('d', 9, 'deny', ['mcp:a/*'])])
    expect(warnings).toEqual([
      {
        rule_id: 'a',
        path: 'rules[0]',
        message: 'can never fire: rules[1] (deny, no conditions) decides every call it matches',
      },
    ])
  })

  test('a rule whose patterns are all covered by a rule with a lower priority number and without conditions', () => {
    const broad = rule('b', 1, 'allow', ['mcp:a/*', 'fn:*/*'])
    expect(warned(broad, rule('x', 2, 'require_approval', ['mcp:a/get', 'fn:a/b']))).toEqual(['x'])
    expect(warned(broad, rule('x', 2, 'require_approval', ['mcp:a/get', 'model:a/b']))).toEqual([])
    expect(warned({ ...broad, priority: 3 }, rule('x', 2, 'require_approval', ['mcp:a/get']))).toEqual([])
  })

  test('an allow with a limit shadows no rule, and can be shadowed', () => {
    const limited = { ...rule('a', 1, 'allow', ['*']), limit: { count: 1, window_s: 1 } }
    expect(warned(limited, rule('b', 2, 'require_approval', ['*']))).toEqual([])
    expect(warned({ ...limited, priority: 3 }, rule('b', 2, 'require_approval', ['*']))).toEqual(['a'])
  })

  test('a deny is shadowed by an earlier deny only', () => {
    expect(warned(rule('a', 1, 'allow', ['*']), rule('d', 2, 'deny', ['mcp:a/b']))).toEqual([])
    expect(warned(rule('d', 1, 'deny', ['mcp:a/b']), rule('e', 2, 'deny', ['*']))).toEqual([])
    expect(warned(rule('d', 1, 'deny', ['*']), rule('e', 2, 'deny', ['mcp:a/b']))).toEqual(['e'])
  })

  test('a rule with conditions shadows nothing', () => {
    expect(warned(rule('d', 1, 'deny', ['*'], [amount]), rule('a', 2, 'allow', ['mcp:a/b']))).toEqual([])
  })

  test('a disabled rule shadows nothing and gets no warning', () => {
    const deny = rule('d', 1, 'deny', ['*'])
    const allow = rule('a', 2, 'allow', ['mcp:a/b'])
    expect(warned({ ...deny, enabled: false }, allow)).toEqual([])
    expect(warned(deny, { ...allow, enabled: false })).toEqual([])
  })

  test('checks a policy of the maximum size within the limit', () => {
    const tools = Array.from({ length: 100 }, (_, index) => `mcp:a${index}/*b*c*`)
    const rules = Array.from({ length: 1000 }, (_, index) => rule(`r${index}`, index, 'allow', tools.toReversed()))
    expect(findDeadRules(rules).length).toBeGreaterThan(0)
  })
})

describe('contradictory conditions', () => {
  const on = (path: string, ...pairs: [string, unknown][]) =>
    pairs.map(([op, value]) => ({ path, op: op as Operator, value }))

  test.each<[string, Condition[]]>([
    ['two values at once', on('args.a', ['eq', 'a'], ['eq', 'b'])],
    ['a value and not that value', on('args.a', ['eq', 'a'], ['ne', 'a'])],
    ['a value outside its list', on('args.a', ['in', ['a', 'b']], ['not_in', ['a', 'b', 'c']])],
    ['a value outside its bounds', on('args.a', ['eq', 5], ['gt', 5])],
    ['bounds that cross', on('args.a', ['gt', 5], ['lt', 4])],
    ['bounds that touch', on('args.a', ['gt', 5], ['lte', 5])],
    ['a number that begins with text', on('args.a', ['gt', 5], ['starts_with', 'a'])],
    ['absent, with a value', on('args.a', ['exists', false], ['eq', 5])],
    ['absent and present', on('args.a', ['exists', false], ['exists', true])],
    ['two beginnings', on('args.a', ['starts_with', 'ab'], ['starts_with', 'b'])],
    ['a beginning and not that beginning', on('args.a', ['starts_with', 'ab'], ['not_starts_with', 'a'])],
    ['a part and not that part', on('args.a', ['contains', 'a'], ['not_contains', 'a'])],
    ['a beginning without its part', on('args.a', ['starts_with', 'ab'], ['not_contains', 'b'])],
    ['two folders', on('args.a', ['under', '/a'], ['under', '/b'])],
    ['a folder and not its parent', on('args.a', ['under', '/a/b'], ['not_under', '/A'])],
    ['a file outside its folder', on('args.a', ['eq', '/a/../b'], ['under', '/a'])],
    ['no path at all', on('args.a', ['not_under', '/'])],
    ['a number and a path', on('args.a', ['gt', 5], ['under', '/'])],
    ['a field a tool has not', on('tool.version', ['eq', 'a'])],
  ])('%s', (_, when) => {
    expect(findContradiction(when, 'allow')).toEqual({ path: when[0]!.path, message: expect.any(String) })
  })

  test.each<[string, Condition[]]>([
    ['no conditions', []],
    ['bounds that meet', on('args.a', ['gte', 5], ['lte', 5])],
    ['one of a list', on('args.a', ['in', ['a', 'b']], ['ne', 'a'])],
    ['different paths', [...on('args.a', ['eq', 'a']), ...on('args.b', ['eq', 'b'])]],
    ['a list that holds a longer text', on('args.a', ['contains', 'ab'], ['not_contains', 'a'])],
    ['a longer beginning', on('args.a', ['starts_with', 'a'], ['starts_with', 'ab'])],
    ['a folder and one inside it', on('args.a', ['under', '/a'], ['not_under', '/a/b'])],
    ['a folder and its parent', on('args.a', ['under', '/a/b'], ['under', 'file:///a'])],
    ['an absent field of a tool', on('tool.version', ['exists', false])],
  ])('none in %s', (_, when) => {
    expect(findContradiction(when, 'allow')).toBeNull()
  })

  test('under and not_under of the same folder do not contradict each other in a deny, which ignores letter case', () => {
    const when = on('args.a', ['under', '/a'], ['not_under', '/a'])
    expect(findContradiction(when, 'deny')).toBeNull()
    expect(findContradiction(when, 'allow')).not.toBeNull()
  })

  test('warns that an allow can never fire, and that a closing rule fires only on an error', () => {
    const when = on('args.a', ['eq', 'a'], ['eq', 'b'])
    const [allow, deny] = findDeadRules([rule('a', 1, 'allow', ['*'], when), rule('d', 2, 'deny', ['fn:a/b'], when)])
    expect(allow?.message).toMatch(/^can never fire: /)
    expect(deny?.message).toMatch(/^can fire only if a condition cannot be decided: /)
  })
})

test('a rule with a warning decides a call only on an error', () => {
  fc.assert(
    fc.property(snapshot, fc.array(call, { minLength: 20, maxLength: 20 }), (policy, calls) => {
      const compiled = compilePolicy(policy)
      for (const { rule_id, message } of findDeadRules(policy.rules)) {
        const onError = message.startsWith('can fire only if')
        const decided = calls.map((one) => evaluate(compiled, one)).filter((verdict) => verdict.rule_id === rule_id)
        expect(decided.filter(({ undecided }) => !onError || undecided === null)).toEqual([])
      }
    }),
    { numRuns: 500 },
  )
})

test('conditions reported as contradictory are never all true', () => {
  const many = fc
    .array(condition, { minLength: 2, maxLength: 4 })
    .map((all) => all.map((one) => ({ ...one, path: 'args.x' })))
  fc.assert(
    fc.property(
      many,
      fc.constantFrom('allow', 'deny'),
      fc.array(call, { minLength: 20, maxLength: 20 }),
      (when, effect, calls) => {
        fc.pre(findContradiction(when, effect) !== null)
        const policy = compilePolicy({ default_effect: 'deny', rules: [rule('a', 1, effect, ['*'], when)] })
        const decided = calls.map((one) => evaluate(policy, one)).filter(({ rule_id }) => rule_id !== null)
        expect(decided.filter(({ undecided }) => undecided === null)).toEqual([])
      },
    ),
    { numRuns: 300 },
  )
})
