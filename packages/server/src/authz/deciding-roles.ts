import type { Member } from './actor.ts'
import { hasAuthority, isBoundKey } from './can.ts'
import { scopesPermit } from './scopes.ts'

export type AssignedRole = 'manager' | 'owner'

/**
 * Returns the assigned roles of the approvals or reviews that the actor may resolve. An owner also resolves what is assigned to
 * managers. Empty for a read-only user, and for an API key whose scopes do not permit the request.
 */
export function decidingRoles(actor: Member, resource: 'approvals' | 'reviews'): AssignedRole[] {
  if (actor.readOnly || !hasAuthority(actor, 'manager')) return []
  if (actor.key && !scopesPermit(actor.key.scopes, resource, 'POST')) return []
  return isUnboundOwner(actor) ? ['manager', 'owner'] : ['manager']
}

/** An API key that is bound to an environment never has the authority of an owner. */
export const isUnboundOwner = (actor: Member): boolean => actor.role === 'owner' && !isBoundKey(actor)
