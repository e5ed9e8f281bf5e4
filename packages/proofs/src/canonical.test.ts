import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson, contentHash } from './canonical.ts'

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
  ])('rejects %s', (_, value) => {
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
