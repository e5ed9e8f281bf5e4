/**
 * Whether parsers of any precision read the same number from these digits as from the shortest text of the double. Every
 * parser rounds fractions such as `0.1`, so fractions are exact up to 2^53. Larger numbers are exact only if the double and
 * its shortest text have the same digits. Numbers that overflow are not exact, and neither are non-zero numbers that read as
 * zero.
 */
export function isExactNumber(digits: string): boolean {
  const value = Number(digits)
  if (!Number.isFinite(value)) return false
  if (value === 0) return significandOf(digits).digits === ''
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return true
  const carried = BigInt(value).toString()
  return integerOf(digits) === carried && integerOf(String(value)) === carried
}

/** A number as digits without zeros at either end, times ten to the exponent. Zero has no digits. */
interface Significand {
  sign: string
  digits: string
  exponent: number
}

// Does not use a regular expression to find the zeros, because its time would grow with the square of a long run of zeros.
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

/** The digits of an integer in the range of a double. Null if the number has a fraction. */
function integerOf(text: string): string | null {
  const { sign, digits, exponent } = significandOf(text)
  return exponent < 0 ? null : sign + digits + '0'.repeat(exponent)
}
