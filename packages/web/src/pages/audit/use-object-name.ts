import { isUuid } from '@mandate/contract/fields/is-uuid'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { hasText } from '../../ui/filters/filters.ts'
import { useApprovalName } from '../../ui/filters/use-approval-name.ts'

interface Linked {
  actor_id?: string | undefined
  resource_type?: string | undefined
  resource_id?: string | undefined
}

/**
 * Finds the active people whose name or address has the text, and the people who were removed. Only the audit trail knows removed people, and it
 * shows them only to readers who may see such entries.
 */
export function usePeople(text = '') {
  const search = text === '' ? {} : { search: text }
  const {
    data,
    error,
    isLoading,
    isPlaceholderData: isOld,
  } = useQuery({
    ...read('listUsers', { query: { ...search, status: 'active', limit: 200, sort_by: 'name', sort_order: 'asc' } }),
    placeholderData: keepPreviousData,
  })
  const removed = useQuery(read('listAuditEntries', { query: { event_type: 'user.removed', limit: 200 } }))
  return {
    // The people of the text before stay only if they have the text too.
    users: data?.data.filter((user) => !isOld || [user.display_name, user.email].some((one) => hasText(one, text))),
    total: data?.total,
    removals: removed.data?.data ?? (removed.isError ? [] : undefined),
    error,
    isLoading: isLoading || isOld,
  }
}

/**
 * The name of the person or of the object of a link to the trail, by its id. Entries name people by their address and approvals by their tool, which
 * says neither who it is nor which call it was. `names` has the names that the entries have. Undefined until the entries were read.
 */
export function useObjectName(
  { actor_id, resource_type: type, resource_id: id = '' }: Linked,
  names: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  const ofPerson = usePersonName(actor_id ?? (type === 'user' ? id : ''), names)
  return { ...ofPerson, ...useApprovalName(type === 'approval' ? id : undefined) }
}

/** The name of a person. Reads a person of a large organization who is neither in the list nor in the entries: a person who is gone cannot be read. */
function usePersonName(id: string, names: Readonly<Record<string, string>> | undefined): Record<string, string> {
  const { users, total = 0, removals } = usePeople()
  const listed = users?.find((user) => user.id === id)
  const isUnlisted = users !== undefined && total > users.length && !listed
  const isRemoved = removals === undefined || removals.some(({ resource }) => resource.id === id)
  const { data: single } = useQuery({
    ...read('getUser', { path: { user_id: id } }),
    enabled: isUnlisted && !isRemoved && names !== undefined && names[id] === undefined && isUuid(id),
  })
  const person = listed ?? single
  return person ? { [id]: person.display_name || person.email } : {}
}
