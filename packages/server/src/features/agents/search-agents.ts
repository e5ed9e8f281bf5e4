import { sightOf } from '../../authz/sight.ts'
import type { Tx } from '../../db/database.ts'
import { narrowingsOf } from './list-narrowing.ts'
import { type CandidateLimit, lookAt, type Search, tryCandidates } from './search-queries.ts'

// The newest agents nearly always fill a page. So this many are checked one by one before any index is searched for candidates.
const lookedAtFirst = 1000
// If the first agents filled a large part of the page, this many more are checked, because they should fill the rest.
const lookedAtNext = 4000
// A larger number of candidates is not collected. The request then checks the next agents instead, and the next page continues
// after them.
const fewCandidates = 5000
const lookedAtLast = 5000
// One filter may leave far fewer agents than the others. So each filter is first tried with this small limit.
const veryFewCandidates = 500

export interface Searched {
  /** Ids of at most `wanted` agents, newest first. */
  ids: string[]
  /** The last agent that was checked, if fewer than `wanted` were found and older agents were not checked; else null. */
  last: string | null
}

/**
 * Returns the ids of at most `wanted` agents that are older than `before`, newest first. Used if no single index has the list. It
 * checks the newest agents first. If they do not fill the page, it looks for a filter that leaves few candidates, and checks these.
 * If all filters leave many, it checks the next 5,000 agents.
 */
export async function searchAgents(tx: Tx, search: Search, before: string): Promise<Searched> {
  const { ids, last } = await lookAtNewest(tx, search, before)
  if (last === null) return { ids, last }
  const more = await lookUp(tx, { ...search, wanted: search.wanted - ids.length }, last)
  return { ids: [...ids, ...more.ids], last: more.last }
}

async function lookAtNewest(tx: Tx, search: Search, before: string): Promise<Searched> {
  const { ids, last_id: last } = await lookAt(tx, search, before, lookedAtFirst)
  const expected = ids.length * (1 + lookedAtNext / lookedAtFirst)
  if (last === null || expected < search.wanted) return { ids, last }
  const next = await lookAt(tx, { ...search, wanted: search.wanted - ids.length }, last, lookedAtNext)
  return { ids: [...ids, ...next.ids], last: next.last_id }
}

async function lookUp(tx: Tx, search: Search, before: string): Promise<Searched> {
  const narrowings = narrowingsOf(sightOf(search.actor), search.filters)
  const limits: CandidateLimit[] = narrowings.length === 1 ? [fewCandidates] : [veryFewCandidates, fewCandidates]
  for (const most of limits) {
    for (const narrowing of narrowings) {
      const { named, ids } = await tryCandidates(tx, search, { narrowing, before, most })
      if (named <= most) return { ids, last: null }
    }
  }
  const { ids, last_id: last } = await lookAt(tx, search, before, lookedAtLast)
  return { ids, last }
}
