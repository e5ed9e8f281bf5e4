import { type AgentFilters, executionCoverageStates } from '@mandate/contract/agents'
import { freshness, newestEvidence } from '../../agent-state/coverage.ts'
import type { Sight } from '../../authz/sight.ts'

type CoverageState = (typeof executionCoverageStates)[number]

/** The columns of agents that are filters of the list. */
export const filteredColumns = ['status', 'lifecycle_status', 'source'] as const

const inState = <State extends CoverageState>(state: State) => `coverage ${state}` as const

/** What can leave out agents of the list: the actor's visibility, and the filters. */
export const narrowings = [
  'environment',
  'grants',
  ...filteredColumns,
  ...executionCoverageStates.map(inState),
  'search',
] as const
export type Narrowing = (typeof narrowings)[number]

/** Returns the narrowings of a request, the cheapest to search first. */
export function narrowingsOf(sight: Sight, filters: AgentFilters): Narrowing[] {
  const found: Narrowing[] = []
  if (sight !== 'all') found.push(sight === 'bound' ? 'environment' : 'grants')
  for (const column of filteredColumns) if (filters[column] !== undefined) found.push(column)
  if (filters.execution_coverage !== undefined) found.push(inState(filters.execution_coverage))
  if (filters.search) found.push('search')
  return found
}

/** Conditions on a row `a` of agents. For each of them an index has the matching agents in the order of the list. */
export const ordered = {
  environment: 'a.environment_id = :environmentId',
  status: 'a.status = :status',
  lifecycle_status: 'a.lifecycle_status = :lifecycle_status',
  source: 'a.source = :source',
} as const

/** True if an index has exactly the agents of the list, in its order. Otherwise a query reads rows that do not match. */
export function isPageOfIndex(narrowings: readonly Narrowing[]): boolean {
  return narrowings.length < 2 && narrowings.every((narrowing) => narrowing in ordered)
}

/**
 * SQL that selects the `agent_id` of candidates older than `:before` from an index. It selects every agent that matches, and
 * possibly others.
 */
export const candidatesOf = (narrowing: Narrowing): string => candidates[narrowing]

const ofIndex = (condition: string) => `select a.id as agent_id from agents a
  where a.tenant_id = :tenantId and a.governance_state = :governance_state and ${condition} and a.id < :before
  order by a.id desc`

const newest = newestEvidence('v')

// Only one index has this order. Without the `order by`, the planner may expect matches early and read the whole table for a rare
// state.
const evidenceThatShows = (shows: CoverageState, age = '') => `select v.agent_id from agent_evidence v
  where v.tenant_id = :tenantId and v.shows = '${shows}' ${age} and v.agent_id < :before
  order by ${newest}`

const freshEvidence = (shows: CoverageState) =>
  evidenceThatShows(shows, `and ${newest} >= (select now from q) - ${freshness}`)

const staleEvidence = (shows: CoverageState) =>
  evidenceThatShows(shows, `and ${newest} < (select now from q) - ${freshness}`)

const enoughOfEach = (selects: string[]) => selects.map((select) => `(${select} limit :enough)`).join(' union ')

const candidates: Record<Narrowing, string> = {
  environment: ofIndex(ordered.environment),
  grants: `select g.agent_id from agent_grants g
    where g.tenant_id = :tenantId and g.user_id = :userId and g.agent_id < :before
    order by g.agent_id desc`,
  status: ofIndex(ordered.status),
  lifecycle_status: ofIndex(ordered.lifecycle_status),
  source: ofIndex(ordered.source),
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
}
