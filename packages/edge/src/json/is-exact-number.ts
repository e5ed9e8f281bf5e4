/**
 * Whether every parser reads the same number from these digits, whatever its precision. JavaScript forwards a number as the
 * shortest text of its double. Every parser rounds fractions such as `0.1`, so fractions count as exact up to 2^53. Larger
 * numbers are exact only if the double and its shortest text have the same digits. Numbers that overflow are not exact.
 * Numbers that are not zero but are read as zero are not exact either.
 */
export function isExactNumber(digits: string): boolean {
  const value = Number(digits)
  if (!Number.isFinite(value)) return false
  if (value === 0) return significandOf(digits).digits === ''
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return true
  const carried = BigInt(value).toString()
  return integerOf(digits) === carried && integerOf(String(value)) === carried
}

/** A number in normal form: its digits without zeros at either end, times ten to the power of the exponent. Zero has no digits. */
interface Significand {
  sign: string
  digits: string
  exponent: number
}

// A regular expression would take time that grows with the square of a long run of zeros.
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

/** Returns all digits of an integer in the range of a double, or null if the number has a fraction. */
function integerOf(text: string): string | null {
  const { sign, digits, exponent } = significandOf(text)
  return exponent < 0 ? null : sign + digits + '0'.repeat(exponent)
}
