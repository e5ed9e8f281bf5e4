import { sightOf } from '../../../authz/sight.ts'
import type { Tx } from '../../../db/database.ts'
import { narrowingsOf } from '../json/list-narrowing.ts'
import { type CandidateLimit, lookAt, type Search, tryCandidates } from './search-queries.ts'

// The search for a page has up to four steps. A step runs only if agents are still missing on the page.
// Number of agents that the first step tests: the newest agents. They nearly always fill the page.
const lookedAtFirst = 1000
// Number of agents that the second step tests: the agents after those of the first step. The step runs only if the first step
// filled at least a fifth of the page. Otherwise 4,000 more agents would probably not fill it.
const lookedAtNext = 4000
// Maximum number of candidates in the third step. The candidates are the agents that match one filter. An index finds them. The
// step tests the candidates against the other filters.
const fewCandidates = 5000
// Number of agents that the fourth step tests. It runs if every filter has too many candidates, and tests the next agents in
// the order of the list. The next page then starts after the last tested agent.
const lookedAtLast = 5000
// A smaller maximum number of candidates for the third step. If there are several filters, each filter is tried with this limit
// first. This quickly finds a filter that matches far fewer agents than the other filters.
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
 * Returns the ids of at most `wanted` agents that are older than the agent `before`, newest first. Used for lists that cannot
 * be read from a single index. The search tests the newest agents against the filters first. If they do not fill the page, it
 * looks for a filter that few agents match, and tests only these agents (the candidates). If many agents match every filter, it
 * tests the next 5,000 agents.
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
