import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { validateDocument } from '../src/validate.ts'
import { snapshot } from './arbitrary-policy.ts'

const sound = {
  id: 'r1',
  name: 'rule',
  priority: 1,
  enabled: true,
  effect: 'deny',
  match: { tools: ['mcp:github/*'], when: [{ path: 'args.amount', op: 'gt', value: 5 }] },
  reason: '',
}

const withMatch = (match: unknown) => ({ ...sound, match })
const withCondition = (condition: unknown) => withMatch({ tools: ['*'], when: [{ ...sound.match.when[0] }, condition] })
const errorPaths = (document: unknown) => validateDocument(document).errors.map(({ path }) => path)

test('a valid document has no errors and no warnings', () => {
  const document = {
    name: 'policy',
    description: null,
    environment_id: null,
    override_mode: 'inherit',
    default_effect: 'deny',
    dlp_enabled: false,
    rules: [sound, { ...sound, id: 'r2', priority: 2 }],
  }
  expect(validateDocument(document)).toEqual({ errors: [], warnings: [] })
})

test('reports a malformed pattern as rules[i].match.tools[j]', () => {
  const bad = { ...withMatch({ tools: ['*', 'mcp:a/b', 'mcp:a'], when: [] }), id: 'r2', priority: 2 }
  const { errors } = validateDocument({ rules: [sound, bad] })
  expect(errors).toEqual([{ path: 'rules[1].match.tools[2]', message: expect.stringContaining('two segments') }])
})

describe('reports an error in a rule with its path', () => {
  test.each<[string, unknown]>([
    ['rules[0]', 'deny everything'],
    ['rules[0].id', { ...sound, id: '' }],
    ['rules[0].name', { ...sound, name: 'x'.repeat(201) }],
    ['rules[0].priority', { ...sound, priority: '1' }],
    ['rules[0].priority', { ...sound, priority: 1.5 }],
    ['rules[0].priority', { ...sound, priority: 2 ** 31 }],
    ['rules[0].priority', { ...sound, priority: undefined }],
    ['rules[0].enabled', { ...sound, enabled: 'yes' }],
    ['rules[0].effect', { ...sound, effect: 'permit' }],
    ['rules[0].reason', { ...sound, reason: 7 }],
    ['rules[0].match', withMatch(undefined)],
    ['rules[0].match.tools', withMatch({ when: [] })],
    ['rules[0].match.tools', withMatch({ tools: [], when: [] })],
    ['rules[0].match.tools', withMatch({ tools: 'mcp:a/b', when: [] })],
    ['rules[0].match.tools[0]', withMatch({ tools: [null], when: [] })],
    ['rules[0].match.when', withMatch({ tools: ['*'], when: {} })],
    ['rules[0].match.when[1]', withCondition('args.a')],
    ['rules[0].match.when[1].path', withCondition({ path: 'user.name', op: 'eq', value: 1 })],
    ['rules[0].match.when[1].path', withCondition({ path: 'args', op: 'eq', value: 1 })],
    ['rules[0].match.when[1].op', withCondition({ path: 'args.a', op: 'matches', value: '(a+)+$' })],
    ['rules[0].match.when[1].op', withCondition({ path: 'args.a', op: 'toString', value: 1 })],
    ['rules[0].match.when[1].value', withCondition({ path: 'args.a', op: 'gt', value: '1' })],
    ['rules[0].match.when[1].value', withCondition({ path: 'args.a', op: 'in', value: 'a' })],
    ['rules[0].match.when[1].value', withCondition({ path: 'args.a', op: 'exists' })],
  ])('%s', (path, rule) => {
    expect(errorPaths({ rules: [rule] })).toEqual([path])
  })
})

describe('rules together', () => {
  test('rejects equal priorities, at the later rule', () => {
    const { errors } = validateDocument({ rules: [sound, { ...sound, id: 'r2' }] })
    expect(errors).toEqual([{ path: 'rules[1].priority', message: 'is already used by rules[0]' }])
  })

  test('rejects equal priorities with a disabled rule', () => {
    expect(
      errorPaths({
        rules: [
          { ...sound, enabled: false },
          { ...sound, id: 'r2' },
        ],
      }),
    ).toEqual(['rules[1].priority'])
  })

  test('rejects two rules with the same id', () => {
    expect(errorPaths({ rules: [sound, { ...sound, priority: 2 }] })).toEqual(['rules[1].id'])
  })

  test('accepts several rules without an id', () => {
    const fresh = { ...sound, id: undefined }
    expect(errorPaths({ rules: [fresh, { ...fresh, priority: 2 }] })).toEqual([])
  })
})

test.each<[string, unknown]>([
  ['policy', null],
  ['policy', []],
  ['name', { name: ' ' }],
  ['description', { description: 7 }],
  ['environment_id', { environment_id: 7 }],
  ['override_mode', { override_mode: 'off' }],
  ['default_effect', { default_effect: null }],
  ['dlp_enabled', { dlp_enabled: 'true' }],
  ['rules', { rules: {} }],
  ['rules', { rules: new Array(1001).fill(sound) }],
])('reports an error in the field %s', (path, document) => {
  expect(errorPaths(document)).toEqual([path])
})

test('never throws', () => {
  const junk = fc.oneof(
    fc.anything(),
    fc.record({ rules: fc.anything() }),
    fc.record({ rules: fc.array(fc.record({ match: fc.anything(), priority: fc.anything() })) }),
    fc.record({
      rules: fc.array(
        fc.record({
          match: fc.record({
            tools: fc.anything(),
            when: fc.array(fc.record({ path: fc.anything(), op: fc.anything() })),
          }),
        }),
      ),
    }),
  )
  fc.assert(
    fc.property(junk, (value) => {
      expect(Array.isArray(validateDocument(value).errors)).toBe(true)
    }),
    { numRuns: 300 },
  )
})

test('the documents of the other properties are valid', () => {
  fc.assert(
    fc.property(snapshot, (document) => {
      expect(validateDocument(document).errors).toEqual([])
    }),
  )
})
