import { slotOf } from '../../../agent-state/heartbeat-slot.ts'
import { statementsBySight } from '../../../authz/by-sight.ts'
import type { Tx } from '../../../db/database.ts'
import { namedSql, namedStatement } from '../../../db/statements/named-parameters.ts'
import { candidatesOf, type Narrowing, narrowings } from '../json/list-narrowing.ts'
import { fitting, runtimeJoin, testsOf, testsShape, testValues } from './list-tests.ts'
import type { CandidateLimit, LookLimit, Search } from './search-queries.ts'

export const sorts = ['attention', 'name', 'last_heartbeat'] as const
/** An order of the list other than newest first. */
export type Sort = (typeof sorts)[number]

/**
 * The place of an agent in a sorted list: the values by which the list is sorted, as text. The last value is the agent's id. In
 * an order by heartbeat, the first value is the time of the heartbeat, or `-infinity` for an agent without one.
 */
export type Place = readonly string[]

const before = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const firstId = '00000000-0000-0000-0000-000000000000'

/** The place before the first agent of each order. */
export const start: Readonly<Record<Sort, Place>> = {
  attention: ['-1', '', firstId],
  name: ['', firstId],
  last_heartbeat: ['infinity', before],
}

/** The place before the first agent that never had a heartbeat. */
export const startOfSilent: Place = ['-infinity', before]

const heartbeat = `coalesce(r.last_heartbeat_at, '-infinity')`

/**
 * The SQL of an order. `a` is a row of agents, `r` its row of `agent_runtime`. `place` are the values of a row's place, `after`
 * is the condition that a row comes after the place of the request.
 */
const orders: Record<Sort, { place: string[]; order: string; after: string; join: string }> = {
  attention: {
    place: ['a.attention', 'a.name_key', 'a.id'],
    order: 'a.attention, a.name_key, a.id',
    after: '(a.attention, a.name_key, a.id) > (:p0::bigint, :p1::text, :p2::uuid)',
    join: '',
  },
  name: {
    place: ['a.name_key', 'a.id'],
    order: 'a.name_key, a.id',
    after: '(a.name_key, a.id) > (:p0::text, :p1::uuid)',
    join: '',
  },
  last_heartbeat: {
    place: [heartbeat, 'a.id'],
    order: `${heartbeat} desc, a.id desc`,
    after: `(${heartbeat}, a.id) < (:p0::timestamptz, :p1::uuid)`,
    join: runtimeJoin,
  },
}

const placeOf = (sort: Sort) => `json_build_array(${orders[sort].place.map((value) => `${value}::text`).join(', ')})`

const ofState = 'a.tenant_id = :tenantId and a.governance_state = :governance_state'
const time = 'q as materialized (select :now::timestamptz as now)'
const placesOfFit = `coalesce((select json_agg(place order by n) from fit), '[]'::json) as places`

interface Looked {
  /** Places of the matching agents, in the order of the list. */
  places: Place[]
  /** Place of the last agent that was tested; null if there are no more agents or if enough agents were found. */
  last: Place | null
}

/**
 * Returns SQL that reads `count` agents of an order from an index and tests them. `rows` is a `from` clause whose rows, in the
 * order `order`, have the alias `a` after `columns` are selected.
 */
function look(
  rows: string,
  { order, place, count, test }: { order: string; place: string; count: number; test: string },
) {
  const walk = (columns: string, limit: string) => `select ${columns} from ${rows} order by ${order} ${limit}`
  return namedSql<Looked>(`with ${time},
    fit as materialized (
      select ${place} as place, row_number() over () as n from (${walk('a.*', `limit ${count}`)}) a ${test} limit :wanted)
    select ${placesOfFit}, case when (select count(*) from fit) < :wanted::int
      then (${walk(place, `offset ${count - 1} limit 1`)}) end as last`)
}

const indexLook = statementsBySight(
  { sort: ['attention', 'name'], count: [1000, 5000], ...testsShape },
  ({ sight, sort, count, ...tests }) => {
    const { order, after } = orders[sort as Sort]
    const rows = `agents a where ${ofState} and ${after}`
    const test = `${fitting(sight, tests)} order by ${order}`
    return look(rows, { order, place: placeOf(sort as Sort), count: count as number, test })
  },
)

/** Tests the `count` agents that come next in the order `attention` or `name`. */
export async function lookInOrder(
  tx: Tx,
  search: Search,
  sort: 'attention' | 'name',
  place: Place,
  count: Extract<LookLimit, 1000 | 5000>,
): Promise<Looked> {
  return await tx.one(indexLook(search.actor, { sort, count, ...testsOf(search.filters) }, valuesOf(search, place)))
}

/** Number of names that one statement reads. It reads them from the index of the order, which is ten times as fast as testing agents. */
const namesRead = 50_000

function nameStatement(sort: 'attention' | 'name') {
  const { order, after } = orders[sort]
  const walk = (limit: string) =>
    `(select a.attention, a.name_key, a.id from agents a where ${ofState} and ${after} order by ${order} ${limit}) a`
  return namedStatement(
    namedSql<{ hit: Place | null; last: Place | null }>(`with hit as materialized (
        select ${placeOf(sort)} as place from ${walk(`limit ${namesRead}`)}
        where strpos(a.name_key, lower(:search::text)) > 0 order by ${order} limit 1)
      select (select place from hit) as hit, case when not exists (select from hit)
        then (select ${placeOf(sort)} from ${walk(`offset ${namesRead - 1} limit 1`)}) end as last`),
  )
}

