import type { Schema } from '@mandate/sdk'
import type { StateLook } from '../../ui/page/state.tsx'
import { counted, numberOf } from '../../words/words.ts'

type Freeze = Schema<'Freeze'>

const most = 10_000

/** What a freeze stops, at the start of a sentence. */
export function frozenThing({ scope, name }: Pick<Freeze, 'scope' | 'name'>): string {
  if (scope === 'agent') return `The agent ${name}`
  return scope === 'environment' ? `The environment ${name}` : `The whole organization ${name}`
}

/** What a freeze covers, in a table. */
export function scopeText({ scope, name }: Pick<Freeze, 'scope' | 'name'>): string {
  return scope === 'organization' ? 'the whole organization' : `${scope} ${name}`
}

export function stateOf({ drill, active }: Pick<Freeze, 'drill' | 'active'>): StateLook {
  if (drill) return { glyph: 'clock', word: 'Drill', tone: 'quiet' }
  return active
    ? { glyph: 'frozen', word: 'Frozen', tone: 'deny' }
    : { glyph: 'approved', word: 'Lifted', tone: 'quiet' }
}

/** The person with this id. Null if it is not known who it was. */
export const personText = (userId: string | null, names: Readonly<Record<string, string>> | undefined) =>
  userId === null ? 'Not known' : (names?.[userId] ?? 'a removed user')

const isLifted = ({ drill, active }: Pick<Freeze, 'drill' | 'active'>) => !drill && !active

const coveredAgents = {
  agent: 'this agent',
  environment: 'an agent of this environment',
  organization: 'an agent',
} as const

/** Says what happens to an edge that starts during a freeze without edges. Empty for any other freeze. */
export const startingEdgeText = ({ edges, drill, active }: Pick<Freeze, 'edges' | 'drill' | 'active'>): string =>
  active && !drill && edges?.total === 0 ? 'If one starts, every call is denied' : ''

/** How many edges confirmed the freeze. They do not confirm its lift. Edges that the reader does not see are not counted. */
export function reachText(freeze: Pick<Freeze, 'edges' | 'drill' | 'active' | 'scope'>): string {
  const { edges, scope, active } = freeze
  if (edges === null) return 'The edges are not known to you'
  if (edges.total === 0) return `No edge ${active ? 'runs' : 'ran'} ${coveredAgents[scope]}`
  const reach = `${numberOf(edges.confirmed, most)} of ${counted(edges.total, '# edge', '# edges', most)}`
  return isLifted(freeze) ? `${reach} had confirmed the freeze` : `${reach} confirmed`
}

/**
 * What the active freezes reached, in a sentence. A count of 10,000 means "10,000 or more", so only `confirmed_all_at` says that every
 * edge confirmed. @param total the number of active freezes; more than `freezes` if not all were read
 */
export function confirmedText(
  freezes: readonly Pick<Freeze, 'edges' | 'confirmed_all_at'>[],
  total: number,
): string | undefined {
  if (total === 0) return undefined
  if (freezes.some(({ edges }) => edges && edges.confirmed < edges.total)) return 'Not every edge has confirmed.'
  const isKnown = (freeze: Pick<Freeze, 'edges' | 'confirmed_all_at'>) =>
    freeze.edges?.total === 0 || freeze.confirmed_all_at !== null
  if (freezes.length < total || !freezes.every(isKnown)) return 'It is not known whether every edge confirmed.'
  return freezes.some(({ edges }) => edges?.total !== 0) ? 'Every edge confirmed.' : 'No edge has to confirm.'
}

/** A count of edges in words. Without a state, the API lists no edges for it. */
interface EdgeCount {
  text: string
  state?: Schema<'FreezeEdge'>['state']
}

/** Which edges did not confirm the freeze. After the freeze, the API lists only edges that had confirmed. */
export function missingOf(freeze: Pick<Freeze, 'edges' | 'drill' | 'active'>): EdgeCount[] {
  if (freeze.edges === null) return []
  const { total, confirmed, unreachable } = freeze.edges
  if (isLifted(freeze))
    return total > confirmed
      ? [{ text: counted(total - confirmed, '# edge had not confirmed it', '# edges had not confirmed it', most) }]
      : []
  const waiting = total - confirmed - unreachable
  const counts: EdgeCount[] = []
  if (unreachable > 0)
    counts.push({
      text: counted(unreachable, '# edge does not answer', '# edges do not answer', most),
      state: 'unreachable',
    })
  if (waiting > 0)
    counts.push({
      text: counted(waiting, '# edge has not confirmed yet', '# edges have not confirmed yet', most),
      state: 'waiting',
    })
  return counts
}

/** The page that lists the agents of a freeze. */
export function agentsOf({
  scope,
  agent_id: agent,
  environment_id: environment,
}: Pick<Freeze, 'scope' | 'agent_id' | 'environment_id'>): { to: string; search?: Record<string, string> } {
  if (scope === 'agent' && agent !== null) return { to: `/agents/${agent}` }
  if (scope === 'environment' && environment !== null) return { to: '/agents', search: { environment_id: environment } }
  return { to: '/agents' }
}

export function agentsText(freeze: Pick<Freeze, 'agents' | 'drill' | 'active'>): string {
  const { agents, drill } = freeze
  if (agents === null) return 'Some of its agents are not visible to you'
  if (drill) return counted(agents, '# agent, nothing is stopped', '# agents, nothing is stopped', most)
  return isLifted(freeze)
    ? counted(agents, '# agent, every call was denied', '# agents, every call was denied', most)
    : counted(agents, '# agent, every call is denied', '# agents, every call is denied', most)
}
