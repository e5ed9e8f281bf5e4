import type { AccessScope } from '@mandate/contract/words/roles'
import type { Member } from '../../authz/actor.ts'
import { authorityRefusal, boundKeyOwnerText, isBoundKey, ownerRefusal, seesWholeTenant } from '../../authz/can.ts'
import { conflict, forbidden, invalid, type Refusal } from '../../refusal.ts'
import type { Target } from './rules.ts'

/** Returns the 403 that does not depend on the user whose grants and environment access the caller wants to change. */
export function accessChangeRequestRefusal(actor: Member): Refusal | undefined {
  return authorityRefusal(actor, 'manager', 'only a manager or an owner may change access')
}

/** Returns the 403 for a change of the grants or the environment access of this user. */
export function accessChangeRefusal(actor: Member, { role }: Pick<Target, 'role'>): Refusal | undefined {
  return role === 'owner' && isBoundKey(actor) ? forbidden(boundKeyOwnerText) : undefined
}

/** Returns the 403 that does not depend on the user. Only a caller who sees the whole tenant may give a user this access. */
export function accessScopeRequestRefusal(actor: Member, wanted?: AccessScope): Refusal | undefined {
  const refusal = authorityRefusal(actor, 'manager', 'only a manager or an owner may change an access scope')
  if (refusal || wanted !== 'all' || seesWholeTenant(actor)) return refusal
  return forbidden('a caller who sees only part of the organization cannot give access to all of it')
}

export function accessScopeRefusal(actor: Member, { role }: Pick<Target, 'role'>): Refusal | undefined {
  return role === 'owner' ? ownerRefusal(actor, "only an owner may change an owner's access scope") : undefined
}

/** Returns the 403 that does not depend on the user who would get platform access. */
export function platformRequestRefusal(actor: Member): Refusal | undefined {
  return authorityRefusal(actor, 'manager', 'only a manager or an owner may give platform access')
}

/** Returns the 400 for a user who is not a learner, and for a learner who has not accepted the invitation. */
export function learnerRefusal({ academy_only, status }: Pick<Target, 'academy_only' | 'status'>): Refusal | undefined {
  if (!academy_only) return invalid('this user already has platform access')
  return status === 'pending' ? invalid('this person has not accepted their invitation yet') : undefined
}

/** A learner may have the stored role of an owner. Giving platform access changes this role. */
export function heldRoleRefusal(actor: Member, { role }: Pick<Target, 'role'>): Refusal | undefined {
  return role === 'owner' ? ownerRefusal(actor, "only an owner may change an owner's role") : undefined
}

/**
 * Returns the 409 for a learner with the stored role of an owner, if the tenant has no other owner. The new role is never `owner`.
 */
export function ownerlessRefusal({ role }: Pick<Target, 'role'>, hasOwner: boolean): Refusal | undefined {
  if (role !== 'owner' || hasOwner) return undefined
  return conflict('the organization needs an owner; make another user an owner first')
}
