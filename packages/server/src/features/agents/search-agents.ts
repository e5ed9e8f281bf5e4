import { sightOf } from '../../authz/sight.ts'
import type { Tx } from '../../db/database.ts'
import { narrowingsOf } from './list-narrowing.ts'
import { type CandidateLimit, lookAt, type Search, tryCandidates } from './search-queries.ts'

// A page of the newest agents is nearly always there; so many are looked at one by one before candidates are asked for.
const lookedAtFirst = 1000
// And so many more where the first hold so large a share of a page that these should fill it.
const lookedAtNext = 4000
// More candidates than this are not gathered: then the request looks at the next agents, and the page after it goes on from there.
const fewCandidates = 5000
const lookedAtLast = 5000
// Of several narrowings one may leave far fewer than the others, whose candidates are then not all gathered first.
const veryFewCandidates = 500

export interface Searched {
  /** At most `wanted`, newest first. */
  ids: string[]
  /** The last agent that was looked at, if fewer than `wanted` were found and older agents were not looked at; else null. */
  last: string | null
}

/**
 * The ids of `wanted` agents of a list that no index has, newest first, from before one of them. Looks at the newest agents. If they are
 * not enough, it looks at the candidates of the first narrowing that leaves few, or else at the next 5,000 agents.
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
