import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Refusal } from '../../../refusal.ts'
import { cleanDisplayName, readDisplayName } from './display-name.ts'

const droppedPoints = [
  ...range(0x00, 0x08),
  ...range(0x0e, 0x1f),
  ...range(0x7f, 0x84),
  ...range(0x86, 0x9f),
  ...[0x061c, 0x200e, 0x200f, 0xfeff],
  ...range(0x202a, 0x202e),
  ...range(0x2066, 0x2069),
]
const spacePoints = [
  ...range(0x09, 0x0d),
  ...[0x20, 0x85, 0xa0, 0x1680],
  ...range(0x2000, 0x200a),
  ...[0x2028, 0x2029, 0x202f, 0x205f, 0x3000],
]

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

// Generates text in which characters that cleaning changes are frequent.
const anyName = fc
  .array(
    fc.oneof(
      fc.constantFrom(...droppedPoints, ...spacePoints).map((point) => String.fromCodePoint(point)),
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.constantFrom('a', 'é', '👩‍🚀', 'ع'),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''))

describe('cleanDisplayName', () => {
  it.each([
    ['Ada  Lovelace', 'Ada Lovelace', 'each run of white space becomes one space'],
    [
      '\t Ada\r\n\tLovelace\u00a0\u3000',
      'Ada Lovelace',
      'tab, newline and wide spaces are white space; the result is trimmed',
    ],
    ['Ada\u0085Lovelace\u2028X', 'Ada Lovelace X', 'the next-line and line separators are white space'],
    ['A\u0000d\u0007a\u001b\u009f', 'Ada', 'control characters are dropped, NUL too'],
    ['\u202eadA\u202c \u2066x\u2069\u200e\u200f\u061c', 'adA x', 'bidirectional formatting characters are dropped'],
    ['\ufeffAda\ufeff', 'Ada', 'U+FEFF is dropped'],
    ['a \u202e b', 'a b', 'characters are removed before white space is collapsed'],
    ['Zoë 👩‍🚀', 'Zoë 👩‍🚀', 'other format characters, such as the joiner in an emoji, stay'],
    ['\u0000 \u200f\n', '', 'a name with nothing left is empty'],
  ])('%j becomes %j: %s', (given, stored) => {
    expect(cleanDisplayName(given)).toBe(stored)
  })

  it.each(droppedPoints.map((point) => [point.toString(16).padStart(4, '0'), point]))('U+%s is dropped', (_, point) => {
    expect(cleanDisplayName(`a${String.fromCodePoint(point as number)}b`)).toBe('ab')
  })

  it.each(spacePoints.map((point) => [point.toString(16).padStart(4, '0'), point]))(
    'U+%s is white space',
    (_, point) => {
      expect(cleanDisplayName(`a${String.fromCodePoint(point as number)}b`)).toBe('a b')
    },
  )

  it('cleaning twice gives the same result as cleaning once', () => {
    fc.assert(fc.property(anyName, (name) => cleanDisplayName(cleanDisplayName(name)) === cleanDisplayName(name)))
  })

  it('leaves no removed characters and no white space except single spaces, and keeps everything else in order', () => {
    const special = new Set([...droppedPoints, ...spacePoints])
    const kept = (text: string) => [...text].filter((char) => !special.has(char.codePointAt(0) as number)).join('')
    fc.assert(
      fc.property(anyName, (name) => {
        const cleaned = cleanDisplayName(name)
        expect(kept(cleaned)).toBe(kept(name))
        expect(cleaned.replaceAll(' ', '')).toBe(kept(name))
        expect(cleaned).not.toMatch(/^ | $| {2}/)
      }),
    )
  })
})

describe('readDisplayName', () => {
  it('400 with the exact text if the cleaned name has more than 200 characters', () => {
    expect(() => readDisplayName('x'.repeat(201))).toThrow(
      expect.objectContaining({ status: 400, message: 'display_name must be at most 200 characters' }),
    )
  })

  it('counts code points, after cleaning', () => {
    expect(readDisplayName('👩'.repeat(200))).toBe('👩'.repeat(200))
    expect(() => readDisplayName('👩'.repeat(201))).toThrow(Refusal)
    expect(readDisplayName(`${'\u200e '.repeat(500)}${'x'.repeat(200)}`)).toBe('x'.repeat(200))
  })

  it('never cuts a name: it is kept whole or refused', () => {
    const longer = fc.array(anyName, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(' '))
    fc.assert(
      fc.property(longer, (name) => {
        const cleaned = cleanDisplayName(name)
        if ([...cleaned].length > 200) expect(() => readDisplayName(name)).toThrow(Refusal)
        else expect(readDisplayName(name)).toBe(cleaned)
      }),
    )
  })
})
