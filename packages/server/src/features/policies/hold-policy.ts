import type { Member } from '../../authz/actor.ts'
import type { Tx } from '../../db/database.ts'
import { notFound } from '../../refusal.ts'
import { findPolicyHeld } from './queries.ts'

/**
 * A policy that an agent is about to be given: it stays as it is, and where it is, until the transaction ends.
 * @throws 404 for a policy the caller cannot see, exactly as for an unknown id
 */
export async function holdPolicy(tx: Tx, actor: Member, policyId: string) {
  const policy = await findPolicyHeld(tx, actor, policyId)
  if (!policy) throw notFound('policy')
  return policy
}
