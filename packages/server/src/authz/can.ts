import { atLeast, type Role } from '@mandate/contract/words/roles'
import { forbidden, type Refusal, throwIfRefused } from '../refusal.ts'
import type { Member } from './actor.ts'
import { scopesWithin } from './scopes.ts'

/**
 * Returns the environment that an API key is bound to. Null for a person, and for a key that is valid in the whole tenant.
 */
export function boundEnvironment(actor: Member): string | null {
  return actor.key?.environmentId ?? null
}

export function isBoundKey(actor: Member): boolean {
  return boundEnvironment(actor) !== null
}

/**
 * Returns the role that decides what the actor may do. If an owner's API key is bound to an environment, it has the authority
 * of a manager.
 */
export function authority(actor: Member): Role {
  return actor.role === 'owner' && isBoundKey(actor) ? 'manager' : actor.role
}

export function hasAuthority(actor: Member, floor: Role): boolean {
  return atLeast(authority(actor), floor)
}

/**
 * True if the actor sees every agent and environment of the tenant. The actor's access scope must be `all`, and the actor must
 * not be an API key that is bound to an environment.
 */
export function seesWholeTenant(actor: Member): boolean {
  return actor.accessScope === 'all' && !isBoundKey(actor)
}

export const boundKeyOwnerText = 'an API key bound to an environment cannot take an action reserved for owners'

/**
 * Returns the 403 error for an actor that is not an owner, or undefined for an owner. An API key that is bound to an
 * environment always gets an error, with a different text.
 */
export function ownerRefusal(actor: Member, text: string): Refusal | undefined {
  if (isBoundKey(actor)) return forbidden(boundKeyOwnerText)
  return actor.role === 'owner' ? undefined : forbidden(text)
}

export function requireOwner(actor: Member, text = 'only an owner may do this'): void {
  throwIfRefused(ownerRefusal(actor, text))
}

/** Returns the 403 for an actor who may not say whether a user is read-only. */
export const readOnlyRefusal = (actor: Member): Refusal | undefined =>
  ownerRefusal(actor, 'only an owner may set or remove read_only')

/** Returns the 403 for an actor with less authority than `floor`. For an action of owners, use `ownerRefusal`. */
export function authorityRefusal(
  actor: Member,
  floor: 'member' | 'manager',
  text = `only a ${floor} or above may do this`,
): Refusal | undefined {
  return hasAuthority(actor, floor) ? undefined : forbidden(text)
}

/** Throws the 403 of `authorityRefusal`. To require an owner, use `requireOwner`. */
export function requireAuthority(actor: Member, floor: 'member' | 'manager', text?: string): void {
  throwIfRefused(authorityRefusal(actor, floor, text))
}

/**
 * Returns the 403 for an API key that is limited by scopes. If such a key could make a user an owner, that user could do more than
 * the key may do.
 */
export function makingOwnerRefusal(actor: Member): Refusal | undefined {
  if (!actor.key || scopesWithin([], actor.key.scopes)) return undefined
  return forbidden('an API key limited by scopes cannot make anyone an owner')
}
