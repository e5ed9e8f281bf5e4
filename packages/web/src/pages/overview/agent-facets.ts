import type { Answer } from '@mandate/sdk'

/** The counts of the list of agents. The overview shows the same numbers, because its links open that list. */
export type AgentFacets = Answer<'getAgentFacets'>

/** A facet as an object. A value that no agent has is left out. */
export const countsOf = (facet: AgentFacets['drift']): Record<string, number> =>
  Object.fromEntries(facet.map(({ key, count }) => [key, count]))

export const governedOf = ({ governance_state }: AgentFacets) => countsOf(governance_state).governed ?? 0
