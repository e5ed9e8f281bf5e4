import { sightOf } from '../../authz/sight.ts'
import type { Tx } from '../../db/database.ts'
import { narrowingsOf } from './list-narrowing.ts'
import { type CandidateLimit, lookAt, type Search, tryCandidates } from './search-queries.ts'

// Number of newest agents that are checked one by one before an index is searched for candidates. These agents nearly always fill
// a page.
const lookedAtFirst = 1000
// Number of agents that are checked next if the first agents filled a large part of the page. These agents should fill the rest.
const lookedAtNext = 4000
// Maximum number of candidates that a request collects. If there are more, the request checks the next agents one by one instead,
// and the next page continues after the last agent that was checked.
const fewCandidates = 5000
const lookedAtLast = 5000
// Smaller limit for candidates, with which each filter is tried first. It quickly finds a filter that leaves far fewer agents
// than the other filters.
const veryFewCandidates = 500

export interface Searched {
  /** Ids of at most `wanted` agents, newest first. */
  ids: string[]
  /**
   * Id of the last agent that was checked, if fewer than `wanted` agents were found and there are older agents that were not
   * checked. Otherwise null.
   */
  last: string | null
}

/**
 * Returns the ids of at most `wanted` agents that are older than `before`, newest first. Used for lists that cannot be read from
 * a single index. The search checks the newest agents first. If the newest agents do not fill the page, it looks for a filter
 * that leaves few candidates, and checks these candidates. If every filter leaves many candidates, it checks the next 5,000
 * agents.
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
