import { conditionOperators, effects } from '@mandate/contract/words/policy-words'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { compilePolicy, evaluate } from '../src/evaluate.ts'
import { mayPass, templatePrefix } from '../src/may-pass.ts'
import type { Condition, Effect, Operator, Rule } from '../src/types.ts'
import { expandTemplate } from './expand-template.ts'

const call = { tool: 'resource:files/read', agent: { team: 'red' }, environment: {} }

const rule = (effect: Effect, ...when: Condition[]): Rule => ({
  id: `${effect}${when.length}`,
  name: effect,
  priority: when.length,
  enabled: true,
  effect,
  match: { tools: ['resource:files/read'], when },
  reason: '',
})
const onUri = (op: Operator, value: unknown): Condition => ({ path: 'args.uri', op, value })
const isListed = (template: string, default_effect: Effect, ...rules: Rule[]) =>
  mayPass(compilePolicy({ default_effect, rules }), call, templatePrefix(template))

describe('the common prefix of all expansions', () => {
  it.each([
    ['file:///a/{name}', 'file:///a/'],
    ['{+uri}', ''],
    ['demo://resource/1', 'demo://resource/1'],
    ['demo://a%20b/{c}', 'demo://a%20b/'],
    ['demo://a b/{c}', 'demo://a'],
    ['demo://é/{c}', 'demo://'],
    ['demo://100%/{c}', 'demo://100'],
    ['demo://a}b{c', 'demo://a'],
    ['', ''],
  ])('of %j is %j', (template, prefix) => {
    expect(templatePrefix(template)).toBe(prefix)
  })
})

describe('hides a template if none of its URIs may pass', () => {
  it.each<[string, Effect, Rule[]]>([
    ['only another prefix is allowed', 'deny', [rule('allow', onUri('starts_with', 'demo://'))]],
    ['its prefix is denied', 'allow', [rule('deny', onUri('starts_with', 'file:///'))]],
    ['only other URIs are allowed', 'deny', [rule('allow', onUri('in', ['demo://a', 'demo://b', 7]))]],
    ['every URI except another URI is denied', 'allow', [rule('deny', onUri('ne', 'demo://a'))]],
    ['every URI without another prefix is denied', 'allow', [rule('deny', onUri('not_starts_with', 'demo://'))]],
    ['its prefix contains a denied text', 'allow', [rule('deny', onUri('contains', '/secret/'))]],
    ['all files are denied', 'allow', [rule('deny', onUri('under', '/'))]],
    ['a condition compares a number, which is an error', 'allow', [rule('deny', onUri('gt', 1))]],
    [
      'an allow needs an argument that reads do not have',
      'deny',
      [rule('allow', { ...onUri('eq', 'x'), path: 'args.x' })],
    ],
    [
      'a deny has a condition on an argument that reads do not have',
      'allow',
      [rule('deny', { ...onUri('eq', 'x'), path: 'args.x' })],
    ],
    [
      'two denials cover all its expansions',
      'allow',
      [rule('deny', onUri('under', '/x'), onUri('gt', 1)), rule('allow')],
    ],
  ])('%s', (_why, default_effect, rules) => {
    expect(isListed('file:///secret/{name}', default_effect, ...rules)).toBe(false)
  })

  it('a path rule hides URIs that are not files', () => {
    for (const template of ['demo://a/{b}', 'https://a/{b}', 'file://host/{b}', 'file:///a?{b}', 'file:a/{b}']) {
      expect([template, isListed(template, 'deny', rule('allow', onUri('under', '/a')))]).toEqual([template, false])
      expect([template, isListed(template, 'allow', rule('deny', onUri('not_under', '/a')))]).toEqual([template, false])
    }
  })
})

describe('lists a template if one of its URIs may pass', () => {
  it.each<[string, Effect, Rule[]]>([
    ['a longer prefix is allowed', 'deny', [rule('allow', onUri('starts_with', 'file:///secret/open'))]],
    ['a longer prefix is denied', 'allow', [rule('deny', onUri('starts_with', 'file:///secret/closed'))]],
    ['one of its URIs is allowed', 'deny', [rule('allow', onUri('eq', 'file:///secret/a'))]],
    [
      'one of its URIs is in a list of allowed URIs',
      'deny',
      [rule('allow', onUri('in', ['a', 'file:///secret/a', 'z']))],
    ],
    ['one of its URIs is denied', 'allow', [rule('deny', onUri('eq', 'file:///secret/a'))]],
    ['one of its URIs may wait for a person', 'deny', [rule('require_approval', onUri('contains', 'x'))]],
    ['".." leads out of the denied folder', 'allow', [rule('deny', onUri('under', '/secret'))]],
    ['".." leads into the allowed folder', 'deny', [rule('allow', onUri('under', '/public'))]],
  ])('%s', (_why, default_effect, rules) => {
    expect(isListed('file:///secret/{name}', default_effect, ...rules)).toBe(true)
  })
})

