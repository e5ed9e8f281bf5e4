import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { exactTime } from '../../words/times.ts'

interface Linked {
  actor_id?: string | undefined
  resource_type?: string | undefined
  resource_id?: string | undefined
}

/**
 * The people whose names or addresses have a text, and those who were removed. Only the trail knows them, and it tells nothing to readers who may not
 * see such entries.
 */
export function usePeople(text = '') {
  const search = text === '' ? {} : { search: text }
  const { data: users } = useQuery({
    ...read('listUsers', { query: { ...search, status: 'active', limit: 200, sort_by: 'name', sort_order: 'asc' } }),
    placeholderData: keepPreviousData,
  })
  const { data } = useQuery(read('listAuditEntries', { query: { event_type: 'user.removed', limit: 200 } }))
  const removals = data?.data.filter(({ resource }) => resource.name.toLowerCase().includes(text.toLowerCase()))
  return { users, removals }
}

/**
 * The name of the person or of the object of a link to the trail, by its id. Entries name people by their address and approvals by their tool, which
 * says neither who it is nor which call it was.
 */
export function useObjectName({ actor_id, resource_type: type, resource_id: id = '' }: Linked): Record<string, string> {
  const ofPerson = usePersonName(actor_id ?? (type === 'user' ? id : ''))
  const { data: approval } = useQuery({
    ...read('getApproval', { path: { approval_id: id } }),
    enabled: type === 'approval' && id !== '',
  })
  if (type === 'approval' && approval) {
    const { agent_name: agent, tool, requested_at: at } = approval
    return { ...ofPerson, [id]: `call of ${agent}: ${tool}, ${exactTime(at)}` }
  }
  return ofPerson
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The name of a person. Reads a person of a large organization who is not in the list. */
function usePersonName(id: string): Record<string, string> {
  const { users, removals } = usePeople()
  const listed = users?.data.find((user) => user.id === id)
  const isUnlisted = users !== undefined && users.total > users.data.length && !listed
  const isRemoved = removals === undefined || removals.some(({ resource }) => resource.id === id)
  const { data: single } = useQuery({
    ...read('getUser', { path: { user_id: id } }),
    enabled: isUnlisted && !isRemoved && uuid.test(id),
  })
  const person = listed ?? single
  return person ? { [id]: person.display_name || person.email } : {}
}
