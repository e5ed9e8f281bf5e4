import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { type Filter, ofLink } from '../../ui/filters/filters.ts'
import { periods } from './words.ts'

const kinds = [
  { value: 'agent.*', text: 'agents' },
  { value: 'policy.*', text: 'policies' },
  { value: 'review.*', text: 'reviews' },
  { value: 'approval.*', text: 'approvals' },
  { value: 'finding.*', text: 'findings' },
  { value: 'freeze.*', text: 'freezes' },
  { value: 'delegation.*', text: 'delegations' },
  { value: 'user.*', text: 'people' },
  { value: 'api_key.*', text: 'API keys' },
  { value: 'edge.*', text: 'edges' },
  { value: 'environment.*', text: 'environments' },
  { value: 'credential.*', text: 'credentials' },
  { value: 'tool.*', text: 'tools' },
  { value: 'platform.*', text: 'platforms' },
  { value: 'report.*', text: 'reports' },
  { value: 'tenant.*', text: 'the organization' },
]

/** The filters of the trail: what can be chosen, and what a link has chosen. */
export function useChips(names: Readonly<Record<string, string>>): Filter[] {
  const search = useSearch({ from: '/inside/audit' })
  const { data: people } = useQuery(
    read('listUsers', { query: { status: 'active', limit: 200, sort_by: 'name', sort_order: 'asc' } }),
  )
  const persons = people?.data.map(({ id, display_name, email }) => ({ value: id, text: display_name || email })) ?? []
  return [
    { name: 'event_type', label: 'Event', value: search.event_type, options: kinds },
    { name: 'actor_id', label: 'Person', value: search.actor_id, options: persons },
    { name: 'since', label: 'Since', value: search.since, options: periods },
    ...ofLink('agent_id', 'Agent', search.agent_id, names),
    ...ofLink('resource_type', 'Kind', search.resource_type, {}),
    ...ofLink('resource_id', 'Object', search.resource_id, names),
  ]
}
