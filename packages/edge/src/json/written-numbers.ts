import type { WrittenNumbers } from '@mandate/content/inspect/number-texts'
import { isExactNumber } from '@mandate/contract/fields/is-exact-number'

export type { WrittenNumbers }

export const noNumbers: WrittenNumbers = new Map()

/** A shorter number without an exponent is below 2^53, and a double carries its digits. */
const shortest = 16

// Types of TypeScript 7 do not have it yet.
export const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown }

/** Collects the numbers of a JSON text that a double may round: those of at least 2^53, and those with more digits than a double carries. */
export class LongNumbers {
  private readonly found = new Map<number, { texts: string[]; isAlike: boolean }>()

  /** `digits` is a number as it is written in the text. */
  note(digits: string): void {
    if (digits.length < shortest && !/e/i.test(digits)) return
    const value = Number(digits)
    if (Number.isNaN(value) || (Math.abs(value) <= Number.MAX_SAFE_INTEGER && isExactNumber(digits))) return
    const known = this.found.get(value)
    if (known === undefined) this.found.set(value, { texts: [digits], isAlike: true })
    else {
      known.isAlike &&= digits === known.texts[0]
      known.texts.push(digits)
    }
  }

  get written(): WrittenNumbers {
    return this.found
  }
}

/**
 * Serializes a value that was parsed from a text with these numbers. A number keeps the digits of the text, unless the text has several numbers
 * that are the same double.
 */
export function writeJson(value: unknown, numbers: WrittenNumbers): string {
  if (numbers.size === 0) return JSON.stringify(value)
  return JSON.stringify(value, (_, item) => {
    const written = typeof item === 'number' ? numbers.get(item) : undefined
    return written?.isAlike && written.texts[0] !== undefined ? rawJSON(written.texts[0]) : item
  })
}
