import { isUuid } from '@mandate/contract/fields/is-uuid'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { exactTime } from '../../words/times.ts'

/** Names an approval, by its id, with the agent, the tool and the time of its call. Has no name if the reader sees no approval with this id. */
export function useApprovalName(id = ''): Record<string, string> {
  const { data } = useQuery({ ...read('getApproval', { path: { approval_id: id } }), enabled: isUuid(id) })
  return data ? { [id]: `call of ${data.agent_name}: ${data.tool}, ${exactTime(data.requested_at)}` } : {}
}
