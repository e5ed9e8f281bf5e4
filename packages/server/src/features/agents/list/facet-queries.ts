import { type AgentConditions, type AgentFacets, governanceStates } from '@mandate/contract/agents'
import { coverageState } from '../../../agent-state/coverage.ts'
import type { Member } from '../../../authz/actor.ts'
import { statementsBySight } from '../../../authz/by-sight.ts'
import { testedAgentIsVisible } from '../../../authz/visibility.ts'
import type { Tx } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists/bounded-count.ts'
import { namedSql } from '../../../db/statements/named-parameters.ts'
import { raw } from '../../../db/statements/statement.ts'
import { candidatesOf, type Narrowing, narrowings } from '../json/list-narrowing.ts'
import {
  driftOfListSql,
  filterTests,
  fitting,
  heartbeatStateSql,
  runtimeJoin,
  testsOf,
  testsShape,
  testValues,
} from './list-tests.ts'

/** A facet is a filter with the number of agents for each of its values. */
export type Facet = keyof AgentFacets
/** The facets that are counted in one governance state. */
export type FacetInState = Exclude<Facet, 'governance_state'>

/** Maximum number of agents of which every value is counted. */
export const countedWhole = 2500
/** Number of agents that are counted if no condition has at most `countedWhole` agents. */
const countedPart = 1000

const coverage = coverageState({ evidence: 'v', findings: 'v', now: 'q.now' })

/** SQL for the value of each facet, as text, for a row `a` of agents. */
const keys: Record<FacetInState, string> = {
  status: 'a.status',
  source: 'a.source',
  lifecycle_status: 'a.lifecycle_status',
  execution_coverage_state: coverage,
  environment_id: 'a.environment_id::text',
  policy_id: 'a.policy_id::text',
  owner_user_id: `coalesce(a.owner_user_id::text, 'none')`,
  drift: driftOfListSql,
  framework: 'a.framework',
  heartbeat: heartbeatStateSql,
}
const names = Object.keys(keys) as FacetInState[]
const bitOf = (facet: FacetInState) => 1 << names.indexOf(facet)
const misses = (facet: FacetInState) =>
  `case when :${facet}::text is null or ${facet} is not distinct from :${facet} then 0 else ${bitOf(facet)} end`

const ofState = 'a.tenant_id = :tenantId and a.governance_state = :governance_state'

export interface CountedRow {
  facet: FacetInState
  key: string
  count: number
}

interface Sampled {
  /** Number of agents that match the narrowing. If there are more than `countedWhole`, this is one more. */
  named: number
  /** Empty if there are more agents than `countedWhole` and only a whole count is wanted. */
  rows: CountedRow[]
}

// `missed` has a bit for each filter that excludes an agent. The agent counts for a facet if no other filter excludes it. Agents
// with the same values are counted together first, because most agents share their values with many others.
const sampleStatement = statementsBySight({ narrowing: narrowings }, ({ sight, narrowing }) =>
  namedSql<Sampled>(`
    with q as materialized (select :now::timestamptz as now),
    named as materialized (
      select n.agent_id from (${candidatesOf(narrowing as Narrowing)}) n limit ${countedWhole + 1}),
    counted as (select agent_id from named where (select count(*) from named) <= ${countedWhole}
      union all (select agent_id from named where (select count(*) from named) > ${countedWhole} and :even_part::boolean
        limit ${countedPart})),
    valued as (
      select ${names.map((name) => `${keys[name]} as ${name}`).join(', ')}
      from (select distinct agent_id from counted) c
      cross join lateral (select a.* from agents a where a.id = c.agent_id and ${ofState} offset 0) a
      cross join q ${runtimeJoin}
      left join lateral (select e.shows, e.has_gap, e.attested_at, e.window_end from agent_evidence e
        where e.tenant_id = a.tenant_id and e.agent_id = a.id offset 0) v on true
      where ${testedAgentIsVisible(sight, 'a')} and ${filterTests.search}),
    shared as (select ${names.join(', ')}, count(*) as agents from valued group by ${names.join(', ')}),
    tested as (select *, ${names.map(misses).join(' + ')} as missed from shared),
    grouped as (
      select facet, key, sum(agents)::int as count from tested
      cross join lateral (values ${names.map((name) => `('${name}', ${name}, ${bitOf(name)})`).join(', ')}) v (facet, key, bit)
      where missed in (0, bit) and key is not null group by facet, key)
    select (select count(*) from named) as named,
      coalesce((select json_agg(json_build_object('facet', facet, 'key', key, 'count', count)) from grouped), '[]') as rows`),
)

