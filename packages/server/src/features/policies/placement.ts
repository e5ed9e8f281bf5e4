import type { Member } from '../../authz/actor.ts'
import { boundEnvironment, seesWholeTenant } from '../../authz/can.ts'
import { forbidden } from '../../refusal.ts'

/**
 * Returns the environment of a new policy. This is `sent`, the environment in the request. If the request names none, it is the
 * environment that the caller's key is bound to, or null, which means all environments.
 * @throws the 403 of `requireMayPlace`
 */
export function placeNewPolicy(actor: Member, sent: string | null | undefined): string | null {
  const environmentId = sent === undefined ? boundEnvironment(actor) : sent
  requireMayPlace(actor, environmentId)
  return environmentId
}

/**
 * Checks whether the caller may save a policy for an environment. `requireEnvironment` checks whether the environment exists
 * and whether the caller has access to it.
 * @throws 403 if the caller's key is bound to another environment; 403 if the environment is null (all environments) and the
 *   caller does not see the whole tenant
 */
export function requireMayPlace(actor: Member, environmentId: string | null): void {
  const bound = boundEnvironment(actor)
  if (bound !== null && environmentId !== bound) {
    throw forbidden('an API key bound to an environment can only save policies of its own environment')
  }
  if (environmentId === null && !seesWholeTenant(actor)) throw forbidden(everywhereText)
}

export const everywhereText = 'only a user with access to the whole organization may save a policy for all environments'
export const outOfReachText = 'this policy belongs to an environment that you have no access to'
