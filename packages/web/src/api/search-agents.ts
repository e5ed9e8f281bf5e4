import type { Schema } from '@mandate/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { read } from './queries.ts'

interface SearchOptions {
  most: number
  /** Without it, the newest come first. */
  sort?: 'name'
  enabled?: boolean
}

/** Finds agents by a part of their names, governed ones first, then discovered ones. Without a text: the newest. */
export function useAgentSearch(text: string, { most, sort, enabled = true }: SearchOptions) {
  const search = { ...(sort && { sort }), ...(text !== '' && { search: text }) }
  const options = { enabled, placeholderData: keepPreviousData }
  const governed = useQuery({ ...read('listAgents', { query: { ...search, page_size: most } }), ...options })
  const discovered = useQuery({
    ...read('listAgents', { query: { ...search, page_size: most, governance_state: 'discovered' } }),
    ...options,
  })
  const all: Schema<'Agent'>[] = [...(governed.data?.data ?? []), ...(discovered.data?.data ?? [])]
  return {
    agents: all.slice(0, most),
    error: governed.error ?? discovered.error,
    isLoading: governed.isLoading || discovered.isLoading,
  }
}