export interface FacetSearch {
  actor: Member
  filters: AgentConditions
  now: string
  lateBefore: string
}

/**
 * Counts the values of all facets among the agents that may match one condition (`narrowing`). If more than 2,500 agents may
 * match it, counts nothing, or with `evenPart` the newest 1,000 of them.
 */
export async function countSample(
  tx: Tx,
  search: FacetSearch,
  narrowing: Narrowing,
  evenPart: boolean,
): Promise<Sampled> {
  const values = { ...valuesOf(search), even_part: evenPart, before, enough: countedWhole + 1 }
  return await tx.one(sampleStatement(search.actor, { narrowing }, values))
}

const stateCounts = statementsBySight({ whole: [false, true], ...testsShape }, ({ sight, whole, ...tests }) => {
  const all = 'agents a where a.tenant_id = :tenantId and a.governance_state = s.state'
  const part = `(select a.* from ${all} order by a.id desc limit ${countedPart}) a ${fitting(sight, tests)}`
  return namedSql<{ state: string; count: number; is_part: boolean }>(`
    with q as materialized (select :now::timestamptz as now)
    select s.state, ${whole ? boundedCount(all) : `(select count(*) from ${part})`} as count,
      ${whole ? 'false' : `exists (select from ${all} offset ${countedPart})`} as is_part
    from unnest(:states::text[]) s (state)`)
})

/**
 * Counts the agents of each governance state. With `whole`, counts all agents of the state, up to 10,000. Otherwise counts
 * those of the newest 1,000 that match the filters and that the actor sees.
 */
export function countStates(tx: Tx, search: FacetSearch, whole: boolean) {
  const values = { ...valuesOf(search), states: governanceStates }
  return tx.all(stateCounts(search.actor, { whole, ...testsOf(search.filters) }, values))
}

/** The facets for which an index has the agents of each value. */
export const indexedFacets = {
  status: 'a.status = k.key',
  source: 'a.source = k.key',
  lifecycle_status: 'a.lifecycle_status = k.key',
  environment_id: 'a.environment_id = k.key::uuid',
  policy_id: 'a.policy_id = k.key::uuid',
  owner_user_id: 'a.owner_user_id = k.key::uuid',
  drift: 'a.drift_state = k.key',
  framework: 'a.framework = k.key',
} satisfies Partial<Record<FacetInState, string>>
export type IndexedFacet = keyof typeof indexedFacets

const countTexts = Object.fromEntries(
  Object.entries(indexedFacets).map(([name, condition]) => {
    const rows = (which: string) => `agents a where a.tenant_id = $1 and a.governance_state = $2 and ${which}`
    const count = boundedCount(rows(condition))
    const all =
      name === 'owner_user_id'
        ? `case when k.key = 'none' then ${boundedCount(rows('a.owner_user_id is null'))} else ${boundedCount(
            rows(`a.owner_user_id = nullif(k.key, 'none')::uuid`),
          )} end`
        : count
    return [name, `select '${name}' as facet, k.key, ${all} as count from unnest($3::text[]) k (key)`]
  }),
) as Record<IndexedFacet, string>

/** Counts all agents of a governance state with each of these values, up to 10,000. The actor must see the whole tenant. */
export async function countValues(tx: Tx, state: string, facet: IndexedFacet, keys: string[]): Promise<CountedRow[]> {
  const counted = await tx.all(raw<CountedRow>(countTexts[facet], [tx.tenantId, state, keys]))
  return counted.filter(({ count }) => count > 0)
}

/** Returns the names of environments, policies and users by their ids. */
export async function findFacetNames(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  const text = `select id, name from environments where tenant_id = $1 and id = any($2)
    union all select id, name from policies where tenant_id = $1 and id = any($2)
    union all select id, coalesce(nullif(display_name, ''), email) as name from users where tenant_id = $1 and id = any($2)`
  const rows = await tx.all(raw<{ id: string; name: string }>(text, [tx.tenantId, ids]))
  return new Map(rows.map(({ id, name }) => [id, name]))
}

const before = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const valuesOf = ({ filters, now, lateBefore }: FacetSearch) => ({
  ...testValues(filters),
  execution_coverage_state: filters.execution_coverage ?? null,
  now,
  lateBefore,
})
