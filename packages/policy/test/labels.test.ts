import { describe, expect, test } from 'vitest'
import { findDeadRules } from '../src/changes/find-dead-rules.ts'
import { askedLabels, compilePolicy } from '../src/evaluate.ts'
import { reachTool } from '../src/evaluate-tool.ts'
import { mayPass } from '../src/may-pass.ts'
import type { Call, Condition, Effect, Operator, Outcome, Rule } from '../src/types.ts'
import { validateDocument } from '../src/validate.ts'
import { evaluateCondition } from './evaluate-condition.ts'

const call: Call = {
  tool: 'mcp:mail/send',
  args: { tags: ['a'], tag: 'a' },
  agent: {},
  environment: {},
  session: { labels: new Set(['untrusted_output']), calls: 3 },
  inventory: { labels: new Set(['external_write', 'destructive']), state: 'pinned' },
}
const stranger: Call = { ...call, session: undefined, inventory: undefined }

const condition = (path: string, op: string, value: unknown): Condition => ({ path, op: op as Operator, value })
const rule = (id: string, effect: Effect, ...when: Condition[]): Rule => {
  return { id, name: id, priority: Number(id), enabled: true, effect, match: { tools: ['*'], when }, reason: '' }
}
const tainted = condition('session.labels', 'has', 'untrusted_output')

describe('conditions on the session and the inventory', () => {
  test.each<[string, string, unknown, Outcome, Outcome]>([
    ['session.labels', 'has', 'untrusted_output', true, 'error'],
    ['session.labels', 'has', 'other', false, 'error'],
    ['session.labels', 'has_not', 'untrusted_output', false, 'error'],
    ['session.labels', 'has_not', 'other', true, 'error'],
    ['session.labels', 'contains', 'untrusted_output', 'error', 'error'],
    ['session.labels', 'eq', 'untrusted_output', 'error', 'error'],
    ['session.labels', 'exists', true, true, false],
    ['session.labels.size', 'exists', true, false, false],
    ['session.calls', 'gte', 3, true, 'error'],
    ['session.calls', 'has', 'a', 'error', 'error'],
    ['session.other', 'exists', false, true, true],
    ['tool.labels', 'has', 'destructive', true, 'error'],
    ['tool.labels', 'has_not', 'sensitive_output', true, 'error'],
    ['tool.state', 'eq', 'pinned', true, 'error'],
    ['tool.state', 'in', ['new', 'changed'], false, 'error'],
    ['args.tags', 'has', 'a', 'error', 'error'],
    ['args.tags', 'has_not', 'b', 'error', 'error'],
    ['args.tag', 'has_not', 'b', 'error', 'error'],
    ['args.none', 'has_not', 'b', 'error', 'error'],
  ])('%s %s %j is %s, and %s if nothing is known', (path, op, value, known, unknown) => {
    expect(evaluateCondition(condition(path, op, value), call)).toBe(known)
    expect(evaluateCondition(condition(path, op, value), stranger)).toBe(unknown)
  })

  test.each(['', 'Untrusted', 'a b', '9a', 'a'.repeat(33), 5, ['a'], null])('has refuses the value %j', (value) => {
    const { errors } = validateDocument({ rules: [rule('1', 'deny', condition('session.labels', 'has', value))] })
    expect(errors).toEqual([
      {
        path: 'rules[0].match.when[0].value',
        message: 'must be a label: a lower-case letter, then at most 31 lower-case letters, digits and _ for has',
      },
    ])
  })

  test.each<[string, Condition[]]>([
    ['no value of args.tags has a type that all conditions accept', [condition('args.tags', 'has', 'a')]],
    [
      'no value of session.labels has a type that all conditions accept',
      [condition('session.labels', 'contains', 'a')],
    ],
    ['no value of session.calls has a type that all conditions accept', [condition('session.calls', 'eq', 'a')]],
    ['no value of tool.state has a type that all conditions accept', [condition('tool.state', 'has', 'pinned')]],
    ['session.label does not exist: a session has labels, calls', [condition('session.label', 'has', 'a')]],
    [
      'no set of labels meets all conditions on tool.labels',
      [condition('tool.labels', 'has', 'a'), condition('tool.labels', 'has_not', 'a')],
    ],
  ])('warns: %s', (message, when) => {
    expect(findDeadRules([rule('1', 'allow', ...when)])).toMatchObject([{ message: `can never fire: ${message}` }])
  })
})

test('reach knows the inventory, and depends on the session', () => {
  const reach = (...rules: Rule[]) =>
    reachTool(compilePolicy({ default_effect: 'deny', rules }), call.tool, {
      agent: {},
      environment: {},
      inventory: call.inventory,
    }).verdict
  expect(reach(rule('1', 'allow', condition('tool.labels', 'has', 'external_write')))).toBe('allow')
  expect(reach(rule('1', 'allow', condition('tool.state', 'eq', 'new')))).toBe('deny')
  expect(reach(rule('1', 'require_approval', tainted), rule('2', 'allow'))).toBe('depends')
  const writes = condition('tool.labels', 'has', 'sensitive_output')
  expect(reach(rule('1', 'require_approval', tainted, writes), rule('2', 'allow'))).toBe('allow')
  expect(reach(rule('1', 'deny', condition('session.calls', 'has', 'a'), writes), rule('2', 'allow'))).toBe('deny')
})

test('a tool may pass if only the session denies it, and not if its labels do', () => {
  const passes = (...rules: Rule[]) => mayPass(compilePolicy({ default_effect: 'allow', rules }), call)
  expect(passes(rule('1', 'deny', tainted))).toBe(true)
  expect(passes(rule('1', 'deny', condition('tool.labels', 'has', 'destructive')))).toBe(false)
  expect(passes(rule('1', 'deny', condition('tool.labels', 'has_not', 'destructive')))).toBe(true)
})

test('askedLabels lists the labels of the session that rules for the tool look for', () => {
  const other = {
    ...rule('2', 'deny', condition('session.labels', 'has', 'b')),
    match: { tools: ['fn:*/*'], when: [] },
  }
  const rules = [rule('1', 'deny', tainted, condition('tool.labels', 'has', 'x')), other]
  const policy = compilePolicy({ default_effect: 'allow', rules })
  expect([...askedLabels(policy, call.tool)]).toEqual(['untrusted_output'])
})
