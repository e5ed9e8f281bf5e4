/** The numbers of a JSON text that a parser reads as the same double. */
export interface WrittenNumber {
  /** Each of these numbers as it is written in the text. */
  readonly texts: readonly string[]
  /** Whether all are written alike. */
  readonly isAlike: boolean
}

/** The numbers of a JSON text that a double may round, by the double that a parser makes of them. */
export type WrittenNumbers = ReadonlyMap<number, WrittenNumber>

/**
 * Where the digits of numbers above 2^53 are. `exact` says that each number of the value is exactly the number that its sender wrote, so the
 * double has the digits.
 */
export type NumberSource = WrittenNumbers | 'exact'

/** A larger exponent is not written out. Doubles end at 308. */
const mostZeros = 400

/** Returns the texts of a number that are searched, or null if the digits that its sender wrote are unknown. */
export function textsOfNumber(value: number, source: NumberSource | undefined): readonly string[] | null {
  const written = typeof source === 'object' ? source.get(value) : undefined
  if (written !== undefined) return written.texts.map(withoutExponent)
  if (Number.isSafeInteger(value) || !Number.isInteger(value)) return [String(value)]
  if (source !== 'exact') return null
  // Readers in other languages get all digits of the double, and JavaScript writes the first 17 of them.
  return [...new Set([withoutExponent(String(value)), BigInt(value).toString()])]
}

/** Writes an integer without a point and an exponent. Returns other numbers unchanged. */
function withoutExponent(number: string): string {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number)
  if (parts === null) return number
  const [, sign = '', whole = '', fraction = '', power = '0'] = parts
  const zeros = Number(power) - fraction.length
  if (zeros > mostZeros) return number
  const digits = whole + fraction
  if (zeros >= 0) return sign + digits + '0'.repeat(zeros)
  return /^0*$/.test(digits.slice(zeros)) ? sign + digits.slice(0, zeros) : number
}
