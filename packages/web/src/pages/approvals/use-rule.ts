import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import type { Approval } from './queries.ts'

/** The rule that held the call, from the policy version that the edge named. Undefined if the reader cannot read it. */
export function useRule({ policy_id, policy_version, rule_id }: Approval) {
  const { data: version, isLoading } = useQuery({
    ...read('getPolicyVersion', { path: { policy_id, version: policy_version } }),
    // A saved version never changes.
    staleTime: Number.POSITIVE_INFINITY,
  })
  return { version, rule: version?.snapshot.rules.find(({ id }) => id === rule_id), isLoading }
}
