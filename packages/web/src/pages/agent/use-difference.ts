import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import type { Agent } from './words.ts'

/** Reads how the running version of a policy differs from the approved version. `isComparable` is false if the two are not versions of one policy. */
export function useDifference({
  drift,
  approved_policy: approved,
  running_policy: running,
}: Pick<Agent, 'drift' | 'approved_policy' | 'running_policy'>) {
  const from = approved?.version ?? null
  const to = running?.version ?? null
  const isComparable = drift === true && approved?.id === running?.id && from !== null && to !== null && from !== to
  const { data, error } = useQuery({
    ...read('getPolicyVersion', {
      path: { policy_id: running?.id ?? '', version: to ?? 1 },
      query: { against: from ?? 1 },
    }),
    enabled: isComparable,
  })
  return { isComparable, from, to, data, error }
}