const starts = [
  'file:///',
  'file:///a/',
  'FILE://localhost/',
  'file://h/',
  'file:',
  'f',
  '/',
  '/a/',
  'demo://',
  'demo://a',
  '',
]
const tails = ['', 'a', 'b', 'a/b', '../a', '../../b', '/../b', 'ile:///a', '?q', '%2e%2e/a', 'é', 'a b', '://a', '\\a']
const texts = starts.flatMap((start) => ['', 'a', 'b', 'a/b'].map((tail) => start + tail))

const expression = fc
  .tuple(fc.constantFrom('', '+', '#', '.', '/', ';', '?', '&'), fc.constantFrom('x', 'y', 'x,y'))
  .map(([operator, names]) => `{${operator}${names}}`)
const template = fc
  .tuple(
    fc.constantFrom(...starts),
    fc.array(fc.oneof(expression, fc.constantFrom('a', '/', 'b c', 'é', '%41')), { maxLength: 3 }),
  )
  .map(([start, parts]) => start + parts.join(''))
const variables = fc.record({ x: fc.constantFrom(...tails), y: fc.constantFrom(...tails) })

const condition: fc.Arbitrary<Condition> = fc.constantFrom(...conditionOperators).chain((op) => {
  const text = fc.constantFrom(...texts)
  const values: Partial<Record<Operator, fc.Arbitrary<unknown>>> = {
    exists: fc.boolean(),
    in: fc.array(fc.oneof(text, fc.constant(1)), { minLength: 1, maxLength: 3 }),
    not_in: fc.array(fc.oneof(text, fc.constant(1)), { minLength: 1, maxLength: 3 }),
    under: fc.constantFrom('/', '/a', '/a/b', '/A', 'file:///a'),
    not_under: fc.constantFrom('/', '/a', '/a/b', '/A', 'file:///a'),
    gt: fc.constant(1),
    gte: fc.constant(1),
    lt: fc.constant(1),
    lte: fc.constant(1),
  }
  const path = fc.constantFrom(
    'args.uri',
    'args.uri',
    'args.uri',
    'args.uri',
    'args.other',
    'args.uri.length',
    'agent.team',
  )
  return fc.record({ path, op: fc.constant(op), value: values[op] ?? text })
})
const rules = fc
  .array(fc.record({ effect: fc.constantFrom(...effects), when: fc.array(condition, { maxLength: 2 }) }), {
    maxLength: 4,
  })
  .map((drafts) =>
    drafts.map(({ effect, when }, index) => ({ ...rule(effect, ...when), id: `r${index}`, priority: index })),
  )

test('property: lists a template if one of its expansions passes', () => {
  const seen = { passed: 0, hidden: 0 }
  fc.assert(
    fc.property(fc.constantFrom(...effects), rules, template, variables, (default_effect, given, one, values) => {
      const policy = compilePolicy({ default_effect, rules: given })
      const uri = expandTemplate(one, values)
      const isShown = mayPass(policy, call, templatePrefix(one))
      if (!isShown) seen.hidden++
      if (evaluate(policy, { ...call, args: { uri } }).effect === 'deny') return
      seen.passed++
      expect([one, uri, isShown]).toEqual([one, uri, true])
    }),
    { numRuns: 20_000 },
  )
  // Both cases must happen often. Otherwise the property would test nothing.
  expect(Math.min(seen.passed, seen.hidden)).toBeGreaterThan(1000)
})

test('property: lists a template if any URI with its prefix passes', () => {
  const rest = fc.oneof(fc.constantFrom(...tails, ...texts), fc.string({ maxLength: 5 }))
  fc.assert(
    fc.property(
      fc.constantFrom(...effects),
      rules,
      fc.constantFrom(...texts),
      rest,
      (default_effect, given, prefix, end) => {
        const policy = compilePolicy({ default_effect, rules: given })
        fc.pre(evaluate(policy, { ...call, args: { uri: prefix + end } }).effect !== 'deny')
        expect(mayPass(policy, call, prefix)).toBe(true)
      },
    ),
    { numRuns: 20_000 },
  )
})
