import type { Input, Schema } from '@mandate/sdk'
import { keepPreviousData } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'

export type Agent = Schema<'Agent'>
export type AgentSearch = Record<string, string | undefined>

const pageSize = 100

/** One page of the agents with these filters. The server says what is wrong with a value of the address that it does not know. */
export function agentsQuery({ sort, ...filters }: AgentSearch, token: string | undefined) {
  const order = sort ?? (filters.governance_state === 'discovered' ? 'newest' : 'attention')
  const query = { ...filters, sort: order, include: ['activity', 'names'], page_size: pageSize, page_token: token }
  return read('listAgents', { query: query as Input<'listAgents'>['query'] })
}

/** How many agents have each value of each filter. */
export const facetsQuery = ({ sort: _, ...filters }: AgentSearch) => ({
  ...read('getAgentFacets', { query: filters as Input<'getAgentFacets'>['query'] }),
  placeholderData: keepPreviousData,
})
