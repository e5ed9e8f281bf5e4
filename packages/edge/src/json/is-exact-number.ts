/**
 * Whether readers of any precision get the same number from these digits of a JSON text as from a double written anew.
 * Fractions are rounded by every reader (`0.1`) and pass below 2^53; beyond, only what a double and its shortest text both
 * carry digit by digit does. Nothing passes that overflows, or that is no zero and is read as one.
 */
export function isExactNumber(digits: string): boolean {
  const value = Number(digits)
  if (!Number.isFinite(value)) return false
  if (value === 0) return significandOf(digits).digits === ''
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return true
  const carried = BigInt(value).toString()
  return integerOf(digits) === carried && integerOf(String(value)) === carried
}

/** The number as digits without zeros at either end, times ten to the exponent. No digits: zero. */
interface Significand {
  sign: string
  digits: string
  exponent: number
}

// No pattern looks for the zeros: of a long run of them it would take the square of its length.
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

/** A number within a double's range in full, as digits; null where it has a fraction. */
function integerOf(text: string): string | null {
  const { sign, digits, exponent } = significandOf(text)
  return exponent < 0 ? null : sign + digits + '0'.repeat(exponent)
}
