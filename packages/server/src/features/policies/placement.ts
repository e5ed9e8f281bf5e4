import type { Member } from '../../authz/actor.ts'
import { boundEnvironment, seesWholeTenant } from '../../authz/can.ts'
import { forbidden } from '../../refusal.ts'

/**
 * Returns the environment of a new policy: `sent`, or else the key's environment, or else null, which means all environments.
 * @throws 403 as `requireMayPlace`
 */
export function placeNewPolicy(actor: Member, sent: string | null | undefined): string | null {
  const environmentId = sent === undefined ? boundEnvironment(actor) : sent
  requireMayPlace(actor, environmentId)
  return environmentId
}

/**
 * Checks whether the caller may put a policy into an environment. `requireEnvironment` checks that it exists and that the caller
 * works there.
 * @throws 403 if a bound key names another environment, and for all environments (null) unless the caller sees the whole tenant
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
