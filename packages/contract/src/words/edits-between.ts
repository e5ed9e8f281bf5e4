/**
 * Returns how many characters of one text must be added, removed, replaced or swapped with their neighbour to get the other text. Takes time in
 * proportion to the product of the lengths, so callers limit the lengths.
 */
export function editsBetween(one: string, other: string): number {
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
