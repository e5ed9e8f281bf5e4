/** One side of a row: the number of the line, from 1, and its parts. */
export interface DiffSide {
  line: number
  parts: readonly { text: string; isChanged: boolean }[]
}

/** A row of a diff. A row with one side is a removed or an added line. A changed row has both. */
export type DiffRow =
  | { is: 'same' | 'changed'; before: DiffSide; after: DiffSide }
  | { is: 'removed'; before: DiffSide }
  | { is: 'added'; after: DiffSide }
  | { is: 'skipped'; lines: number }

/** Larger texts are shown as removed and added as a whole, because their comparison takes too long. */
const mostCells = 4_000_000
const context = 3

/** Compares two texts line by line, and the words of changed lines. Long runs of equal lines are skipped. */
export function diffLines(before: string, after: string): DiffRow[] {
  const left = linesOf(before)
  const right = linesOf(after)
  const rows: DiffRow[] = []
  let i = 0
  let j = 0
  for (const [atLeft, atRight] of [...commonPairs(left, right), [left.length, right.length] as const]) {
    rows.push(...changedRows(left, right, [i, atLeft], [j, atRight]))
    if (atLeft < left.length)
      rows.push({ is: 'same', before: plain(atLeft, left[atLeft]), after: plain(atRight, right[atRight]) })
    i = atLeft + 1
    j = atRight + 1
  }
  return skipEqual(rows)
}

const linesOf = (text: string) => (text === '' ? [] : text.split('\n'))
const plain = (index: number, text = ''): DiffSide => ({ line: index + 1, parts: [{ text, isChanged: false }] })
/** Pairs the removed lines with the added lines of one place, in their order. */
function changedRows(left: string[], right: string[], [i, iEnd]: [number, number], [j, jEnd]: [number, number]) {
  const rows: DiffRow[] = []
  for (let k = 0; i + k < iEnd || j + k < jEnd; k++) {
    const hasLeft = i + k < iEnd
    const hasRight = j + k < jEnd
    if (hasLeft && hasRight) {
      const [before, after] = diffWords(left[i + k] ?? '', right[j + k] ?? '')
      rows.push({ is: 'changed', before: { line: i + k + 1, parts: before }, after: { line: j + k + 1, parts: after } })
    } else if (hasLeft) rows.push({ is: 'removed', before: plain(i + k, left[i + k]) })
    else rows.push({ is: 'added', after: plain(j + k, right[j + k]) })
  }
  return rows
}

function diffWords(before: string, after: string): [DiffSide['parts'], DiffSide['parts']] {
  const words = (text: string) => text.match(/\w+|\s+|[^\w\s]/gu) ?? []
  const left = words(before)
  const right = words(after)
  const pairs = commonPairs(left, right)
  return [partsOf(left, new Set(pairs.map(([at]) => at))), partsOf(right, new Set(pairs.map(([, at]) => at)))]
}

function partsOf(words: readonly string[], common: ReadonlySet<number>): DiffSide['parts'] {
  const parts: { text: string; isChanged: boolean }[] = []
  for (const [index, text] of words.entries()) {
    const isChanged = !common.has(index)
    const last = parts.at(-1)
    if (last?.isChanged === isChanged) last.text += text
    else parts.push({ text, isChanged })
  }
  return parts
}

/** The longest common subsequence, as pairs of indexes. */
function commonPairs(left: readonly string[], right: readonly string[]): (readonly [number, number])[] {
  let start = 0
  while (start < left.length && start < right.length && left[start] === right[start]) start++
  let end = 0
  while (
    end < left.length - start &&
    end < right.length - start &&
    left[left.length - 1 - end] === right[right.length - 1 - end]
  )
    end++
  const head = Array.from({ length: start }, (_, index) => [index, index] as const)
  const tail = Array.from(
    { length: end },
    (_, index) => [left.length - end + index, right.length - end + index] as const,
  )
  const middle = longestCommon(left.slice(start, left.length - end), right.slice(start, right.length - end))
  return [...head, ...middle.map(([i, j]) => [i + start, j + start] as const), ...tail]
}

function longestCommon(left: readonly string[], right: readonly string[]): (readonly [number, number])[] {
  const width = right.length + 1
  if (left.length * right.length > mostCells) return []
  const lengths = new Uint32Array((left.length + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      lengths[i * width + j] = left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const pairs: (readonly [number, number])[] = []
  let i = 0
  let j = 0
  while (i < left.length && j < right.length) {
    if (left[i] === right[j]) pairs.push([i++, j++])
    else if (at(i + 1, j) >= at(i, j + 1)) i++
    else j++
  }
  return pairs
}

/** Keeps three equal lines before and after each change. */
function skipEqual(rows: readonly DiffRow[]): DiffRow[] {
  const isNear = rows.map(() => false)
  for (const [index, row] of rows.entries())
    if (row.is !== 'same') isNear.fill(true, Math.max(0, index - context), index + context + 1)
  const shown: DiffRow[] = []
  for (const [index, row] of rows.entries()) {
    const last = shown.at(-1)
    if (isNear[index]) shown.push(row)
    else if (last?.is === 'skipped') last.lines++
    else shown.push({ is: 'skipped', lines: 1 })
  }
  return shown
}
