import { atLeast, type Role } from '@mandate/contract/roles'
import { forbidden, type Refusal } from '../refusal.ts'
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
  const refusal = ownerRefusal(actor, text)
  if (refusal) throw refusal
}

/** Throws 403 if the actor has less authority than `floor`. To require an owner, use `requireOwner`. */
export function requireAuthority(actor: Member, floor: 'member' | 'manager', text?: string): void {
  if (!hasAuthority(actor, floor)) throw forbidden(text ?? `only a ${floor} or above may do this`)
}

/**
 * Throws 403 for an API key that is limited by scopes. If such a key could make a user an owner, that user could do more than
 * the key may do.
 */
export function requireMayMakeOwner(actor: Member): void {
  if (actor.key && !scopesWithin([], actor.key.scopes)) {
    throw forbidden('an API key limited by scopes cannot make anyone an owner')
  }
}
