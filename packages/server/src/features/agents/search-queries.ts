import type { AgentFilters } from '@mandate/contract/agents'
import { sql as fragment, type RawBuilder } from 'kysely'
import type { Member } from '../../authz/actor.ts'
import { anyLike, sightOf, sightValues } from '../../authz/sight.ts'
import { agentVisibleTo } from '../../authz/visibility.ts'
import type { Tx } from '../../db/database.ts'
import { slot } from '../../db/shaped-statement.ts'
import { coverageStateSql, evidenceJoins } from './coverage-queries.ts'
import { filteredColumns, type Narrowing } from './list-narrowing.ts'
import { shape } from './statement-shapes.ts'

/** What a page is made of. */
export interface Search {
  actor: Member
  filters: AgentFilters
  now: string
  /** How many agents are looked for. */
  wanted: number
}

const listed = fragment`a.tenant_id = ${slot('tenantId')} and a.governance_state = ${slot('governance_state')}
  and a.id < ${slot('before')}`

const isAbsent = (name: string) => fragment`${slot(name)}::text is null`

/** What a row `a` of agents must pass to be on the page; one text for all filters but that of coverage, which joins much. */
function fitting({ actor, filters }: Search): RawBuilder<unknown> {
  const ofColumns = filteredColumns.map(
    (column) => fragment`(${isAbsent(column)} or a.${fragment.ref(column)} = ${slot(column)})`,
  )
  const conditions = [
    agentVisibleTo(anyLike(actor), 'a'),
    ...ofColumns,
    fragment`(${isAbsent('search')} or strpos(lower(a.name), lower(${slot('search')}::text)) > 0)`,
  ]
  const all = fragment.join(conditions, fragment` and `)
  if (filters.execution_coverage === undefined) return fragment`where ${all}`
  return fragment`cross join q ${fragment.raw(evidenceJoins)}
    where ${fragment.raw(coverageStateSql)} = ${slot('execution_coverage')} and ${all}`
}

const fittingKey = ({ actor, filters }: Search) => `${sightOf(actor)} ${filters.execution_coverage !== undefined}`

const time = fragment`q as materialized (select ${slot('now')}::timestamptz as now)`

interface Looked {
  /** Of the agents that fit, newest first. */
  ids: string[]
  /** Of the last agent looked at; null when there are no more, or enough fit. */
  last_id: string | null
}

/** Looks at the newest `count` agents before one of them. */
export async function lookAt(tx: Tx, search: Search, before: string, count: number): Promise<Looked> {
  const statement = shape(`look at ${count} ${fittingKey(search)}`, () => lookStatement(search, count))
  return await tx.one(statement(valuesOf(tx, search, { before })))
}

// `count` is in the text, for a limit that is a parameter is planned as a tenth of all there is.
function lookStatement(search: Search, count: number): RawBuilder<Looked> {
  const newest = (columns: string, rows: string) =>
    fragment`select ${fragment.raw(columns)} from agents a where ${listed} order by a.id desc ${fragment.raw(rows)}`
  const looked = newest('a.*', `limit ${count}`)
  const last = fragment`(${newest('a.id', `offset ${count - 1} limit 1`)})`
  return fragment`with ${time},
    fit as materialized (
      select a.id from (${looked}) a ${fitting(search)} order by a.id desc limit ${slot('wanted')})
    select array(select id from fit order by id desc) as ids,
      case when (select count(*) from fit) < ${slot('wanted')}::int then ${last} end as last_id`
}

interface Tried {
  /** How many candidates there are, `enough` if more. */
  named: number
  /** Of those that fit, newest first; none if there are `enough` candidates. */
  ids: string[]
}

/** Looks at the candidates of a narrowing before an agent, if there are fewer than `enough`. */
export async function tryCandidates(
  tx: Tx,
  search: Search,
  { narrowing, before, enough }: { narrowing: Narrowing; before: string; enough: number },
): Promise<Tried> {
  const statement = shape(`try ${enough} ${narrowing.name} ${fittingKey(search)}`, () =>
    candidatesStatement(search, narrowing, enough),
  )
  return await tx.one(statement(valuesOf(tx, search, { before, enough })))
}

// The candidates' rows are read by key, newest first, until the page is full, whatever the planner thinks of their number. The limit is
// in the text: PostgreSQL estimates a parameterised one as 10 % of the rows.
const candidatesStatement = (search: Search, { candidates }: Narrowing, enough: number): RawBuilder<Tried> => fragment`
  with ${time},
  named as materialized (select n.agent_id from (${candidates}) n limit ${fragment.lit(enough)}),
  fit as (
    select a.id
    from (select agent_id from named where (select count(*) from named) < ${slot('enough')}::int order by agent_id desc) n
    cross join lateral (select a.* from agents a where a.id = n.agent_id and ${listed} offset 0) a ${fitting(search)}
    order by n.agent_id desc limit ${slot('wanted')})
  select (select count(*) from named) as named, array(select id from fit order by id desc) as ids`

const valuesOf = (tx: Tx, { actor, filters, now, wanted }: Search, more: { before: string; enough?: number }) => ({
  ...{ status: null, lifecycle_status: null, source: null, search: null, ...filters },
  ...sightValues(actor),
  ...more,
  tenantId: tx.tenantId,
  now,
  wanted,
})
