import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { builtinPatterns } from '../src/builtin/catalogue.ts'
import { checks } from '../src/builtin/checks.ts'
import { compilePattern } from '../src/compile-pattern.ts'
import { nativeExpression } from '../src/native-expression.ts'
import { SearchedText } from '../src/searched-text.ts'

/** The search for a pattern, and a search that checks each match of its expression and goes on behind it. */
function searchesOf(wanted: string) {
  const pattern = builtinPatterns.find(({ name }) => name === wanted)!
  const compiled = compilePattern(pattern)
  const check = checks[pattern.check!]
  return {
    find: (text: string) => compiled.find(new SearchedText(text)),
    findMatches: (text: string) =>
      [...text.matchAll(nativeExpression(pattern.expression, 'g'))].flatMap(
        ({ 0: match, index }) => check(text, { start: index, end: index + match.length }) ?? [],
      ),
  }
}

const cards = ['4111111111111111', '5555555555554444', '378282246310005', '30569309025904', '4111111111111111110']
const inGroups = (digits: string, separator: string) => digits.match(/.{1,4}/g)!.join(separator)
const cutCard = fc.tuple(fc.constantFrom(...cards), fc.array(fc.nat(18), { maxLength: 4 })).map(([digits, cuts]) => {
  const at = [0, ...cuts.filter((cut) => cut > 3), digits.length].sort((one, other) => one - other)
  return at
    .slice(1)
    .map((end, index) => digits.slice(at[index], end))
    .filter((group) => group !== '')
    .join(' ')
})
const digitGroup = fc.stringMatching(/^[0-9]{1,8}$/)
const fourDigits = fc.stringMatching(/^[0-9]{4}$/)
const ibans = ['DE89 3704 0044 0532 0130 00', 'GB82WEST12345698765432', 'NO93 8601 1117 947']

test.each<[string, fc.Arbitrary<string>]>([
  [
    'Payment card number',
    fc.oneof(
      digitGroup,
      fourDigits,
      cutCard,
      fc.constantFrom(...cards, ...cards.map((card) => inGroups(card, ' ')), '5000', 'a'),
    ),
  ],
  ['IBAN', fc.oneof(fc.constantFrom(...ibans, 'no42', 'AB12', 'a', '_'), fourDigits)],
])('property: %s is found in each match of the expression that passes the check', (name, part) => {
  const { find, findMatches } = searchesOf(name)
  const texts = fc.array(fc.tuple(part, fc.constantFrom(' ', ' ', '-', ', ')), { maxLength: 12 })
  fc.assert(
    fc.property(
      texts.map((parts) => parts.flat().join('')),
      (text) => {
        const found = find(text)
        expect(found).toEqual(expect.arrayContaining(findMatches(text)))
        for (const [at, { start }] of found.entries()) expect(start).toBeGreaterThanOrEqual(found[at - 1]?.end ?? 0)
      },
    ),
    { numRuns: 2_000 },
  )
})

describe('a payment card number', () => {
  const { find, findMatches } = searchesOf('Payment card number')

  it('is found in any writing behind other numbers', () => {
    expect(find('5000 5000 5000 5000 4111 11111111 1111')).toEqual([{ start: 20, end: 38 }])
  })

  it('is not searched at each place of a list of numbers with four digits', () => {
    fc.assert(
      fc.property(
        fc.array(fourDigits, { minLength: 6, maxLength: 30 }),
        fc.constantFrom(' ', '-'),
        (list, separator) => {
          const text = list.join(separator)
          expect(find(text)).toEqual(findMatches(text))
        },
      ),
      { numRuns: 2_000 },
    )
    expect(find('2024 2024 2024 4111 1111 1111 1111 2024 2024')).toEqual([])
    expect(find('2024 930902 3056 930902 5904 930902')).toEqual([])
  })
})
