import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isExactNumber } from './is-exact-number.ts'

test.each([
  '0',
  '-0',
  '0e999999999',
  '0.000',
  '0.1',
  '-0.30000000000000004',
  '1e-7',
  '5e-324',
  '9007199254740991',
  '9007199254740991.0',
  '9007199254740992',
  '9.007199254740992e15',
  '-9007199254740994.00',
  '1e22',
  `1${'0'.repeat(22)}`,
  `0.${'0'.repeat(1000)}1e+1023`,
  '0.10000000000000001',
  '0.1000000000000000055511151231257827',
  '4503599627370495.5',
  '1.000000000000000000',
])('%s is exact', (digits) => expect(isExactNumber(digits)).toBe(true))

test.each([
  '9007199254740993',
  '9007199254740993.0',
  '9007199254740993e0',
  '9007199254740993000E-3',
  '9007199254740991.9',
  '9007199254740992.5',
  '1234567890123456789',
  '1234567890123456789.0',
  '-1234567890123456789e0',
  '1180591620717411303424',
  '1e23',
  '1e400',
  '-1e400',
  '1e-400',
  `1${'0'.repeat(400)}`,
  '9007199254740990.6',
  '4503599627370496.3',
  '0.1000000000000000001',
  '0.30000000000000001',
  '1.0000000000000001',
  '99.999999999999999999',
  '3e-324',
  `0.1${'0'.repeat(200)}1`,
])('%s is not exact', (digits) => expect(isExactNumber(digits)).toBe(false))

const digit = fc.integer({ min: 0, max: 9 })
const number = fc.record({
  whole: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
  fraction: fc.array(digit, { maxLength: 4 }).map((digits) => digits.join('')),
  power: fc.option(fc.integer({ min: -8, max: 30 }), { nil: null }),
})

/** The text of a number, and its value in units of 10^-places. */
const written = number.map(({ whole, fraction, power }) => {
  const places = fraction.length - (power ?? 0)
  const sign = whole < 0n ? -1n : 1n
  const units = whole * 10n ** BigInt(fraction.length) + sign * BigInt(fraction || '0')
  return { text: `${whole}${fraction && `.${fraction}`}${power === null ? '' : `e${power}`}`, units, places }
})

/** Whether the exact value of a text, in units, is an integer. */
function isInteger(integer: bigint, { units, places }: { units: bigint; places: number }): boolean {
  return places >= 0 ? integer * 10n ** BigInt(places) === units : integer === units * 10n ** BigInt(-places)
}

test('accepts a number above 2^53 only if the double has exactly its digits', () => {
  fc.assert(
    fc.property(written, (number) => {
      const value = Number(number.text)
      fc.pre(Math.abs(value) > Number.MAX_SAFE_INTEGER)
      const isCarried = isInteger(BigInt(value), number)
      const isWrittenAnew =
        BigInt(value).toString().replace(/0+$/, '') ===
        String(value)
          .replace(/e\+\d+$/, '')
          .replace('.', '')
          .replace(/0+$/, '')
      expect(isExactNumber(number.text)).toBe(isCarried && isWrittenAnew)
    }),
    { numRuns: 2000 },
  )
})

test('accepts safe integers in every notation and all smaller decimals', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.integer({ min: 0, max: 6 }), (integer, zeros) => {
      const shifted = `${integer}${'0'.repeat(zeros)}e-${zeros}`
      for (const text of [`${integer}`, `${integer}.${'0'.repeat(zeros + 1)}`, shifted]) {
        expect(isExactNumber(text), text).toBe(true)
      }
    }),
  )
  fc.assert(
    fc.property(fc.double({ min: -1e15, max: 1e15, noNaN: true }), (decimal) => {
      expect(isExactNumber(JSON.stringify(decimal))).toBe(true)
    }),
  )
})

test('accepts a fraction with the digits of its double, and no other fraction with more than 15 digits', () => {
  const decimal = fc.double({ min: 1e-9, max: 2 ** 52, noNaN: true })
  fc.assert(
    fc.property(decimal, fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 9 }), (value, count, last) => {
      const written = value.toPrecision(count)
      expect(isExactNumber(written)).toBe(count > 15 ? true : isExactNumber(String(Number(written))))
      const exact = value.toPrecision(80)
      const [mantissa, exponent] = exact.split('e')
      expect(isExactNumber(`${mantissa}${last}${exponent === undefined ? '' : `e${exponent}`}`)).toBe(false)
    }),
  )
})

test('takes linear time for a megabyte of zeros', () => {
  const zeros = '0'.repeat(1 << 20)
  expect(isExactNumber(`0.${zeros}1`)).toBe(false)
  expect(isExactNumber(`1.${zeros}`)).toBe(true)
  expect(isExactNumber(`9007199254740993.${zeros}1${zeros}`)).toBe(false)
})
