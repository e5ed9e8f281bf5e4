import {
  type AgentConditions,
  type AgentFacets,
  agentSources,
  agentStatuses,
  driftStates,
  type FacetCount,
  lifecycleStatuses,
} from '@mandate/contract/agents'
import type { Member } from '../../../authz/actor.ts'
import { seesWholeTenant } from '../../../authz/can.ts'
import { sightOf } from '../../../authz/sight.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { planOnce } from '../../../db/plan-once.ts'
import { lateBefore } from '../json/late-before.ts'
import { type Narrowing, narrowingsOf } from '../json/list-narrowing.ts'
import {
  type CountedRow,
  countedWhole,
  countSample,
  countStates,
  countValues,
  type Facet,
  type FacetInState,
  type FacetSearch,
  findFacetNames,
  type IndexedFacet,
  indexedFacets,
} from './facet-queries.ts'

const maxKeys = 50

const facetsInState = [
  'status',
  'source',
  'lifecycle_status',
  'execution_coverage_state',
  'environment_id',
  'policy_id',
  'owner_user_id',
  'drift',
  'framework',
  'heartbeat',
] as const satisfies FacetInState[]

/** The values of the facets with few values. The values of the others are those of the newest agents. */
const knownKeys: Partial<Record<FacetInState, readonly string[]>> = {
  status: agentStatuses,
  source: agentSources,
  lifecycle_status: lifecycleStatuses,
  drift: driftStates,
}

interface Counted {
  rows: CountedRow[]
  isPart: boolean
}

/**
 * Counts the agents of a list by the values of each filter. The counts of a facet ignore the filter of this facet. Each
 * statement reads a limited number of agents, as described in the contract.
 */
export function countFacets(ctx: Ctx<Member>, filters: AgentConditions): Promise<AgentFacets> {
  const search = { actor: ctx.actor, filters, now: ctx.now, lateBefore: lateBefore(ctx) }
  return ctx.services.db.transaction(ctx.actor.tenantId, async (tx) => {
    await planOnce(tx)
    const counted = await countInState(tx, search)
    const isWhole = seesWholeTenant(ctx.actor) && filtersOf(filters).length === 0
    const states = await countStates(tx, search, isWhole)
    const names = await findFacetNames(tx, idsIn(counted))
    const found = facetsInState.map((facet) => [facet, shown(counted[facet], names)])
    const byState = states.filter(({ count }) => count > 0)
    const governance_state = byState.map(({ state, count, is_part }) => itemOf(state, state, count, is_part))
    return { ...Object.fromEntries(found), governance_state: governance_state.sort(mostFirst) } as AgentFacets
  })
}

async function countInState(tx: Tx, search: FacetSearch): Promise<Record<FacetInState, Counted>> {
  const narrowings = [...narrowingsOf(sightOf(search.actor), search.filters), 'state'] as const
  const first = await wholeSample(tx, search, narrowings)
  const left = first && facetOf(first.narrowing)
  const second =
    left &&
    (await wholeSample(
      tx,
      search,
      narrowings.filter((one) => one !== first.narrowing),
    ))
  const part = first && (!left || second) ? undefined : await countSample(tx, search, 'state', true)
  const counted = {} as Record<FacetInState, Counted>
  for (const facet of facetsInState) {
    const whole = facet === left ? second : first
    const rows = (whole ?? part)?.rows.filter((row) => row.facet === facet) ?? []
    counted[facet] = whole ? { rows, isPart: false } : await countByIndex(tx, search, facet, rows)
  }
  return counted
}

/** Counts the agents of the first condition that at most 2,500 agents may match. Undefined if more agents match each of them. */
async function wholeSample(tx: Tx, search: FacetSearch, narrowings: readonly Narrowing[]) {
  for (const narrowing of narrowings) {
    const { named, rows } = await countSample(tx, search, narrowing, false)
    if (named <= countedWhole) return { narrowing, rows }
  }
  return undefined
}

/** Counts the values by an index if no other filter limits the list. Otherwise returns the counts of the newest agents. */
async function countByIndex(tx: Tx, search: FacetSearch, facet: FacetInState, rows: CountedRow[]): Promise<Counted> {
  const others = filtersOf(search.filters).filter((name) => name !== facet)
  if (others.length > 0 || !seesWholeTenant(search.actor) || !isIndexed(facet)) return { rows, isPart: true }
  const most = rows.toSorted((a, b) => b.count - a.count).slice(0, maxKeys)
  const keys = [...(knownKeys[facet] ?? most.map(({ key }) => key))]
  return { rows: await countValues(tx, search.filters.governance_state, facet, keys), isPart: false }
}

const isIndexed = (facet: FacetInState): facet is IndexedFacet => facet in indexedFacets

/** The facet whose filter is the narrowing; undefined for a condition that every facet has. */
function facetOf(narrowing: Narrowing): FacetInState | undefined {
  if (narrowing.startsWith('coverage ')) return 'execution_coverage_state'
  if (narrowing.startsWith('heartbeat ')) return 'heartbeat'
  if (narrowing === 'owner' || narrowing === 'no owner') return 'owner_user_id'
  return facetsInState.find((facet) => facet === narrowing)
}

/** The filters that the request has, by the names of their facets, and `search`. */
function filtersOf({ governance_state: _, execution_coverage, search, ...others }: AgentConditions) {
  const names: (Facet | 'search')[] = []
  for (const [name, value] of Object.entries(others)) if (value !== undefined) names.push(name as Facet)
  if (execution_coverage !== undefined) names.push('execution_coverage_state')
  if (search) names.push('search')
  return names
}

function idsIn(counted: Record<FacetInState, Counted>): string[] {
  const rows = (['environment_id', 'policy_id', 'owner_user_id'] as const).flatMap((facet) => counted[facet].rows)
  return rows.map(({ key }) => key).filter((key) => key !== 'none')
}

function shown({ rows, isPart }: Counted, names: ReadonlyMap<string, string>): FacetCount[] {
  const items = rows.map(({ key, count }) => itemOf(key, names.get(key) ?? key, count, isPart))
  return items.sort(mostFirst).slice(0, maxKeys)
}

const itemOf = (key: string, name: string, count: number, isPart: boolean): FacetCount => ({
  key,
  name,
  count,
  ...(isPart && { at_least: true as const }),
})

function mostFirst(a: FacetCount, b: FacetCount): number {
  return b.count - a.count || (a.name < b.name ? -1 : 1)
}
