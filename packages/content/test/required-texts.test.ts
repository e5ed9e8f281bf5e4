import fc from 'fast-check'
import { RE2JS } from 're2js'
import { expect, it } from 'vitest'
import { compilePattern } from '../src/compile-pattern.ts'
import { requiredTexts } from '../src/required-texts.ts'
import { SearchedText } from '../src/searched-text.ts'

const own = (expression: string) =>
  compilePattern({ id: 'p', name: 'p', group: 'p', kind: 'regex', expression, builtin: false })

it.each([
  ['\\x41bcd', 'Abcd'],
  ['\\x{41}bcd', 'Abcd'],
  ['\\101bcd', 'Abcd'],
  ['\\pLfoo', 'xfoo'],
  ['\\p{Greek}foo', 'λfoo'],
  ['foo\\Q.\\E|bar1', 'bar1'],
  ['abcd{x|efgh', 'efgh'],
  ['abcd{x|y}efgh', 'abcd{x'],
  ['abcd{1,2}ef', 'abcddef'],
  ['[[:alpha:]]foo', 'xfoo'],
  ['(?i)Falcon-Key', 'FALCON-KEY'],
])('%j finds %j', (expression, text) => {
  const pattern = own(expression)
  expect(pattern.find(new SearchedText(text))).not.toEqual([])
  expect(pattern.mayMatch(new SearchedText(`${'filler '.repeat(50)}${text}`))).toBe(true)
})

it('an expression with an open name of a class is read to its end', () => {
  expect(requiredTexts('[[:a]foo')).toEqual([])
})

it('finds the plain texts of common expressions', () => {
  expect(requiredTexts('(?i)project\\s+falcon')).toEqual(['project', 'falcon'])
  expect(requiredTexts('key\\.id=[0-9]{4}(?:abc|def)')).toEqual(['key.id='])
})

it('property: a text that an expression matches has all of its required texts', () => {
  const part = fc.constantFrom(
    ...[
      'abc',
      'de',
      'F',
      '1',
      '-',
      '\\x41',
      '\\x{42}',
      '\\101',
      '\\pL',
      '\\p{L}',
      '\\PN',
      '\\d',
      '\\.',
      '\\Q',
      '\\E',
      '\\b',
    ],
    ...[
      '{',
      '}',
      '{2}',
      '{1,}',
      '{,2}',
      '[',
      ']',
      '[^a]',
      '[[:alpha:]]',
      '[[:',
      '[\\]a]',
      '(',
      ')',
      '(?:',
      '(?i)',
      '|',
      '*',
      '+',
      '?',
      '.',
      '^',
      '$',
    ],
  )
  const expressions = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''))
  const text = fc
    .array(
      fc.constantFrom(
        'abc',
        'de',
        'f',
        'A',
        'B',
        'b',
        'c',
        'd',
        '1',
        '-',
        '.',
        '{',
        '}',
        '[',
        ':',
        'Q',
        'x41',
        '101',
        'pL',
      ),
      { maxLength: 10 },
    )
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(expressions, fc.array(text, { maxLength: 5 }), (expression, texts) => {
      const needed = requiredTexts(expression)
      let compiled: RE2JS
      try {
        compiled = RE2JS.compile(expression)
      } catch {
        return
      }
      for (const one of texts)
        if (compiled.test(one)) expect(needed.filter((part) => !one.toLowerCase().includes(part))).toEqual([])
    }),
    { numRuns: 3_000 },
  )
})
