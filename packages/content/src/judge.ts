import type { CompiledSide } from './compile-content.ts'
import { type ContentAction, type ContentSide, uninspectedPatternId } from './definition.ts'
import type { Inspection } from './inspect/inspect.ts'

/** A pattern that matched, as decisions record it. Its fields are in alphabetical order, because the edge need not sort them to write a record. */
export interface ContentMatch {
  pattern_id: string
  on: ContentSide
  count: number
  action: ContentAction
}

/** What content rules say about the arguments or the results of a call. */
export interface ContentVerdict {
  readonly matches: readonly ContentMatch[]
  /** What the matches require. `redact` and `label` do not change whether the call passes. */
  readonly effect: 'allow' | 'require_approval' | 'deny'
  /** Why, for people. Empty if the effect is `allow`. Never has a matched text. */
  readonly reason: string
  /** The labels that the session gets. */
  readonly labels: readonly string[]
}

export const nothingToDo: ContentVerdict = { matches: [], effect: 'allow', reason: '', labels: [] }

/** Maximum count of one pattern in a decision. */
const mostCounted = 1_000_000
/** How many patterns a decision names. */
export const mostMatches = 100

/** Decides by what was found. */
export function judge(side: CompiledSide, inspection: Inspection): ContentVerdict {
  const { counts, uninspected, isStuck } = inspection
  if (uninspected !== null) return judgeUninspected(side, uninspected)
  if (counts.size === 0) return nothingToDo
  const matched = side.bound.filter(({ pattern }) => counts.has(pattern.definition.id))
  const matches = matched.map(({ pattern: { definition }, redacts, strictest }) => ({
    // A match that cannot be redacted is denied.
    action: redacts && isStuck ? ('deny' as const) : strictest,
    count: Math.min(counts.get(definition.id) ?? 1, mostCounted),
    on: side.side,
    pattern_id: definition.id,
  }))
  const labels = [...new Set(matched.flatMap((bound) => bound.labels))]
  const strictest =
    matches.find(({ action }) => action === 'deny') ?? matches.find(({ action }) => action === 'require_approval')
  const kept = strictestFirst(matches).slice(0, mostMatches)
  if (!strictest) return { matches: kept, effect: 'allow', reason: '', labels }
  const effect = strictest.action === 'deny' ? 'deny' : 'require_approval'
  const names = matched
    .filter((_, index) => matches[index]?.action === strictest.action)
    .map(({ pattern }) => JSON.stringify(pattern.definition.name))
  const subject = side.side === 'arguments' ? 'the arguments match' : 'the result matches'
  const why = `content rules: ${subject} ${names.slice(0, 5).join(', ')}${names.length > 5 ? ' and others' : ''}`
  const stuck = effect === 'deny' && isStuck ? ', and the match cannot be redacted' : ''
  return { matches: kept, effect, reason: `${why}${stuck}`, labels }
}

const order: readonly ContentAction[] = ['deny', 'require_approval', 'redact', 'label', 'flag']

function strictestFirst<M extends ContentMatch>(matches: readonly M[]): M[] {
  return matches.toSorted((one, other) => order.indexOf(one.action) - order.indexOf(other.action))
}

// What cannot be inspected cannot be redacted either.
function judgeUninspected({ side, strictest, labels }: CompiledSide, why: string): ContentVerdict {
  const action = strictest === 'redact' ? 'deny' : strictest
  const effect = action === 'deny' || action === 'require_approval' ? action : 'allow'
  const matches = [{ action, count: 1, on: side, pattern_id: uninspectedPatternId }]
  const reason =
    effect === 'allow'
      ? ''
      : `content rules: the ${side === 'arguments' ? 'arguments' : 'result'} cannot be inspected, because ${why}`
  return { matches, effect, reason, labels }
}