const nameStatements = { attention: nameStatement('attention'), name: nameStatement('name') }

interface Skipped {
  /** A place with no agent between it and the place of the request whose name has the text. Null at the end of the list. */
  place: Place | null
  /** True if the name of an agent soon after the place has the text. */
  isFound: boolean
}

/** Skips agents whose name does not have the text of the search: those before the first name with the text, or 50,000 agents. */
export async function skipOtherNames(
  tx: Tx,
  search: Search,
  sort: 'attention' | 'name',
  place: Place,
): Promise<Skipped> {
  const { hit, last } = await tx.one(nameStatements[sort]({ ...valuesOf(search, place), tenantId: tx.tenantId }))
  if (hit === null) return { place: last, isFound: false }
  const values = hit.slice(0, -1)
  // Agents with the same values as the place may be before it, so the search goes on from the place itself.
  const isSame = values.every((value, index) => value === place[index])
  return { place: isSame ? place : [...values, firstId], isFound: true }
}

/** Number of agents that one statement tests in the order of the heartbeats. */
export const lookedAtHeartbeats = 5000

// Reads the heartbeats from the index on ten-minute slots. In a slot, the newest agent is first.
const heardLook = statementsBySight(testsShape, ({ sight, ...tests }) => {
  const walked = `(select h.agent_id, h.heartbeat_slot, h.last_heartbeat_at from agent_runtime h
    where h.tenant_id = :tenantId and (h.heartbeat_slot, h.agent_id) < (${slotOf(':p0::timestamptz')}, :p1::uuid)
    order by h.heartbeat_slot desc, h.agent_id desc`
  const place = 'json_build_array(h.last_heartbeat_at::text, h.agent_id::text)'
  const test = fitting(sight, { ...tests, byRuntime: true })
  return namedSql<Looked>(`with ${time},
    fit as materialized (
      select ${place} as place, row_number() over () as n from ${walked} limit ${lookedAtHeartbeats}) h
        cross join lateral (select a.* from agents a where a.id = h.agent_id and ${ofState} offset 0) a ${test}
        order by h.heartbeat_slot desc, h.agent_id desc limit :wanted)
    select ${placesOfFit}, case when (select count(*) from fit) < :wanted::int
      then (select ${place} from ${walked} offset ${lookedAtHeartbeats - 1} limit 1) h) end as last`)
})

/** Tests the agents whose heartbeats come next, latest first. Heartbeats of the same ten minutes count as equally late. */
export async function lookAtHeard(tx: Tx, search: Search, place: Place): Promise<Looked> {
  return await tx.one(heardLook(search.actor, testsOf(search.filters), valuesOf(search, place)))
}

const silentLook = statementsBySight(testsShape, ({ sight, ...tests }) =>
  look(`agents a where ${ofState} and not a.heard and a.id < :p1::uuid`, {
    order: 'a.id desc',
    place: `json_build_array('-infinity', a.id::text)`,
    count: lookedAtHeartbeats,
    test: `${fitting(sight, { ...tests, byRuntime: true })} and r.agent_id is null order by a.id desc`,
  }),
)

/** Tests the agents without a heartbeat, newest first. */
export async function lookAtSilent(tx: Tx, search: Search, place: Place): Promise<Looked> {
  return await tx.one(silentLook(search.actor, testsOf(search.filters), valuesOf(search, place)))
}

interface Tried {
  /** Number of candidates. If there are more candidates than the limit, this is the limit plus one. */
  named: number
  /** Places of the matching candidates, in the order of the list; empty if there are more candidates than the limit. */
  places: Place[]
}

// See `tryCandidates` in search-queries.ts. All candidates are read before they are sorted.
const candidatesStatement = statementsBySight(
  { sort: sorts, narrowing: narrowings, most: [500, 5000], ...testsShape },
  ({ sight, sort, narrowing, most, ...tests }) => {
    const { order, after, join } = orders[sort as Sort]
    const test = fitting(sight, tests)
    const joined = tests.byRuntime || join === '' ? test : `${join} ${test}`
    return namedSql<Tried>(`
      with ${time},
      named as materialized (
        select n.agent_id from (${candidatesOf(narrowing as Narrowing)}) n limit ${(most as number) + 1}),
      fit as materialized (
        select ${placeOf(sort as Sort)} as place, row_number() over (order by ${order}) as n
        from (select agent_id from named where (select count(*) from named) < :enough::int) n
        cross join lateral (select a.* from agents a where a.id = n.agent_id and ${ofState} offset 0) a
        ${joined} and ${after}
        order by ${order} limit :wanted)
      select (select count(*) from named) as named, ${placesOfFit}`)
  },
)

/**
 * Collects candidates: the agents that may match one condition (`narrowing`). If there are at most `most` candidates, returns
 * the places of those that come after `place`, that the actor sees and that match all filters. If there are more, returns none.
 */
export async function tryCandidatesInOrder(
  tx: Tx,
  search: Search,
  { sort, place, narrowing, most }: { sort: Sort; place: Place; narrowing: Narrowing; most: CandidateLimit },
): Promise<Tried> {
  const shape = { sort, narrowing, most, ...testsOf(search.filters) }
  return await tx.one(
    candidatesStatement(search.actor, shape, { ...valuesOf(search, place), before, enough: most + 1 }),
  )
}

function valuesOf({ filters, now, lateBefore, wanted }: Search, [p0, p1, p2]: Place) {
  return { ...testValues(filters), now, lateBefore, wanted, p0, p1, p2: p2 ?? null }
}
