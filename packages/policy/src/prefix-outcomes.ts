import { readBasePath } from './file-path.ts'
import type { Condition, Outcome } from './types.ts'

/** What a condition can evaluate to if the tested text starts with a given prefix. */
export type Outcomes = readonly Outcome[]

const open: Outcomes = [true, false]
const yes: Outcomes = [true]
const no: Outcomes = [false]
const error: Outcomes = ['error']

/**
 * Returns a function that takes a prefix. The function lists what the condition can evaluate to for texts with that prefix. An
 * outcome that is not listed is impossible. A listed outcome may be impossible too. The condition must be well formed.
 */
export function prefixOutcomes({ op, value }: Condition): (prefix: string) => Outcomes {
  switch (op) {
    case 'exists':
      return () => (value === true ? yes : no)
    case 'eq':
    case 'in':
      return equalsOneOf(listed(value))
    case 'ne':
    case 'not_in':
      return not(equalsOneOf(listed(value)))
    case 'starts_with':
      return startsWith(value as string)
    case 'not_starts_with':
      return not(startsWith(value as string))
    case 'contains':
      return contains(value)
    case 'not_contains':
      return not(contains(value))
    case 'under':
      return under(value)
    case 'not_under':
      return not(under(value))
    case 'gt':
    case 'lt':
    case 'gte':
    case 'lte':
    case 'has':
    case 'has_not':
      return () => error
  }
}

function equalsOneOf(values: readonly unknown[]): (prefix: string) => Outcomes {
  const texts = values.filter((value) => typeof value === 'string').sort()
  if (texts.length === 0) return () => error
  return (prefix) => (texts[firstFrom(texts, prefix)]?.startsWith(prefix) ? open : no)
}

/**
 * Returns the index of the first text in the sorted list `texts` that is not less than `text`. If any text in the list starts
 * with `text`, the text at this index does.
 */
function firstFrom(texts: readonly string[], text: string): number {
  let [low, high] = [0, texts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (texts[middle]! < text) low = middle + 1
    else high = middle
  }
  return low
}

function startsWith(start: string): (prefix: string) => Outcomes {
  return (prefix) => {
    if (prefix.startsWith(start)) return yes
    return start.startsWith(prefix) ? open : no
  }
}

function contains(value: unknown): (prefix: string) => Outcomes {
  if (typeof value !== 'string') return () => error
  return (prefix) => (prefix.length <= longestSearched && prefix.includes(value) ? yes : open)
}

/** Maximum length of a prefix that is searched. In longer texts JavaScript's search can take quadratic time. */
const longestSearched = 1000

// A path that starts with the prefix may be inside or outside the base folder, because the unknown rest may contain `..`. If
// the base folder is the root, every path is inside.
function under(base: unknown): (prefix: string) => Outcomes {
  const isRoot = readBasePath(base)?.length === 0
  const ofPaths: Outcomes = isRoot ? [true, 'error'] : [true, false, 'error']
  return (prefix) => (mayBePath(prefix) ? ofPaths : error)
}

/** False if `readFilePath` returns null for every text with this prefix. */
function mayBePath(prefix: string): boolean {
  if (prefix.includes('\0') || prefix.includes('\\')) return false
  if (!'file:'.startsWith(prefix.slice(0, 5).toLowerCase())) return prefix.startsWith('/')
  const rest = prefix.slice(5)
  const host = /^\/\/([^/?#]*)\//.exec(rest)?.[1] ?? ''
  return /^(?:|localhost)$/i.test(host) && !/[?#]/.test(rest) && (rest === '' || rest.startsWith('/'))
}

function not(outcomes: (prefix: string) => Outcomes): (prefix: string) => Outcomes {
  return (prefix) => outcomes(prefix).map((outcome) => (outcome === 'error' ? outcome : !outcome))
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}
