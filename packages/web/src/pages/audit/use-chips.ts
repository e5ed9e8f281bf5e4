import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { type Filter, ofLink } from '../../ui/filters/filters.ts'
import { periodFilter, personsOf } from './words.ts'

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

/** The filters of the trail: what can be chosen, and what a link has chosen. `names` has names that the entries have, by id. */
export function useChips(names: Readonly<Record<string, string>>): Filter[] {
  const search = useSearch({ from: '/inside/audit' })
  const { data: people } = useQuery(
    read('listUsers', { query: { status: 'active', limit: 200, sort_by: 'name', sort_order: 'asc' } }),
  )
  // Only the trail still knows people who were removed. It tells nothing about them to readers who may not see such entries.
  const { data: removals } = useQuery(read('listAuditEntries', { query: { event_type: 'user.removed', limit: 200 } }))
  const persons = personsOf(people?.data ?? [], removals?.data ?? [], search.actor_id, names)
  return [
    { name: 'event_type', label: 'Event', value: search.event_type, options: kinds },
    { name: 'actor_id', label: 'Person', value: search.actor_id, options: persons },
    periodFilter(search),
    ...ofLink('agent_id', 'Agent', search.agent_id, names),
    ...ofLink('resource_type', 'Kind', search.resource_type, {}),
    ...ofLink('resource_id', 'Object', search.resource_id, names),
  ]
}
