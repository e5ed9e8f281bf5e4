import type { Member } from '../../authz/actor.ts'
import { boundEnvironment, seesWholeTenant } from '../../authz/can.ts'
import { forbidden } from '../../refusal.ts'

/**
 * Where a new policy belongs: `sent`, or the key's environment, or (null) every environment.
 * @throws 403 as `requireMayPlace`
 */
export function placeNewPolicy(actor: Member, sent: string | null | undefined): string | null {
  const environmentId = sent === undefined ? boundEnvironment(actor) : sent
  requireMayPlace(actor, environmentId)
  return environmentId
}

/**
 * Whether the caller may put a policy into an environment; that it exists, and that they work there, is asked of the
 * database.
 * @throws 403 for another environment than the key's, and for every environment (null) unless they see them all
 */
export function requireMayPlace(actor: Member, environmentId: string | null): void {
  const bound = boundEnvironment(actor)
  if (bound !== null && environmentId !== bound) {
    throw forbidden('an API key bound to an environment saves policies of its own environment only')
  }
  if (environmentId === null && !seesWholeTenant(actor)) throw forbidden(everywhereText)
}

export const everywhereText = 'only someone with access to the whole organization saves a policy of every environment'
export const outOfReachText = 'this policy belongs to an environment that you have no access to'
