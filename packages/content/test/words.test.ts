import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compileContent } from '../src/compile-content.ts'
import { compilePattern } from '../src/compile-pattern.ts'
import { foldedCode } from '../src/folded-text.ts'
import { inspect } from '../src/inspect/inspect.ts'
import { SearchedText } from '../src/searched-text.ts'

const pattern = (...words: string[]) => ({
  id: 'w',
  name: 'w',
  group: 'w',
  kind: 'words' as const,
  words,
  builtin: false,
})
const compiled = (...words: string[]) => compilePattern(pattern(...words))
const found = (words: string[], text: string) =>
  compiled(...words)
    .find(new SearchedText(text))
    .map(({ start, end }) => text.slice(start, end))

it('finds whole words and phrases in any letter case, and the longest one at a place', () => {
  expect(found(['heron', 'blue heron'], 'A Blue\n  HERON, a heron, no herons.')).toEqual(['Blue\n  HERON', 'heron'])
  expect(found(['c++', '.net'], 'C++ and .NET, but not x.net or c++1')).toEqual(['C++', '.NET'])
  expect(found(['straße', 'ſet', 'σοφος'], 'STRASSE straße SET ΣΟΦΟΣ')).toEqual(['straße', 'SET', 'ΣΟΦΟΣ'])
  expect(found(['𐐀𐐀'], '😀 𐐨𐐨 𐐨')).toEqual(['𐐨𐐨'])
  expect(found(['b a', 'a b c d'], 'a b c b a')).toEqual(['b a'])
})

/** The same search by a regular expression of the engine, which may need much more time. */
function expected(words: readonly string[], text: string): string[] {
  const alternatives = words
    .toSorted((one, other) => other.length - one.length)
    .map((word) =>
      word.replace(/[.+-]/g, (sign) => `\\x${sign.charCodeAt(0).toString(16)}`).replaceAll(' ', '[ \\t\\r\\n]+'),
    )
  const sides = '[\\p{L}\\p{N}_]'
  return text.match(new RegExp(`(?<!${sides})(?:${alternatives.join('|')})(?!${sides})`, 'giu')) ?? []
}

it('property: finds what an alternation of the words finds', () => {
  const letters = fc.constantFrom('a', 'B', 'b', 'ſ', 'S', 'İ', 'ı', 'i', 'Σ', 'ς', '-', '.', '_', '1', '𐐀', '𐐨')
  const word = fc
    .array(
      fc.array(letters, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('')),
      { minLength: 1, maxLength: 3 },
    )
    .map((parts) => parts.join(' '))
  const text = fc
    .array(fc.oneof(letters, fc.constantFrom(' ', '\n', '  ')), { maxLength: 40 })
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), text, (words, searched) => {
      expect(found(words, searched)).toEqual(expected(words, searched))
      const joined = new SearchedText(`${'filler '.repeat(50)}\n${searched}`)
      if (found(words, searched).length > 0) expect(compiled(...words).mayMatch(joined)).toBe(true)
    }),
    { numRuns: 400 },
  )
})

it('folds letters as regular expressions do', () => {
  const cased = Array.from({ length: 0x20000 }, (_, code) => code).filter((code) => {
    if (code >= 0xd800 && code < 0xe000) return false
    const character = String.fromCodePoint(code)
    return character.toLowerCase() !== character || character.toUpperCase() !== character
  })
  const groups = Map.groupBy(cased, foldedCode)
  const all = String.fromCodePoint(...cased)
  for (const code of cased) {
    const alike = all.match(new RegExp(`\\u{${code.toString(16)}}`, 'giu')) ?? []
    const same = groups.get(foldedCode(code))?.map((other) => String.fromCodePoint(other)) ?? []
    if (alike.join() !== same.join()) expect(same, code.toString(16)).toEqual(alike)
  }
})

it('reads each character once, also if all words begin alike and differ in their last character', () => {
  // An alternation compares 100 times 200 characters at each place of this text, which takes a minute.
  const words = Array.from({ length: 100 }, (_, index) => `${'- '.repeat(99)}-${String.fromCodePoint(0x4e00 + index)}`)
  const text = '- '.repeat(8_000)
  expect(found(words, text)).toEqual([])
  const rules = {
    version: 1,
    bindings: [{ group: 'w', on: 'arguments' as const, action: 'deny' as const }],
    patterns: Array.from({ length: 20 }, (_, index) => ({ ...pattern(...words), id: `w${index}` })),
  }
  const side = compileContent(rules).arguments
  if (side === null) throw new Error('nothing is bound')
  expect(
    inspect(
      side,
      Array.from({ length: 1_000 }, () => '- '.repeat(8)),
    ).counts.size,
  ).toBe(0)
  expect(inspect(side, [text, `${text}-\u4e63`]).counts.size).toBe(20)
})
