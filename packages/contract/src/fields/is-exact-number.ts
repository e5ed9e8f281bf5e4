/** A number up to 2^53 with at most this many digits has the same digits again, if a parser reads it as a double and writes it. */
const carriedDigits = 15
/** `toPrecision` writes at most this many digits. */
const mostDigits = 100
const smallestNormal = 2 ** -1022

/**
 * Whether a number with these digits may enter. Every JSON parser must read the same number from them.
 * - Up to 2^53: true if the digits are those of the double that is read, rounded to as many digits. So `0.1` may enter.
 * - Above 2^53: true for an integer that a double represents exactly and that JavaScript writes with the same digits.
 * - False for a number that overflows, and for one that is read as zero although it is not zero.
 */
export function isExactNumber(digits: string): boolean {
  const value = Number(digits)
  if (!Number.isFinite(value)) return false
  if (value === 0) return significandOf(digits).digits === ''
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return hasDigitsOf(value, digits)
  const carried = BigInt(value).toString()
  return integerOf(digits) === carried && integerOf(String(value)) === carried
}

/** True if a text has the digits of a double, rounded to as many digits. Programs write 0.1 also as 0.10000000000000001. */
function hasDigitsOf(value: number, text: string): boolean {
  const isNormal = Math.abs(value) >= smallestNormal
  if (isNormal && text.length <= carriedDigits) return true
  const given = significandOf(text)
  const count = given.digits.length
  if (isNormal && count <= carriedDigits) return true
  return (
    isEqual(given, significandOf(String(value))) ||
    (count <= mostDigits && isEqual(given, significandOf(value.toPrecision(count))))
  )
}

const isEqual = (a: Significand, b: Significand) =>
  a.sign === b.sign && a.digits === b.digits && a.exponent === b.exponent

/** A number in normal form: its digits without zeros at either end, times ten to the power of the exponent. Zero has no digits. */
interface Significand {
  sign: string
  digits: string
  exponent: number
}

// Uses loops, because a regular expression would need quadratic time for a long run of zeros.
function significandOf(text: string): Significand {
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e')
  const sign = mantissa.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = mantissa.slice(sign.length).split('.')
  const all = whole + fraction
  let start = 0
  while (all[start] === '0') start++
  let end = all.length
  while (end > start && all[end - 1] === '0') end--
  return { sign, digits: all.slice(start, end), exponent: Number(power) - fraction.length + (all.length - end) }
}

/** Writes an integer without an exponent. Returns null if the number has a fraction. `text` must not overflow a double. */
function integerOf(text: string): string | null {
  const { sign, digits, exponent } = significandOf(text)
  return exponent < 0 ? null : sign + digits + '0'.repeat(exponent)
}
