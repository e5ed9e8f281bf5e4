import { sightOf } from '../../../authz/sight.ts'
import type { Tx } from '../../../db/database.ts'
import { narrowingsOf } from '../json/list-narrowing.ts'
import type { CandidateLimit, Search } from './search-queries.ts'
import {
  lookAtHeard,
  lookAtSilent,
  lookInOrder,
  type Place,
  type Sort,
  skipOtherNames,
  startOfSilent,
  tryCandidatesInOrder,
} from './sort-queries.ts'

// Numbers of agents that the steps of the search test. See search-agents.ts.
const lookedAtFirst = 1000
const lookedAtLast = 5000
const fewCandidates = 5000
const veryFewCandidates = 500

export interface Found {
  /** Places of at most `wanted` agents, in the order of the list. */
  places: Place[]
  /**
   * Place of the last agent that was tested, if fewer than `wanted` agents were found and there may be more agents after it.
   * Otherwise null.
   */
  last: Place | null
}

/**
 * Finds at most `wanted` agents that come after a place of a sorted list. Like `searchAgents`, it tests the next agents of the
 * order first, then looks for a filter that few agents match, and then tests the next 5,000 agents. No index has the exact
 * order of the heartbeats. In this order, the search therefore looks for a filter that few agents match first.
 */
export function searchInOrder(tx: Tx, search: Search, sort: Sort, place: Place): Promise<Found> {
  return sort === 'last_heartbeat' ? searchByHeartbeat(tx, search, place) : searchByIndex(tx, search, sort, place)
}

async function searchByIndex(tx: Tx, search: Search, sort: 'attention' | 'name', place: Place): Promise<Found> {
  const first = await lookInOrder(tx, search, sort, place, lookedAtFirst)
  if (first.last === null) return first
  const rest = { ...search, wanted: search.wanted - first.places.length }
  const more = (await fromCandidates(tx, rest, sort, first.last)) ?? (await lookFurther(tx, rest, sort, first.last))
  return { places: [...first.places, ...more.places], last: more.last }
}

/** Tests the next 5,000 agents. A search for a text first skips the agents whose name does not have it. */
async function lookFurther(tx: Tx, search: Search, sort: 'attention' | 'name', after: Place): Promise<Found> {
  if (!search.filters.search) return await lookInOrder(tx, search, sort, after, lookedAtLast)
  const { place, isFound } = await skipOtherNames(tx, search, sort, after)
  if (place === null || !isFound) return { places: [], last: place }
  return await lookInOrder(tx, search, sort, place, lookedAtLast)
}

async function searchByHeartbeat(tx: Tx, search: Search, place: Place): Promise<Found> {
  const few = await fromCandidates(tx, search, 'last_heartbeat', place)
  if (few) return few
  if (place[0] === startOfSilent[0]) return await lookAtSilent(tx, search, place)
  const heard = await lookAtHeard(tx, search, place)
  if (heard.last !== null || heard.places.length === search.wanted) return heard
  const rest = { ...search, wanted: search.wanted - heard.places.length }
  const silent = await lookAtSilent(tx, rest, startOfSilent)
  return { places: [...heard.places, ...silent.places], last: silent.last }
}

/** Returns the agents of the page if one condition has few enough candidates, else undefined. */
async function fromCandidates(tx: Tx, search: Search, sort: Sort, place: Place): Promise<Found | undefined> {
  const ofRequest = narrowingsOf(sightOf(search.actor), search.filters)
  const narrowings = [...ofRequest, 'state'] as const
  const limits: CandidateLimit[] = ofRequest.length < 2 ? [fewCandidates] : [veryFewCandidates, fewCandidates]
  for (const most of limits) {
    for (const narrowing of narrowings) {
      const { named, places } = await tryCandidatesInOrder(tx, search, { sort, place, narrowing, most })
      if (named <= most) return { places, last: null }
    }
  }
  return undefined
}
