import type { Member } from '../../../authz/actor.ts'
import type { Tx } from '../../../db/database.ts'
import { invalid, notFound } from '../../../refusal.ts'
import { lockPolicyForShare } from '../queries.ts'

/**
 * Returns the policy if it may be assigned to an agent of this environment. An agent of a connected platform has no
 * environment: pass null.
 * @throws 404 for a policy that the caller cannot see, 400 for a policy that belongs to a different environment
 */
export async function requireAssignablePolicy(tx: Tx, actor: Member, policyId: string, environmentId: string | null) {
  const policy = await lockPolicyForShare(tx, actor, policyId)
  if (!policy) throw notFound('policy')
  if (environmentId !== null && policy.environment_id !== null && policy.environment_id !== environmentId) {
    throw invalid('policy_id: the policy and the agent belong to different environments')
  }
  return policy
}
