import { atLeast, type Role } from '@mandate/contract/roles'
import { forbidden, type Refusal } from '../refusal.ts'
import type { Member } from './actor.ts'
import { scopesWithin } from './scopes.ts'

/** The environment a bound key works in; null for a person and for a tenant-wide key. */
export function boundEnvironment(actor: Member): string | null {
  return actor.key?.environmentId ?? null
}

export function isBoundKey(actor: Member): boolean {
  return boundEnvironment(actor) !== null
}

/** The role the actor may use: an environment-bound key takes no action reserved for owners. */
export function authority(actor: Member): Role {
  return actor.role === 'owner' && isBoundKey(actor) ? 'manager' : actor.role
}

export function hasAuthority(actor: Member, floor: Role): boolean {
  return atLeast(authority(actor), floor)
}

/** Sees every agent and environment of the tenant: access scope `all`, and not through a bound key. */
export function seesWholeTenant(actor: Member): boolean {
  return actor.accessScope === 'all' && !isBoundKey(actor)
}

export const boundKeyOwnerText = 'an API key bound to an environment cannot take an action reserved for owners'

/** Refuses whoever is not an owner; an owner's bound key is told why. */
export function ownerRefusal(actor: Member, text: string): Refusal | undefined {
  if (isBoundKey(actor)) return forbidden(boundKeyOwnerText)
  return actor.role === 'owner' ? undefined : forbidden(text)
}

export function requireOwner(actor: Member, text = 'only an owner may do this'): void {
  const refusal = ownerRefusal(actor, text)
  if (refusal) throw refusal
}

/** Refuses whoever has less authority than `floor` (`owner`: see `requireOwner`). */
export function requireAuthority(actor: Member, floor: 'member' | 'manager', text?: string): void {
  if (!hasAuthority(actor, floor)) throw forbidden(text ?? `only a ${floor} or above may do this`)
}

/** 403 through a key whose scopes limit it: an owner may do everything, so whom it made one could do more than the key. */
export function requireMayMakeOwner(actor: Member): void {
  if (actor.key && !scopesWithin([], actor.key.scopes)) {
    throw forbidden('an API key limited by scopes cannot make anyone an owner')
  }
}
