/** A number in a JSON text that JavaScript would round. */
export class InexactNumber extends Error {}

/** False from 2^53 on, where JavaScript rounds integers. */
export const isExact = (value: number) => Math.abs(value) <= Number.MAX_SAFE_INTEGER

/** Parses JSON. @throws InexactNumber for a number above 2^53, and SyntaxError */
export function parseExact(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) => {
    if (typeof value === 'number' && !isExact(value))
      throw new InexactNumber(`The number at “${key}” is above 2^53, so it cannot be kept exactly. Put it in quotes.`)
    return value
  })
}
