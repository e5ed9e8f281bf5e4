import { editsBetween } from '@mandate/contract/words/edits-between'

const mostEdits = 3
const leastSimilarity = 0.4

/**
 * Returns `did you mean …?` with the known words that are closest to a mistyped word. Returns undefined if no word is close. Commander does this
 * for commands and options; this is for values, with the same limits.
 */
export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  let best = mostEdits
  let similar: string[] = []
  for (const one of new Set(known)) {
    if (Math.abs(word.length - one.length) > mostEdits) continue
    const edits = editsBetween(word.toLowerCase(), one.toLowerCase())
    const longer = Math.max(word.length, one.length)
    if (edits > best || (longer - edits) / longer <= leastSimilarity) continue
    if (edits < best) similar = []
    best = edits
    similar.push(one)
  }
  const [first, ...others] = similar.sort().slice(0, 5)
  if (first === undefined) return undefined
  return `did you mean ${others.length > 0 ? `one of ${similar.slice(0, 5).join(', ')}` : first}?`
}
