import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonObject } from './fields.ts'

const field = jsonObject({ maxCharacters: 1000, maxDepth: 3 })
const refusalOf = (value: unknown) => field.safeParse(value).error?.issues[0]?.message

describe('jsonObject', () => {
  it.each([
    ['text', 'x', 'must be an object'],
    ['null', null, 'must be an object'],
    ['a list', [], 'must be an object'],
    ['four levels', { a: { b: [{}] } }, 'must be at most 3 levels deep'],
    ['NUL', { a: ['\0'] }, 'must not contain NUL or unpaired surrogates'],
    ['an unpaired surrogate in a key', { '\udc00': 1 }, 'must not contain NUL or unpaired surrogates'],
    ['1,001 characters', { a: 'x'.repeat(993) }, 'must be at most 1000 characters as JSON'],
  ])('refuses %s', (_, value, text) => {
    expect(refusalOf(value)).toBe(text)
  })

  it.each([
    ['nothing in it', {}],
    ['three levels', { a: { b: [1] } }],
    ['1,000 characters', { a: 'x'.repeat(992) }],
  ])('takes %s', (_, value) => {
    expect(refusalOf(value)).toBeUndefined()
  })

  it('returns an accepted value unchanged, including keys such as __proto__', () => {
    const dictionary = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null)))
    fc.assert(
      fc.property(dictionary, (value) => {
        const result = field.safeParse(value)
        if (result.success) expect(result.data).toBe(value)
      }),
    )
    const own = JSON.parse('{"__proto__": {"a": 1}}')
    expect(JSON.stringify(field.parse(own))).toBe('{"__proto__":{"a":1}}')
  })
})
