import type { AgentFilters } from '@mandate/contract/agents'
import type { Member } from '../../authz/actor.ts'
import { statementsBySight } from '../../authz/by-sight.ts'
import type { Sight } from '../../authz/sight.ts'
import { agentIsVisible } from '../../authz/visibility.ts'
import type { Tx } from '../../db/database.ts'
import { namedSql } from '../../db/named-parameters.ts'
import { coverageStateSql, evidenceJoins } from './coverage-queries.ts'
import { candidatesOf, filteredColumns, type Narrowing, narrowings } from './list-narrowing.ts'

/** A search for one page of the agent list. */
export interface Search {
  actor: Member
  filters: AgentFilters
  now: string
  /** Maximum number of agents to find. */
  wanted: number
}

const listed = 'a.tenant_id = :tenantId and a.governance_state = :governance_state and a.id < :before'

/**
 * Returns the SQL joins and conditions that an agent must meet to be in the list. `a` is the SQL alias of the table `agents`.
 * The same SQL serves all combinations of filters, except that the filter by execution coverage adds joins.
 */
function fitting(sight: Sight, byCoverage: boolean): string {
  const conditions = [
    agentIsVisible(sight, 'a'),
    ...filteredColumns.map((column) => `(:${column}::text is null or a.${column} = :${column})`),
    '(:search::text is null or strpos(lower(a.name), lower(:search::text)) > 0)',
  ].join(' and ')
  if (!byCoverage) return `where ${conditions}`
  return `cross join q ${evidenceJoins} where ${coverageStateSql} = :execution_coverage and ${conditions}`
}

const time = 'q as materialized (select :now::timestamptz as now)'

// These limits are constants in the text, because PostgreSQL estimates a parameterised limit as 10 % of the rows.
/** Number of agents that one statement tests against the filters. */
export type LookLimit = (typeof lookLimits)[number]
const lookLimits = [1000, 4000, 5000] as const
/** Maximum number of candidates (agents that match one filter and may match all filters) that one statement collects. */
export type CandidateLimit = (typeof candidateLimits)[number]
const candidateLimits = [500, 5000] as const

interface Looked {
  /** Ids of the matching agents, newest first. */
  ids: string[]
  /** Id of the last agent that was checked; null if there are no more agents or if enough agents were found. */
  last_id: string | null
}

const lookStatement = statementsBySight(
  { count: lookLimits, byCoverage: [false, true] },
  ({ sight, count, byCoverage }) => {
    const newest = (columns: string, rows: string) =>
      `select ${columns} from agents a where ${listed} order by a.id desc ${rows}`
    return namedSql<Looked>(`with ${time},
      fit as materialized (
        select a.id from (${newest('a.*', `limit ${count}`)}) a ${fitting(sight, byCoverage)}
        order by a.id desc limit :wanted)
      select array(select id from fit order by id desc) as ids,
        case when (select count(*) from fit) < :wanted::int then (${newest('a.id', `offset ${count - 1} limit 1`)}) end as last_id`)
  },
)

/**
 * Tests the `count` newest agents that are older than the agent `before`. Returns the agents that the actor sees and that match
 * all filters.
 */
export async function lookAt(tx: Tx, search: Search, before: string, count: LookLimit): Promise<Looked> {
  const shape = { count, byCoverage: isByCoverage(search) }
  return await tx.one(lookStatement(search.actor, shape, { ...valuesOf(search), before }))
}

interface Tried {
  /** Number of candidates. If there are more candidates than the limit, this is the limit plus one. */
  named: number
  /** Ids of the matching candidates, newest first; empty if there are more candidates than the limit. */
  ids: string[]
}

// Each candidate is an agent that may belong on the page. `offset 0` prevents PostgreSQL from turning the subquery into a join.
// So PostgreSQL looks up one candidate after the other by its id, newest first, and stops when the page is full.
const candidatesStatement = statementsBySight(
  { narrowing: narrowings, most: candidateLimits, byCoverage: [false, true] },
  ({ sight, narrowing, most, byCoverage }) =>
    namedSql<Tried>(`
      with ${time},
      named as materialized (select n.agent_id from (${candidatesOf(narrowing)}) n limit ${most + 1}),
      fit as (
        select a.id
        from (select agent_id from named where (select count(*) from named) < :enough::int order by agent_id desc) n
        cross join lateral (select a.* from agents a where a.id = n.agent_id and ${listed} offset 0) a
        ${fitting(sight, byCoverage)}
        order by n.agent_id desc limit :wanted)
      select (select count(*) from named) as named, array(select id from fit order by id desc) as ids`),
)

/**
 * Collects candidates: the agents older than the agent `before` that may match one condition (`narrowing`). If there are at
 * most `most` candidates, returns those that the actor sees and that match all filters. If there are more, returns no agents.
 */
export async function tryCandidates(
  tx: Tx,
  search: Search,
  { narrowing, before, most }: { narrowing: Narrowing; before: string; most: CandidateLimit },
): Promise<Tried> {
  const shape = { narrowing, most, byCoverage: isByCoverage(search) }
  return await tx.one(candidatesStatement(search.actor, shape, { ...valuesOf(search), before, enough: most + 1 }))
}

const isByCoverage = ({ filters }: Search) => filters.execution_coverage !== undefined

function valuesOf({ filters, now, wanted }: Search) {
  const { status = null, lifecycle_status = null, source = null, search = null } = filters
  return { ...filters, status, lifecycle_status, source, search, now, wanted }
}
