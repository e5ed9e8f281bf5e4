/** A number in a JSON text that JavaScript would round. */
export class InexactNumber extends Error {}

/**
 * False from 2^53 on, where JavaScript rounds integers, and for a text with more digits than JavaScript keeps. Some browsers do not say
 * how a number is written; then only the first applies.
 */
export function isExact(value: number, written = ''): boolean {
  const digits = written
    .replace(/e.*/i, '')
    .replace(/\D/g, '')
    .replace(/^0+|0+$/g, '')
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER && (digits.length <= 15 || written === String(value))
}

/** Parses JSON. @throws InexactNumber for a number that JavaScript would round, and SyntaxError */
export function parseExact(text: string): unknown {
  // TypeScript does not declare the third argument yet.
  const check = (key: string, value: unknown, context?: { source?: string }) => {
    if (typeof value === 'number' && !isExact(value, context?.source))
      throw new InexactNumber(
        `The number at “${key}” is above 2^53 or has too many digits, so it cannot be kept exactly. Put it in quotes.`,
      )
    return value
  }
  return JSON.parse(text, check as Parameters<typeof JSON.parse>[1])
}
