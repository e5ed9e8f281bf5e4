import type { Member } from '../../authz/actor.ts'
import { boundEnvironment, isBoundKey } from '../../authz/can.ts'
import type { Tx } from '../../db/database.ts'
import { forbidden, invalid, notFound } from '../../refusal.ts'
import { holdEnvironment, holdPolicy } from './queries.ts'

/**
 * The environment that something new goes into: the one named, or the key's when none is.
 * @throws 403 for another environment than the key's, 404 for one that a scoped caller has no access to, 400 for an unknown
 *   one and for none
 */
export async function placeInEnvironment(tx: Tx, actor: Member, named: string | undefined) {
  const bound = boundEnvironment(actor)
  if (bound !== null && named !== undefined && named !== bound) {
    throw forbidden('an API key bound to an environment works in its own environment only')
  }
  const id = bound ?? named
  if (id === undefined) throw invalid('environment_id is required')
  const environment = await holdEnvironment(tx, actor, id)
  if (environment) return environment
  throw actor.accessScope === 'scoped' || isBoundKey(actor)
    ? notFound('environment')
    : invalid('environment_id names no environment')
}

/**
 * A policy that may govern an agent of an environment; null stands for an agent of a connected platform, which has none.
 * @throws 404 for a policy the caller cannot see, 400 for one of another environment
 */
export async function requireAssignablePolicy(tx: Tx, actor: Member, policyId: string, environmentId: string | null) {
  const policy = await holdPolicy(tx, actor, policyId)
  if (!policy) throw notFound('policy')
  if (environmentId !== null && policy.environment_id !== null && policy.environment_id !== environmentId) {
    throw invalid('policy_id names a policy of another environment')
  }
  return policy
}
