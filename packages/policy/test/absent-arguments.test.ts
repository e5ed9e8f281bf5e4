import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findAbsentArguments } from '../src/changes/find-absent-arguments.ts'
import { compilePolicy, evaluate } from '../src/evaluate.ts'
import type { Condition, Effect, Rule } from '../src/types.ts'
import { validateDocument } from '../src/validate.ts'
import { evaluateCondition } from './evaluate-condition.ts'

const rule = (effect: Effect, priority: number, tools: string[], ...when: Condition[]): Rule => ({
  id: `r${priority}`,
  name: '',
  priority,
  enabled: true,
  effect,
  match: { tools, when },
  reason: '',
})
const underSecrets: Condition = { path: 'args.path', op: 'under', value: '/secrets' }
const allowList = rule('allow', 20, ['mcp:files/list_allowed'])

describe('a rule that stops a call without the argument', () => {
  const message =
    /^the rule denies every call without args\.path, .* allow mcp:files\/list_allowed \(rules\[1\]\)\..*absent: false/

  test.each<[string, Rule]>([
    ['of a pattern', rule('deny', 10, ['mcp:files/*'], underSecrets)],
    ['of every tool', rule('deny', 10, ['*'], underSecrets)],
    ['of several tools', rule('deny', 30, ['mcp:files/read', 'mcp:files/list_allowed'], underSecrets)],
    [
      'with another condition, which does not matter',
      rule('deny', 10, ['*'], { path: 'session.labels', op: 'has', value: 'a' }, underSecrets),
    ],
  ])('%s is a warning that names the allowed tool', (_, stopping) => {
    expect(validateDocument({ rules: [stopping, allowList] }).warnings).toEqual([
      {
        rule_id: stopping.id,
        path: expect.stringMatching(/^rules\[0\]\.match\.when\[\d\]$/),
        message: expect.stringMatching(message),
      },
    ])
  })

  test.each<[Effect, string[], string[]]>([
    ['deny', ['mcp:files/*'], ['mcp:*/*']],
    ['deny', ['mcp:files/*'], ['*']],
    ['deny', ['mcp:files/read', 'mcp:files/list_roots'], ['mcp:files/*']],
    ['deny', ['mcp:files/*_roots'], ['mcp:files/list_*']],
    ['require_approval', ['mcp:files/*'], ['mcp:*/*']],
  ])('%s %j is a warning if a rule allows %j', (effect, stops, allows) => {
    const rules = [rule(effect, 10, stops, underSecrets), rule('allow', 20, allows)]
    expect(findAbsentArguments(rules)).toMatchObject([
      { message: expect.stringContaining(`Other rules allow ${allows[0]} (rules[1])`) },
    ])
  })

  test.each<[Effect, string[], string[]]>([
    ['deny', ['mcp:files/*'], ['mcp:files/list_roots']],
    ['deny', ['*'], ['mcp:*/*']],
  ])('%s %j is a warning if a rule asks for approval of %j', (effect, stops, asks) => {
    const holding = rule('require_approval', 20, asks)
    const message = expect.stringContaining(`. Other rules ask for approval of ${asks[0]} (rules[1]). If one`)
    expect(findAbsentArguments([rule(effect, 30, stops, underSecrets), holding])).toMatchObject([{ message }])
    const both = [rule(effect, 30, stops, underSecrets), holding, rule('allow', 40, ['mcp:files/list_files'])]
    expect(findAbsentArguments(both)).toMatchObject([
      {
        message: expect.stringContaining(
          `. Other rules allow mcp:files/list_files (rules[2]). Other rules ask for approval of ${asks[0]} (rules[1]). If one`,
        ),
      },
    ])
    const also = { ...holding, match: { tools: asks, when: [underSecrets] } }
    expect(findAbsentArguments([rule(effect, 30, stops, underSecrets), also])).toEqual([])
    expect(findAbsentArguments([rule('require_approval', 10, stops, underSecrets), holding])).toEqual([])
  })

  test('is a warning too if the default effect allows the tools, but not for one tool', () => {
    const of = (tools: string[], default_effect: Effect) =>
      validateDocument({ default_effect, rules: [rule('deny', 10, tools, underSecrets)] }).warnings
    expect(of(['mcp:files/*'], 'allow')).toMatchObject([
      {
        path: 'rules[0].match.when[0]',
        message: expect.stringContaining('The default effect allows its tools. If one'),
      },
    ])
    expect(of(['mcp:files/*'], 'require_approval')).toMatchObject([
      { message: expect.stringContaining('The default effect asks for approval of its tools. If one') },
    ])
    expect(of(['mcp:files/*'], 'deny')).toEqual([])
    const holding = rule('require_approval', 10, ['mcp:files/*'], underSecrets)
    expect(findAbsentArguments([holding], 'require_approval')).toEqual([])
    expect(of(['mcp:files/read'], 'allow')).toEqual([])
  })

  test.each<[string, Rule[], warnings: number]>([
    ['denies all its tools', [rule('deny', 20, ['mcp:files/*'])], 0],
    ['denies all its tools before it', [rule('deny', 5, ['mcp:*/*'])], 0],
    ['asks for approval of all its tools', [rule('require_approval', 20, ['mcp:files/*'])], 1],
    ['stops some of its tools', [rule('require_approval', 20, ['mcp:files/read*'])], 1],
    ['stops its tools under a condition', [rule('require_approval', 20, ['*'], { ...underSecrets, absent: false })], 1],
    ['is off', [{ ...rule('require_approval', 20, ['*']), enabled: false }], 1],
    ['allows more tools', [rule('allow', 20, ['mcp:*/*'])], 1],
  ])('if the default effect allows the tools and another rule %s', (_, others, warnings) => {
    const rules = [rule('deny', 10, ['mcp:files/*'], underSecrets), ...others]
    expect(findAbsentArguments(rules, 'allow')).toHaveLength(warnings)
  })

  test.each<[string, Rule[]]>([
    ['no other rule allows a tool', [rule('deny', 10, ['mcp:files/*'], underSecrets)]],
    ['the rule is for one tool', [rule('deny', 10, ['mcp:files/list_allowed'], underSecrets), allowList]],
    ['the rule is for other tools', [rule('deny', 10, ['mcp:mail/*'], underSecrets), allowList]],
    [
      'the condition says what an absent argument means',
      [rule('deny', 10, ['*'], { ...underSecrets, absent: false }), allowList],
    ],
    [
      'the condition asks whether the argument exists',
      [rule('deny', 10, ['*'], { path: 'args.path', op: 'exists', value: true }), allowList],
    ],
    [
      'the condition is on the agent',
      [rule('deny', 10, ['*'], { path: 'agent.name', op: 'eq', value: 'a' }), allowList],
    ],
    [
      'the allow rule requires the argument',
      [
        rule('deny', 10, ['*'], underSecrets),
        rule('allow', 20, ['mcp:files/*'], { path: 'args.path', op: 'under', value: '/srv' }),
      ],
    ],
    ['the rule is off', [{ ...rule('deny', 10, ['*'], underSecrets), enabled: false }, allowList]],
    ['the allow rule comes before an approval', [rule('require_approval', 30, ['*'], underSecrets), allowList]],
  ])('is no warning if %s', (_, rules) => expect(findAbsentArguments(rules)).toEqual([]))

  test('names all its arguments, and at most three allowed tools', () => {
    const also: Condition = { path: 'args.source', op: 'under', value: '/secrets' }
    const tools = ['a', 'b', 'c', 'd'].map((name) => `mcp:files/${name}`)
    const [one, ...others] = findAbsentArguments([
      rule('require_approval', 1, ['*'], underSecrets, also),
      rule('allow', 2, tools),
    ])
    expect(others).toEqual([])
    expect(one?.message).toMatch(
      /^the rule asks for approval of every call without args\.path or args\.source, .*mcp:files\/c \(rules\[1\]\) and 1 more\./,
    )
  })
})

