import { isExactNumber } from '@mandate/contract/fields/is-exact-number'

/** A number in a JSON text that JavaScript would round. */
export class InexactNumber extends Error {}

/**
 * False from 2^53 on, where JavaScript rounds integers, and for a text that other parsers read as another number. Some browsers do not say
 * how a number is written; then only the first applies.
 */
export const isExact = (value: number, written = String(value)): boolean =>
  Math.abs(value) <= Number.MAX_SAFE_INTEGER && isExactNumber(written)

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
