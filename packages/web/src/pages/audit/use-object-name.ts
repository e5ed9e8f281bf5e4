import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { exactTime } from '../../words/times.ts'

/**
 * The name of the object of a link to the trail, by its id. Entries name people by their address and approvals by their tool, which says neither
 * who it is nor which call it was.
 */
export function useObjectName(type: string | undefined, id = ''): Record<string, string> {
  const { data: people } = useQuery({
    ...read('listUsers', { query: { status: 'active', limit: 200, sort_by: 'name', sort_order: 'asc' } }),
    enabled: type === 'user',
  })
  const { data: approval } = useQuery({
    ...read('getApproval', { path: { approval_id: id } }),
    enabled: type === 'approval' && id !== '',
  })
  if (type === 'user') {
    const person = people?.data.find((user) => user.id === id)
    return person ? { [id]: person.display_name || person.email } : {}
  }
  if (type === 'approval' && approval) {
    const { agent_name: agent, tool, requested_at: at } = approval
    return { [id]: `call of ${agent}: ${tool}, ${exactTime(at)}` }
  }
  return {}
}
