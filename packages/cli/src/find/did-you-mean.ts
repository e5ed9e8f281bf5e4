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

/** How many characters must be added, removed, replaced or swapped with their neighbour. More than `mostEdits` is not counted exactly. */
function editsBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > mostEdits) return mostEdits + 1
  let [before, last] = [[] as number[], Array.from({ length: other.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = last[j - 1]! + Number(one[i - 1] !== other[j - 1])
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row[j] = Math.min(row[j - 1]! + 1, last[j]! + 1, replaced, isSwap ? before[j - 2]! + 1 : replaced)
    }
    ;[before, last] = [last, row]
  }
  return last[other.length]!
}
