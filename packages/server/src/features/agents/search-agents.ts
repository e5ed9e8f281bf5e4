import type { Tx } from '../../db/database.ts'
import { narrowingsOf } from './list-narrowing.ts'
import { lookAt, type Search, tryCandidates } from './search-queries.ts'

// A page of the newest agents is nearly always there; so many are looked at one by one before candidates are asked for.
const lookedAtFirst = 1000
// And so many more where the first hold so large a share of a page that these should fill it.
const lookedAtNext = 4000
// More candidates than this are no shorter way than looking on: where there are so many, a page of them should be near.
const fewCandidates = 20_000
// Of several narrowings one may leave far fewer than the others, whose candidates are then not all gathered first.
const veryFewCandidates = 500

/**
 * The ids of `wanted` agents of a list that no index has, newest first, from before one of them: of the newest if they are
 * enough, and else also of the candidates of the first narrowing that leaves few, or, if none does, of all that follow.
 */
export async function searchAgents(tx: Tx, search: Search, before: string): Promise<string[]> {
  const { ids, last } = await lookAtNewest(tx, search, before)
  if (last === null) return ids
  return [...ids, ...(await lookUp(tx, { ...search, wanted: search.wanted - ids.length }, last))]
}

async function lookAtNewest(tx: Tx, search: Search, before: string): Promise<{ ids: string[]; last: string | null }> {
  const { ids, last_id: last } = await lookAt(tx, search, before, lookedAtFirst)
  const expected = ids.length * (1 + lookedAtNext / lookedAtFirst)
  if (last === null || expected < search.wanted) return { ids, last }
  const next = await lookAt(tx, { ...search, wanted: search.wanted - ids.length }, last, lookedAtNext)
  return { ids: [...ids, ...next.ids], last: next.last_id }
}

async function lookUp(tx: Tx, search: Search, before: string): Promise<string[]> {
  const narrowings = narrowingsOf(search.actor, search.filters)
  for (const most of narrowings.length === 1 ? [fewCandidates] : [veryFewCandidates, fewCandidates]) {
    for (const narrowing of narrowings) {
      const { named, ids } = await tryCandidates(tx, search, { narrowing, before, enough: most + 1 })
      if (named <= most) return ids
    }
  }
  return (await lookAt(tx, search, before)).ids
}
