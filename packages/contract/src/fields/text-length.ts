// The API counts the length of a text in Unicode code points. A code point has one or two code units, so `text.length` often
// decides without counting.

/** Returns whether a text has more than `max` code points. Reads at most twice as many code units. */
export function isLonger(text: string, max: number): boolean {
  if (text.length <= max) return false
  return text.length > 2 * max || countOf(text, max + 1) > max
}

/** Returns whether a text has fewer than `min` code points. */
export function isShorter(text: string, min: number): boolean {
  if (text.length < min) return true
  return text.length < 2 * min && countOf(text, min) < min
}

/** Counts the code points of a text, at most up to `enough`. */
function countOf(text: string, enough: number): number {
  let count = 0
  for (const _ of text) if (++count >= enough) break
  return count
}
