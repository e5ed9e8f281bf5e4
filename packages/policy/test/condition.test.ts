import { describe, expect, test } from 'vitest'
import { valueFault } from '../src/condition.ts'
import { parsePath } from '../src/path.ts'
import type { Call, Condition, Operator, Outcome } from '../src/types.ts'
import { evaluateCondition } from './evaluate-condition.ts'

const call: Call = {
  tool: 'mcp:github/create_issue',
  args: {
    amount: 100,
    title: 'Fix it',
    urgent: false,
    nothing: null,
    labels: ['bug', 'ui'],
    mixed: ['bug', 7],
    empty: [],
    repo: { owner: 'acme', stars: Number.NaN },
  },
  agent: { name: 'builder' },
  environment: { slug: 'production' },
}

const decide = (path: string, op: string, value: unknown) =>
  evaluateCondition({ path, op: op as Operator, value }, call)

describe('operators', () => {
  test.each<[string, string, unknown, Outcome]>([
    ['args.amount', 'eq', 100, true],
    ['args.amount', 'eq', 99, false],
    ['args.amount', 'ne', 99, true],
    ['args.urgent', 'eq', false, true],
    ['args.amount', 'gt', 100, false],
    ['args.amount', 'gte', 100, true],
    ['args.amount', 'lt', 100.5, true],
    ['args.amount', 'lte', 99, false],
    ['args.title', 'in', ['Fix it', 'x'], true],
    ['args.title', 'in', ['x'], false],
    ['args.title', 'not_in', ['x', 1], true],
    ['args.title', 'contains', 'ix', true],
    ['args.title', 'not_contains', 'ix', false],
    ['args.labels', 'contains', 'ui', true],
    ['args.labels', 'contains', 'u', false],
    ['args.empty', 'not_contains', 'ui', true],
    ['args.mixed', 'contains', 'bug', true],
    ['args.title', 'starts_with', 'Fix', true],
    ['args.title', 'not_starts_with', 'fix', true],
    ['args.labels.1', 'eq', 'ui', true],
    ['args.repo.owner', 'eq', 'acme', true],
    ['agent.name', 'eq', 'builder', true],
    ['environment.slug', 'eq', 'production', true],
    ['tool.name', 'eq', 'mcp:github/create_issue', true],
    ['tool.kind', 'eq', 'mcp', true],
    ['tool.namespace', 'eq', 'github', true],
    ['tool.operation', 'starts_with', 'create_', true],
  ])('%s %s %j is %s', (path, op, value, expected) => {
    expect(decide(path, op, value)).toBe(expected)
  })
})

describe('a missing path or a wrong type is an error, also for negated operators', () => {
  test.each<[string, string, unknown]>([
    ['args.absent', 'eq', 1],
    ['args.absent', 'ne', 1],
    ['args.absent', 'not_in', [1]],
    ['args.absent', 'not_contains', 'a'],
    ['args.absent', 'not_starts_with', 'a'],
    ['args.repo.absent.deeper', 'eq', 1],
    ['args.title.length', 'gt', 1],
    ['args.labels.length', 'gt', 1],
    ['args.labels.9', 'eq', 'ui'],
    ['args.amount', 'eq', '100'],
    ['args.amount', 'ne', '100'],
    ['args.nothing', 'eq', 'a'],
    ['args.nothing', 'ne', 'a'],
    ['args.title', 'gt', 1],
    ['args.repo.stars', 'lt', 1],
    ['args.repo.stars', 'ne', 1],
    ['args.amount', 'not_in', ['a']],
    ['args.labels', 'in', ['ui']],
    ['args.amount', 'contains', 1],
    ['args.title', 'not_contains', 1],
    ['args.mixed', 'contains', 'ui'],
    ['args.mixed', 'not_contains', 'ui'],
    ['args.labels', 'starts_with', 'b'],
    ['tool.absent', 'eq', 'a'],
  ])('%s %s %j', (path, op, value) => {
    expect(decide(path, op, value)).toBe('error')
  })
})

describe('exists is never an error', () => {
  test.each<[string, boolean, boolean]>([
    ['args.amount', true, true],
    ['args.amount', false, false],
    ['args.nothing', true, true],
    ['args.absent', false, true],
    ['args.absent.deeper', true, false],
    ['args.title.length', true, false],
  ])('%s exists %s is %s', (path, value, expected) => {
    expect(decide(path, 'exists', value)).toBe(expected)
  })
})

describe('prototypes cannot be read', () => {
  test.each(['args.__proto__', 'args.constructor', 'args.repo.constructor.name', 'args.labels.map', 'agent.toString'])(
    '%s is missing',
    (path) => {
      expect(decide(path, 'exists', true)).toBe(false)
      expect(decide(path, 'ne', 'a')).toBe('error')
    },
  )

  test('a key with such a name in the call is an ordinary key', () => {
    const sent: Call = { ...call, args: JSON.parse('{"__proto__": {"admin": true}}') }
    expect(evaluateCondition({ path: 'args.__proto__.admin', op: 'eq', value: true }, sent)).toBe(true)
    expect(evaluateCondition({ path: 'args.admin', op: 'exists', value: true }, sent)).toBe(false)
  })
})

test.each<[string, unknown]>([
  ['args is null', null],
  ['args is text', 'amount'],
  ['args is absent', undefined],
])('%s: every path is missing', (_, args) => {
  const odd: Call = { ...call, args }
  expect(evaluateCondition({ path: 'args.amount', op: 'eq', value: 1 }, odd)).toBe('error')
  expect(evaluateCondition({ path: 'args.length', op: 'exists', value: true }, odd)).toBe(false)
})

test.each<[string, Partial<Condition>]>([
  ['a path of no known root', { path: 'user.name' }],
  ['an unknown operator', { op: 'matches' as Operator }],
  ['a value that does not fit', { value: { deep: 1 } }],
])('a malformed condition is an error: %s', (_, fault) => {
  const condition = { path: 'args.title', op: 'eq', value: 'Fix it', ...fault } as Condition
  expect(evaluateCondition(condition, call)).toBe('error')
})

test.each(['args', 'args.', 'args..a', '.args.a', 'Args.a', 'user.a', '', `args.${'a'.repeat(300)}`, 7, null])(
  'rejects the path %j',
  (text) => {
    expect(parsePath(text)).toBeNull()
  },
)

test.each<[Operator, unknown, boolean]>([
  ['eq', null, false],
  ['eq', [1], false],
  ['eq', Number.NaN, false],
  ['gt', '1', false],
  ['gt', 1, true],
  ['in', [], false],
  ['in', 'a', false],
  ['in', ['a', null], false],
  ['in', ['a', 1, true], true],
  ['contains', {}, false],
  ['starts_with', 1, false],
  ['exists', 'yes', false],
  ['exists', undefined, false],
])('operator %s accepts the value %j: %s', (op, value, fits) => {
  expect(valueFault(op, value) === null).toBe(fits)
})
