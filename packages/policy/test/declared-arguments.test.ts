import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { declaredArguments, undeclaredArgument } from '../src/declared-arguments.ts'
import { asksArguments, compilePolicy, evaluate } from '../src/evaluate.ts'
import type { Condition, Effect, PolicyDocument } from '../src/types.ts'

const namesOf = (schema: unknown) => [...(declaredArguments(schema) ?? [])].sort()
const a = { properties: { a: {} } }
const b = { properties: { b: {} } }

describe('the arguments that a schema declares', () => {
  test.each<[string, unknown, string[]]>([
    ['the keys of properties', { type: 'object', properties: { path: {}, head: {} } }, ['head', 'path']],
    ['none where it has none', { type: 'object' }, []],
    ['none of nested objects', { properties: { a: { properties: { b: {} } } } }, ['a']],
    [
      'those of allOf, anyOf and oneOf',
      { allOf: [a], anyOf: [b], oneOf: [{ properties: { c: {} } }] },
      ['a', 'b', 'c'],
    ],
    ['those of a local reference', { $ref: '#/$defs/x', $defs: { x: a } }, ['a']],
    ['those of a reference beside its own', { ...b, $ref: '#/definitions/x', definitions: { x: a } }, ['a', 'b']],
    ['those of a reference with escapes', { $ref: '#/$defs/a~1b~0c%20d', $defs: { 'a/b~c d': a } }, ['a']],
    ['those of a list item', { $ref: '#/allOf/1', allOf: [b, a] }, ['a', 'b']],
    [
      'those of a reference in allOf in a reference',
      { allOf: [{ $ref: '#/$defs/x' }], $defs: { x: { anyOf: [a, b] } } },
      ['a', 'b'],
    ],
    ['none of another document', { $ref: 'https://example.com/schema.json', properties: { b: {} } }, ['b']],
    ['none of a reference that leads nowhere', { $ref: '#/$defs/none', properties: { b: {} } }, ['b']],
    ['none of patterns', { patternProperties: { '.*': {} }, additionalProperties: true, properties: { b: {} } }, ['b']],
    [
      'none of conditions',
      JSON.parse('{"if":{"properties":{"a":{}}},"then":{"properties":{"b":{}}},"not":{"properties":{"c":{}}}}'),
      [],
    ],
    [
      'a name of the language',
      JSON.parse('{"properties": {"__proto__": {}, "constructor": {}}}'),
      ['__proto__', 'constructor'],
    ],
  ])('%s', (_, schema, expected) => {
    expect(namesOf(schema)).toEqual(expected)
  })

  test.each([[undefined], [null], [true], ['schema'], [[a]]])('are null for %j, which is not a schema', (schema) => {
    expect(declaredArguments(schema)).toBeNull()
  })

  test('end for a schema that refers to itself', () => {
    expect(namesOf({ $ref: '#', allOf: [{ $ref: '#' }, { $ref: '#/allOf/0' }, a] })).toEqual(['a'])
  })

  test('are limited in number, and arguments beyond the limits are undeclared', () => {
    const wide = { properties: Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`a${n}`, {}])) }
    expect(namesOf(wide)).toHaveLength(500)
    let deep: object = a
    for (let n = 0; n < 5000; n++) deep = { allOf: [deep] }
    expect(namesOf(deep)).toEqual([])
    const many = { anyOf: Array.from({ length: 100_000 }, (_, n) => ({ properties: { [`a${n}`]: {} } })) }
    expect(namesOf(many).length).toBeLessThanOrEqual(500)
    expect(namesOf({ properties: { ['a'.repeat(257)]: {}, b: {} } })).toEqual(['b'])
  })

  test('never throw', () => {
    fc.assert(fc.property(fc.anything(), (schema) => void declaredArguments(schema)))
  })
})

test('names the first undeclared argument', () => {
  const declared = new Set(['paths'])
  expect(undeclaredArgument({ paths: [], path: '/ok' }, declared)).toBe('path')
  expect(undeclaredArgument({ paths: [] }, declared)).toBeNull()
  expect(undeclaredArgument({ path: '/ok' }, null)).toBeNull()
  expect(undeclaredArgument(undefined, declared)).toBeNull()
})

const policy = (effect: Effect, when: Condition[], defaultEffect: Effect = 'allow'): PolicyDocument => ({
  default_effect: defaultEffect,
  rules: [
    { id: 'r', name: 'r', priority: 1, enabled: true, effect, reason: '', match: { tools: ['mcp:files/*'], when } },
  ],
})
const under: Condition = { path: 'args.path', op: 'under', value: '/srv/secrets' }

describe('a call with an argument that the tool does not declare', () => {
  const decoy = {
    tool: 'mcp:files/read_multiple_files',
    args: { paths: ['/srv/secrets/bank.txt'], path: '/srv/public/ok.txt' },
    agent: {},
    environment: {},
    declaredArgs: new Set(['paths']),
  }
  const decide = (document: PolicyDocument, call = decoy) => evaluate(compilePolicy(document), call)

  test('is denied by a deny rule with conditions on arguments, even if they do not match', () => {
    expect(decide(policy('deny', [under]))).toMatchObject({ effect: 'deny', rule_id: 'r', undecided: 'args.path' })
    expect(decide(policy('require_approval', [under])).effect).toBe('require_approval')
  })

  test('is not allowed by a rule with conditions on arguments, even if they match', () => {
    const allow = policy('allow', [{ path: 'args.path', op: 'under', value: '/srv/public' }], 'deny')
    expect(decide(allow)).toMatchObject({ effect: 'deny', rule_id: null })
  })

  test('also makes exists an error', () => {
    const exists = { path: 'args.other', op: 'exists', value: true } as const
    expect(decide(policy('deny', [exists])).effect).toBe('deny')
  })

  test('is decided normally by rules without conditions on arguments', () => {
    expect(decide(policy('allow', [], 'deny')).effect).toBe('allow')
    expect(decide(policy('deny', [{ path: 'tool.operation', op: 'eq', value: 'write' }])).effect).toBe('allow')
  })

  test('passes if the tool has no schema or declares the argument', () => {
    const { declaredArgs: _, ...unknown } = decoy
    expect(evaluate(compilePolicy(policy('deny', [under])), unknown).effect).toBe('allow')
    const declared = { ...decoy, declaredArgs: new Set(['path', 'paths']) }
    expect(decide(policy('deny', [under]), declared).effect).toBe('allow')
  })
})

test('a policy reports whether it has conditions on the arguments of a tool', () => {
  const compiled = compilePolicy(policy('deny', [under]))
  expect(asksArguments(compiled, 'mcp:files/read')).toBe(true)
  expect(asksArguments(compiled, 'mcp:mail/send')).toBe(false)
  expect(asksArguments(compilePolicy(policy('deny', [])), 'mcp:files/read')).toBe(false)
})
