import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson, contentHash } from './canonical.ts'

/** A copy whose keys are in canonical order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([key, one]) => [key, inOrder(one)]))
}

describe('canonical JSON is RFC 8785', () => {
  test.each<[string, unknown, string]>([
    [
      'keys are sorted by UTF-16 code unit',
      { b: 1, a: 2, '\u20ac': 3, '\ud83d\ude02': 4, '\ufb33': 5 },
      '{"a":2,"b":1,"€":3,"😂":4,"\ufb33":5}',
    ],
    [
      'numbers take their shortest form',
      [333333333.3333333, 1e30, 4.5, 2e-3, 1e-27, -0],
      '[333333333.3333333,1e+30,4.5,0.002,1e-27,0]',
    ],
    ['no white space, arrays keep their order', { z: [2, 1, null, true] }, '{"z":[2,1,null,true]}'],
    ['control characters are escaped, others are not', '\u000f\n"\\/ö', '"\\u000f\\n\\"\\\\/ö"'],
  ])('%s', (_, value, text) => {
    expect(canonicalJson(value)).toBe(text)
  })

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['a function', () => 1],
    ['NaN', { a: Number.NaN }],
    ['infinity', [Number.POSITIVE_INFINITY]],
    ['a lone surrogate', '\ud800'],
    ['a lone surrogate in order', { a: ['\ud800'] }],
    ['a key with a lone surrogate', { '\ud800': 1 }],
    ['a bigint', { a: 1n }],
  ])('rejects %s', (_, value) => {
    expect(() => canonicalJson(value)).toThrow()
  })

  test('keys in order and keys in any order give the same text', () => {
    const value = fc.jsonValue({ noUnicodeString: false, maxDepth: 4 })
    fc.assert(
      fc.property(value, (given) => {
        expect(canonicalJson(inOrder(given))).toBe(canonicalize(given))
        expect(canonicalJson(given)).toBe(canonicalize(given))
      }),
    )
  })

  test.each<[string, unknown]>([
    ['a date', { a: new Date(0) }],
    ['an object with toJSON', { a: { toJSON: () => 'x' } }],
    ['a list with toJSON', { a: Object.assign([1], { toJSON: () => 'x' }) }],
    ['a key without a value', { a: undefined, b: 1 }],
    ['an object without prototype', Object.assign(Object.create(null), { b: 1, a: 2 })],
    ['keys like numbers', { 10: 1, 9: 2, '01': 3, '': 4 }],
    ['minus zero in order', { a: -0 }],
    ['many levels', JSON.parse(`${'{"b":1,"a":'.repeat(500)}1${'}'.repeat(500)}`)],
    ['many levels in order', JSON.parse(`${'['.repeat(500)}1${']'.repeat(500)}`)],
    ['own __proto__', JSON.parse('{"__proto__":1,"a":2}')],
  ])('%s is written as by the reference implementation', (_, value) => {
    expect(canonicalJson(value)).toBe(canonicalize(value))
  })

  test('rejects a cycle', () => {
    const value: Record<string, unknown> = { a: 1 }
    value.b = value
    expect(() => canonicalJson(value)).toThrow()
  })

  test('the text parses to the same data', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})

describe('content hash', () => {
  test('is SHA-256 over the canonical text, in hexadecimal', () => {
    expect(contentHash({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a')
  })

  test('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.integer()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse())
        expect(contentHash(reversed)).toBe(contentHash(value))
      }),
    )
  })

  test('differs for different data', () => {
    expect(contentHash({ a: 1 })).not.toBe(contentHash({ a: '1' }))
  })
})
