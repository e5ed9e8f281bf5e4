import { isUuid } from '@mandate/contract/fields/is-uuid'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { exactTime } from '../../words/times.ts'

/** The name of an approval by its id: which call it was. Empty if the id is no approval that the reader sees. */
export function useApprovalName(id = ''): Record<string, string> {
  const { data } = useQuery({ ...read('getApproval', { path: { approval_id: id } }), enabled: isUuid(id) })
  return data ? { [id]: `call of ${data.agent_name}: ${data.tool}, ${exactTime(data.requested_at)}` } : {}
}
