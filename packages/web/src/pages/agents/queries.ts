import type { Input, Schema } from '@mandate/sdk'
import { keepPreviousData } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'

export type Agent = Schema<'Agent'>
type Query = Input<'listAgents'>['query']
export type AgentSearch = Record<string, string | undefined>

const pageSize = 100

/** One page of the agents with these filters. The server says what is wrong with a value of the address that it does not know. */
export const agentsQuery = (search: AgentSearch, token: string | undefined) =>
  read('listAgents', { query: { ...agentsInput(search), page_token: token } as Query })

/** The filters and the order of the list, as the API takes them. */
export function agentsInput({ sort, ...filters }: AgentSearch) {
  const order = sort ?? (filters.governance_state === 'discovered' ? 'newest' : 'attention')
  return { ...filters, sort: order, include: ['activity', 'names'], page_size: pageSize } as NonNullable<Query>
}

/** How many agents have each value of each filter. */
export const facetsQuery = ({ sort: _, ...filters }: AgentSearch) => ({
  ...read('getAgentFacets', { query: filters as Input<'getAgentFacets'>['query'] }),
  placeholderData: keepPreviousData,
})
