import type { AgentConditions } from '@mandate/contract/agents'
import { driftStateSql } from '../../../agent-state/drift.ts'
import type { Sight } from '../../../authz/sight.ts'
import { testedAgentIsVisible } from '../../../authz/visibility.ts'
import { coverageStateSql, evidenceJoins } from '../json/coverage-queries.ts'
import { filteredColumns, placeColumns } from '../json/list-narrowing.ts'

/**
 * Which tests a statement contains besides the tests of every list. A test that no filter needs would cost time for each tested
 * agent.
 */
export interface Tests {
  /** Tests the filter by execution coverage. */
  byCoverage: boolean
  /** Tests the filters by drift and heartbeat. */
  byRuntime: boolean
  /** Tests the filters by environment, policy, framework and owner. */
  byPlace: boolean
}

/** The fields of a shape (see `statementsBySight`) that has all combinations of tests. */
export const testsShape = { byCoverage: [false, true], byRuntime: [false, true], byPlace: [false, true] } as const

export const testsOf = (filters: AgentConditions): Tests => ({
  byCoverage: filters.execution_coverage !== undefined,
  byRuntime: filters.drift !== undefined || filters.heartbeat !== undefined,
  byPlace: filters.owner_user_id !== undefined || placeColumns.some((column) => filters[column] !== undefined),
})

/** SQL for one of the words `recent`, `late` and `never`. `r` is the agent's row of `agent_runtime`, which is left-joined. */
export const heartbeatStateSql = `case when r.last_heartbeat_at is null then 'never'
  when r.last_heartbeat_at < :lateBefore::timestamptz then 'late' else 'recent' end`

export const driftOfListSql = driftStateSql({ agent: 'a', policyId: 'r.running_policy_id', hash: 'r.running_hash' })

// `offset 0` prevents PostgreSQL from turning the subquery into a join. It expects thousands of agents, so it would read the whole
// table for a few.
export const runtimeJoin = `left join lateral (select r.agent_id, r.last_heartbeat_at, r.running_policy_id, r.running_hash
  from agent_runtime r where r.tenant_id = a.tenant_id and r.agent_id = a.id offset 0) r on true`

const types = { environment_id: 'uuid', policy_id: 'uuid', framework: 'text' } as const

/** SQL conditions of single filters. Each is true if the request does not have the filter. */
export const filterTests = {
  ...(Object.fromEntries(
    filteredColumns.map((column) => [column, `(:${column}::text is null or a.${column} = :${column})`]),
  ) as Record<(typeof filteredColumns)[number], string>),
  ...(Object.fromEntries(
    placeColumns.map((column) => [column, `(:${column}::${types[column]} is null or a.${column} = :${column})`]),
  ) as Record<(typeof placeColumns)[number], string>),
  search: '(:search::text is null or strpos(lower(a.name), lower(:search::text)) > 0)',
  owner_user_id: `(:owner_user_id::text is null
    or a.owner_user_id is not distinct from nullif(:owner_user_id::text, 'none')::uuid)`,
  drift: `(:drift::text is null or ${driftOfListSql} = :drift)`,
  heartbeat: `(:heartbeat::text is null or ${heartbeatStateSql} = :heartbeat)`,
}

/** Returns the SQL joins and conditions that an agent must meet to be in the list. `a` is the SQL alias of the table `agents`. */
export function fitting(sight: Sight, { byCoverage, byRuntime, byPlace }: Tests): string {
  const conditions = [
    testedAgentIsVisible(sight, 'a'),
    ...filteredColumns.map((column) => filterTests[column]),
    filterTests.search,
    ...(byPlace ? [...placeColumns.map((column) => filterTests[column]), filterTests.owner_user_id] : []),
    ...(byRuntime ? [filterTests.drift, filterTests.heartbeat] : []),
    ...(byCoverage ? [`${coverageStateSql} = :execution_coverage`] : []),
  ].join(' and ')
  const joins = [...(byCoverage ? [`cross join q ${evidenceJoins}`] : []), ...(byRuntime ? [runtimeJoin] : [])]
  return `${joins.join(' ')} where ${conditions}`
}

/** Returns the values of the parameters that the tests use. A filter that the request does not have is null. */
export function testValues(filters: AgentConditions) {
  const { status = null, lifecycle_status = null, source = null, search = null } = filters
  const { environment_id = null, policy_id = null, framework = null, owner_user_id = null } = filters
  const { drift = null, heartbeat = null } = filters
  const columns = { status, lifecycle_status, source, search }
  return { ...filters, ...columns, environment_id, policy_id, framework, owner_user_id, drift, heartbeat }
}
