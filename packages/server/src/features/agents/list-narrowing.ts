import type { AgentFilters } from '@mandate/contract/agents'
import { sql as fragment, type RawBuilder } from 'kysely'
import { freshness, newestEvidence } from '../../agent-state/coverage.ts'
import type { Member } from '../../authz/actor.ts'
import { isBoundKey, seesWholeTenant } from '../../authz/can.ts'
import { anyLike } from '../../authz/sight.ts'
import { agentVisibleTo } from '../../authz/visibility.ts'
import { slot } from '../../db/shaped-statement.ts'

/** A reason for which agents of the tenant are left out of a list. */
export interface Narrowing {
  /** What it is, among all narrowings of all lists. */
  name: string
  /** A condition on a row `a` of agents, where an index has those it leaves in the order of the list. */
  ordered?: RawBuilder<unknown>
  /** A select of `agent_id` by index, of agents older than `before`. It misses no agent that is left, and may name others. */
  candidates: RawBuilder<unknown>
}

/** The cheapest to look up first. */
export function narrowingsOf(actor: Member, filters: AgentFilters): Narrowing[] {
  return [
    ...(seesWholeTenant(actor) ? [] : [inSight(actor)]),
    ...filteredColumns.filter((column) => filters[column] !== undefined).map(ofColumn),
    ...(filters.execution_coverage === undefined ? [] : [inState(filters.execution_coverage)]),
    ...(filters.search ? [named] : []),
  ]
}

/** Whether a list is a page of an index; else rows are passed over before a page is full. */
export function isPageOfIndex([first, ...more]: Narrowing[]): boolean {
  return more.length === 0 && (first === undefined || first.ordered !== undefined)
}

/** Columns of agents that a list is filtered by as they are. */
export const filteredColumns = ['status', 'lifecycle_status', 'source'] as const

const ofColumn = (column: (typeof filteredColumns)[number]): Narrowing =>
  ofIndex(column, fragment`a.${fragment.ref(column)} = ${slot(column)}`)

const ofIndex = (name: string, ordered: RawBuilder<unknown>): Narrowing => ({
  name,
  ordered,
  candidates: fragment`select a.id as agent_id from agents a
    where a.tenant_id = ${slot('tenantId')} and a.governance_state = ${slot('governance_state')} and ${ordered}
      and a.id < ${slot('before')}
    order by a.id desc`,
})

function inSight(actor: Member): Narrowing {
  if (actor.accessScope === 'all') return ofIndex('environment', agentVisibleTo(anyLike(actor), 'a'))
  return {
    name: isBoundKey(actor) ? 'grants and environment' : 'grants',
    candidates: fragment`select g.agent_id from agent_grants g
      where g.tenant_id = ${slot('tenantId')} and g.user_id = ${slot('userId')} and g.agent_id < ${slot('before')}
      order by g.agent_id desc`,
  }
}

// Sees the tenant by the setting that row-level security goes by.
const named: Narrowing = {
  name: 'search',
  candidates: fragment`
    select agent_id from agents_named_like(${slot('search')}::text, ${slot('before')}, ${slot('enough')}) agent_id`,
}

type CoverageState = NonNullable<AgentFilters['execution_coverage']>

const inState = (state: CoverageState): Narrowing => ({
  name: `execution_coverage ${state}`,
  candidates: coverageCandidates[state] ?? freshEvidence(state),
})

const newest = newestEvidence('v')

// Only one index has this order. Without it the planner may expect the first matches early and read the whole table for a rare state.
const evidenceThatShows = (shows: CoverageState, age = '') => fragment`select v.agent_id from agent_evidence v
  where v.tenant_id = ${slot('tenantId')} and ${fragment.raw(`v.shows = '${shows}' ${age}`)} and v.agent_id < ${slot('before')}
  order by ${fragment.raw(newest)}`

const freshEvidence = (shows: CoverageState) =>
  evidenceThatShows(shows, `and ${newest} >= (select now from q) - ${freshness}`)

const staleEvidence = (shows: CoverageState) =>
  evidenceThatShows(shows, `and ${newest} < (select now from q) - ${freshness}`)

const enoughOfEach = (selects: RawBuilder<unknown>[]) =>
  fragment.join(
    selects.map((select) => fragment`(${select} limit ${slot('enough')})`),
    fragment` union `,
  )

/** Where the state is not what fresh evidence shows by itself. */
const coverageCandidates: Partial<Record<CoverageState, RawBuilder<unknown>>> = {
  stale: enoughOfEach((['claimed', 'observed', 'covered', 'partial'] as const).map(staleEvidence)),
  partial: enoughOfEach([
    freshEvidence('partial'),
    fragment`select f.agent_id from findings f
      where f.tenant_id = ${slot('tenantId')} and f.status = 'open' and f.type = 'coverage_gap' and f.agent_id < ${slot('before')}
      order by f.agent_id desc`,
  ]),
  unknown: enoughOfEach([
    evidenceThatShows('unknown'),
    fragment`select a.id as agent_id from agents a
      where a.tenant_id = ${slot('tenantId')} and not a.has_evidence and a.id < ${slot('before')}
      order by a.id desc`,
  ]),
}
