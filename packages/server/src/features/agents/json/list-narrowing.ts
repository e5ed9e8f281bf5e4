import { type AgentConditions, executionCoverageStates, heartbeatStates } from '@mandate/contract/agents'
import { freshness, newestEvidence } from '../../../agent-state/coverage.ts'
import { slotOf } from '../../../agent-state/heartbeat-slot.ts'
import type { Sight } from '../../../authz/sight.ts'

type CoverageState = (typeof executionCoverageStates)[number]
type HeartbeatState = (typeof heartbeatStates)[number]

/** Columns of the table `agents` by which a request can filter the list. */
export const filteredColumns = ['status', 'lifecycle_status', 'source'] as const
/** More columns of the table `agents` by which a request can filter the list. Few agents usually have one value of them. */
export const placeColumns = ['environment_id', 'policy_id', 'framework'] as const

const inState = <State extends CoverageState>(state: State) => `coverage ${state}` as const
const heard = <State extends HeartbeatState>(state: State) => `heartbeat ${state}` as const

/**
 * Names of all narrowings. A narrowing is a condition that can exclude agents from a list. `environment` and `grants` limit the
 * list to the agents that the actor sees. `state` limits it to the requested governance state. Each other narrowing is a filter
 * of the request.
 */
export const narrowings = [
  'environment',
  'grants',
  ...placeColumns,
  'owner',
  'no owner',
  ...filteredColumns,
  'drift',
  ...heartbeatStates.map(heard),
  ...executionCoverageStates.map(inState),
  'search',
  'state',
] as const
export type Narrowing = (typeof narrowings)[number]

/**
 * Returns the conditions that limit the list for this request, except `state`. The condition whose matching agents are the
 * cheapest to find comes first.
 */
export function narrowingsOf(sight: Sight, filters: AgentConditions): Narrowing[] {
  const found: Narrowing[] = []
  if (sight !== 'all') found.push(sight === 'bound' ? 'environment' : 'grants')
  for (const column of placeColumns) if (filters[column] !== undefined) found.push(column)
  if (filters.owner_user_id !== undefined) found.push(filters.owner_user_id === 'none' ? 'no owner' : 'owner')
  for (const column of filteredColumns) if (filters[column] !== undefined) found.push(column)
  if (filters.drift !== undefined) found.push('drift')
  if (filters.heartbeat !== undefined) found.push(heard(filters.heartbeat))
  if (filters.execution_coverage !== undefined) found.push(inState(filters.execution_coverage))
  if (filters.search) found.push('search')
  return found
}

/**
 * SQL conditions on a row `a` of agents. For each condition, an index returns the matching agents newest first, which is the
 * order of the list.
 */
export const ordered = {
  environment: 'a.environment_id = :environmentId',
  status: 'a.status = :status',
  lifecycle_status: 'a.lifecycle_status = :lifecycle_status',
  source: 'a.source = :source',
  environment_id: 'a.environment_id = :environment_id::uuid',
  policy_id: 'a.policy_id = :policy_id',
  framework: 'a.framework = :framework',
  owner: 'a.owner_user_id = :owner_user_id',
  'no owner': 'a.owner_user_id is null',
} as const

/** The filters with which a page can be read from one index. */
export const orderedFilters = [...filteredColumns, ...placeColumns, 'owner', 'no owner'] as const

/**
 * True if one index returns exactly the agents of the list, newest first. If false, the query must also read agents that do not
 * belong to the list.
 */
export function isPageOfIndex(narrowings: readonly Narrowing[]): boolean {
  return narrowings.length < 2 && narrowings.every((narrowing) => narrowing in ordered)
}

/**
 * Returns SQL that selects, by an index, the `agent_id` of agents older than the agent `:before`. The result contains every
 * agent that matches the condition `narrowing`. It may also contain agents that do not match it, so the caller must test the
 * agents again.
 */
export const candidatesOf = (narrowing: Narrowing): string => candidates[narrowing]

const ofIndex = (condition: string) => `select a.id as agent_id from agents a
  where a.tenant_id = :tenantId and a.governance_state = :governance_state and ${condition} and a.id < :before
  order by a.id desc`

const newest = newestEvidence('v')

// The `order by` makes PostgreSQL use the index on `shows` and age, because only this index has this order. Without the `order
// by`, PostgreSQL may scan the table instead, because it expects to find enough rows early. For a rare state it would read
// every row.
const evidenceThatShows = (shows: CoverageState, age = '') => `select v.agent_id from agent_evidence v
  where v.tenant_id = :tenantId and v.shows = '${shows}' ${age} and v.agent_id < :before
  order by ${newest}`

const freshEvidence = (shows: CoverageState) =>
  evidenceThatShows(shows, `and ${newest} >= (select now from q) - ${freshness}`)

const staleEvidence = (shows: CoverageState) =>
  evidenceThatShows(shows, `and ${newest} < (select now from q) - ${freshness}`)

const enoughOfEach = (selects: string[]) => selects.map((select) => `(${select} limit :enough)`).join(' union ')

const heardSince = (comparison: '<=' | '>=') => `select r.agent_id from agent_runtime r
  where r.tenant_id = :tenantId and r.heartbeat_slot ${comparison} ${slotOf(':lateBefore::timestamptz')}
  order by r.heartbeat_slot ${comparison === '>=' ? 'desc, r.agent_id desc' : ', r.agent_id'} limit :enough`

const candidates: Record<Narrowing, string> = {
  environment: ofIndex(ordered.environment),
  grants: `select g.agent_id from agent_grants g
    where g.tenant_id = :tenantId and g.user_id = :userId and g.agent_id < :before
    order by g.agent_id desc`,
  environment_id: ofIndex(ordered.environment_id),
  policy_id: ofIndex(ordered.policy_id),
  framework: ofIndex(ordered.framework),
  owner: ofIndex('a.owner_user_id = :owner_user_id::uuid'),
  'no owner': ofIndex(ordered['no owner']),
  status: ofIndex(ordered.status),
  lifecycle_status: ofIndex(ordered.lifecycle_status),
  source: ofIndex(ordered.source),
  drift: ofIndex('a.drift_state = :drift'),
  'heartbeat recent': heardSince('>='),
  'heartbeat late': heardSince('<='),
  'heartbeat never': ofIndex('not a.heard'),
  'coverage claimed': freshEvidence('claimed'),
  'coverage observed': freshEvidence('observed'),
  'coverage covered': freshEvidence('covered'),
  'coverage stale': enoughOfEach((['claimed', 'observed', 'covered', 'partial'] as const).map(staleEvidence)),
  'coverage partial': enoughOfEach([
    freshEvidence('partial'),
    `select f.agent_id from findings f
      where f.tenant_id = :tenantId and f.status = 'open' and f.type = 'coverage_gap' and f.agent_id < :before
      order by f.agent_id desc`,
  ]),
  'coverage unknown': enoughOfEach([
    evidenceThatShows('unknown'),
    `select a.id as agent_id from agents a
      where a.tenant_id = :tenantId and not a.has_evidence and a.id < :before
      order by a.id desc`,
  ]),
  // The function reads the tenant from the setting that row-level security uses.
  search: 'select agent_id from agents_named_like(:search::text, :before, :enough) agent_id',
  state: ofIndex('true'),
}