describe('a condition that says what an absent argument means', () => {
  const call = (args: object) => ({ tool: 'mcp:a/b', args, agent: {}, environment: {} })
  const nested: Condition = { path: 'args.file.path', op: 'under', value: '/secrets', absent: false }

  test.each<[object, boolean | 'error']>([
    [{}, false],
    [{ file: {} }, false],
    [{ file: { path: '/secrets/a' } }, true],
    [{ file: { path: '/srv' } }, false],
    [{ file: { path: null } }, 'error'],
    [{ file: { path: 7 } }, 'error'],
    [{ file: '/secrets/a' }, 'error'],
    [{ file: ['/secrets/a'] }, 'error'],
    [{ file: null }, 'error'],
  ])('is %j → %s: a value of another type is still not decided', (args, outcome) => {
    expect(evaluateCondition(nested, call(args))).toBe(outcome)
    expect(evaluateCondition({ ...nested, absent: true }, call(args))).toBe(
      outcome === false && !('file' in args && 'path' in (args.file as object)) ? true : outcome,
    )
  })

  test('cannot be decided either if the call has an argument that the tool does not declare', () => {
    const policy = compilePolicy({
      default_effect: 'allow',
      rules: [rule('deny', 1, ['*'], { ...underSecrets, absent: false })],
    })
    const declaredArgs = new Set(['path'])
    expect(evaluate(policy, { ...call({}), declaredArgs }).effect).toBe('allow')
    expect(evaluate(policy, { ...call({ file: '/secrets' }), declaredArgs }).effect).toBe('deny')
  })

  test.each<[Condition, string]>([
    [{ path: 'args.x', op: 'exists', value: true, absent: true }, 'is not for exists'],
    [{ path: 'agent.name', op: 'eq', value: 'a', absent: true }, 'is only for conditions on args.'],
    [{ path: 'session.labels', op: 'has', value: 'a', absent: false }, 'is only for conditions on args.'],
    [{ path: 'args.x', op: 'eq', value: 1, absent: 'no' as never }, 'must be true or false'],
  ])('%j is refused, and closes in a stored document', (condition, text) => {
    expect(validateDocument({ rules: [rule('deny', 1, ['*'], condition)] }).errors).toEqual([
      { path: 'rules[0].match.when[0].absent', message: expect.stringContaining(text) },
    ])
    expect(evaluateCondition(condition, call({}))).toBe('error')
  })

  test('changes the verdict only for calls without the argument', () => {
    const args = fc.record(
      { x: fc.oneof(fc.integer(), fc.string(), fc.constant(null)), y: fc.integer() },
      { requiredKeys: [] },
    )
    const condition = fc.record({
      path: fc.constantFrom('args.x', 'args.y'),
      op: fc.constantFrom('eq', 'ne', 'gt') as fc.Arbitrary<Condition['op']>,
      value: fc.integer(),
    })
    fc.assert(
      fc.property(args, condition, fc.boolean(), (given, plain, absent) => {
        const outcome = evaluateCondition({ ...plain, absent }, call(given))
        const isAbsent = !Object.hasOwn(given, plain.path.slice(5))
        expect(outcome).toBe(isAbsent ? absent : evaluateCondition(plain, call(given)))
      }),
    )
  })
})
