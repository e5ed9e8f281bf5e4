import type { AgentFilters } from '@mandate/contract/agents'
import { sql as fragment, type RawBuilder } from 'kysely'
import type { Member } from '../../authz/actor.ts'
import { isBoundKey, seesWholeTenant } from '../../authz/can.ts'
import { anyLike } from '../../authz/sight.ts'
import { agentVisibleTo } from '../../authz/visibility.ts'
import { slot } from '../../db/shaped-statement.ts'
import { coverageEvidence, coverageState, evidenceShows, freshness, newestEvidence } from './coverage-state.ts'

/** One reason for which an agent of the tenant is left out of a list. */
export interface Narrowing {
  /** What it is, among all narrowings of all lists. */
  name: string
  /** Joined to a row `a` of agents for the condition, as the time of the request is, as `q`. */
  joined?: RawBuilder<unknown>
  /** A condition on a row `a` of agents and what is joined to it. */
  condition: RawBuilder<unknown>
  /** Whether an index has the agents it leaves, in the order of the list. */
  isOrdered: boolean
  /**
   * A select of `agent_id` by index, of agents older than `before`, of `enough` if there are more. It misses no agent that is left,
   * and may name others.
   */
  candidates(before: RawBuilder<string>, enough: RawBuilder<number>): RawBuilder<unknown>
}

/** Agents that a search by names may answer; the caller sees them by the setting that row-level security goes by. */
const named: Narrowing = {
  name: 'search',
  condition: fragment`strpos(lower(a.name), lower(${slot('search')}::text)) > 0`,
  isOrdered: false,
  candidates: (before, enough) => fragment`
    select agent_id from agents_named_like(${slot('search')}::text, ${before}, ${enough}) agent_id`,
}

const columns = ['status', 'lifecycle_status', 'source'] as const

const ofColumn = (column: (typeof columns)[number]): Narrowing => {
  const condition = fragment`a.${fragment.ref(column)} = ${slot(column)}`
  return { name: column, condition, isOrdered: true, candidates: agentsWhere(condition) }
}

/** The cheapest to look up first. */
export function narrowingsOf(actor: Member, filters: AgentFilters): Narrowing[] {
  return [
    ...(seesWholeTenant(actor) ? [] : [inSight(actor)]),
    ...columns.filter((column) => filters[column] !== undefined).map(ofColumn),
    ...(filters.execution_coverage === undefined ? [] : [inState(filters.execution_coverage)]),
    ...(filters.search ? [named] : []),
  ]
}

/** Whether a list is a page of an index; else rows are passed over before a page is full. */
export function isPageOfIndex([first, ...more]: Narrowing[]): boolean {
  return more.length === 0 && (first?.isOrdered ?? true)
}

function inSight(actor: Member): Narrowing {
  const condition = agentVisibleTo(anyLike(actor), 'a')
  if (actor.accessScope === 'all') {
    return { name: 'environment', condition, isOrdered: true, candidates: agentsWhere(condition) }
  }
  return {
    name: isBoundKey(actor) ? 'grants and environment' : 'grants',
    condition,
    isOrdered: false,
    candidates: (before, enough) => fragment`select g.agent_id from agent_grants g
      where g.tenant_id = ${slot('tenantId')} and g.user_id = ${slot('userId')} and g.agent_id < ${before}
      order by g.agent_id desc limit ${enough}`,
  }
}

function agentsWhere(condition: RawBuilder<unknown>): Narrowing['candidates'] {
  return (before, enough) => fragment`select a.id as agent_id from agents a
    where a.tenant_id = ${slot('tenantId')} and a.governance_state = ${slot('governance_state')} and ${condition}
      and a.id < ${before}
    order by a.id desc limit ${enough}`
}

type CoverageState = NonNullable<AgentFilters['execution_coverage']>

function inState(state: CoverageState): Narrowing {
  return {
    name: `execution_coverage ${state}`,
    joined: fragment.raw(coverageEvidence),
    condition: fragment`${fragment.raw(coverageState)} = ${slot('execution_coverage')}`,
    isOrdered: false,
    candidates: coverageCandidates[state] ?? fresh(state),
  }
}

const evidenceWhere =
  (shows: string, age: string): Narrowing['candidates'] =>
  (before, enough) =>
    fragment`select v.agent_id from agent_evidence v
    where v.tenant_id = ${slot('tenantId')} and ${fragment.raw(`${evidenceShows} ${shows} ${age}`)} and v.agent_id < ${before}
    limit ${enough}`

const isOlder = `and ${newestEvidence} < (select now from q) - ${freshness}`
const fresh = (shows: CoverageState) =>
  evidenceWhere(`= '${shows}'`, `and ${newestEvidence} >= (select now from q) - ${freshness}`)

const either =
  (one: Narrowing['candidates'], other: Narrowing['candidates']): Narrowing['candidates'] =>
  (before, enough) =>
    fragment`(${one(before, enough)}) union (${other(before, enough)}) limit ${enough}`

/** Where the state is not what fresh evidence shows by itself. */
const coverageCandidates: Partial<Record<CoverageState, Narrowing['candidates']>> = {
  stale: evidenceWhere("in ('claimed', 'observed', 'covered', 'partial')", isOlder),
  partial: either(
    fresh('partial'),
    (before, enough) => fragment`select f.agent_id from findings f
      where f.tenant_id = ${slot('tenantId')} and f.status = 'open' and f.type = 'coverage_gap' and f.agent_id < ${before}
      limit ${enough}`,
  ),
  unknown: either(
    evidenceWhere("= 'unknown'", ''),
    (before, enough) => fragment`select a.id as agent_id from agents a
      where a.tenant_id = ${slot('tenantId')} and not a.has_evidence and a.id < ${before}
      order by a.id desc limit ${enough}`,
  ),
}
