import type { AgentConditions } from '@mandate/contract/agents'
import type { Member } from '../../../authz/actor.ts'
import { statementsBySight } from '../../../authz/by-sight.ts'
import type { Tx } from '../../../db/database.ts'
import { namedSql } from '../../../db/statements/named-parameters.ts'
import { candidatesOf, type Narrowing, narrowings } from '../json/list-narrowing.ts'
import { fitting, testsOf, testsShape, testValues } from './list-tests.ts'

/** A search for one page of the agent list. */
export interface Search {
  actor: Member
  filters: AgentConditions
  now: string
  /** A heartbeat before this time is late. */
  lateBefore: string
  /** Maximum number of agents to find. */
  wanted: number
}

const listed = 'a.tenant_id = :tenantId and a.governance_state = :governance_state and a.id < :before'

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

const lookStatement = statementsBySight({ count: lookLimits, ...testsShape }, ({ sight, count, ...tests }) => {
  const newest = (columns: string, rows: string) =>
    `select ${columns} from agents a where ${listed} order by a.id desc ${rows}`
  return namedSql<Looked>(`with ${time},
      fit as materialized (
        select a.id from (${newest('a.*', `limit ${count}`)}) a ${fitting(sight, tests)}
        order by a.id desc limit :wanted)
      select array(select id from fit order by id desc) as ids,
        case when (select count(*) from fit) < :wanted::int then (${newest('a.id', `offset ${count - 1} limit 1`)}) end as last_id`)
})

/**
 * Tests the `count` newest agents that are older than the agent `before`. Returns the agents that the actor sees and that match
 * all filters.
 */
export async function lookAt(tx: Tx, search: Search, before: string, count: LookLimit): Promise<Looked> {
  const shape = { count, ...testsOf(search.filters) }
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
  { narrowing: narrowings, most: candidateLimits, ...testsShape },
  ({ sight, narrowing, most, ...tests }) =>
    namedSql<Tried>(`
      with ${time},
      named as materialized (select n.agent_id from (${candidatesOf(narrowing)}) n limit ${most + 1}),
      fit as (
        select a.id
        from (select agent_id from named where (select count(*) from named) < :enough::int order by agent_id desc) n
        cross join lateral (select a.* from agents a where a.id = n.agent_id and ${listed} offset 0) a
        ${fitting(sight, tests)}
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
  const shape = { narrowing, most, ...testsOf(search.filters) }
  return await tx.one(candidatesStatement(search.actor, shape, { ...valuesOf(search), before, enough: most + 1 }))
}

const valuesOf = ({ filters, now, lateBefore, wanted }: Search) => ({
  ...testValues(filters),
  now,
  lateBefore,
  wanted,
})
