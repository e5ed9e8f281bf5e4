import type { AccessScope, Role } from '@mandate/contract/roles'
import type { Member } from '../../authz/actor.ts'
import { boundEnvironment, hasAuthority, isBoundKey } from '../../authz/can.ts'
import { scopesWithin } from '../../authz/scopes.ts'
import { forbidden } from '../../refusal.ts'

/** Which keys an actor sees; null leaves that side open. */
export interface KeysSeen {
  createdBy: string | null
  environmentId: string | null
}

/** Owners and managers see every key, others their own; an environment-bound key of those only its environment's. */
export function keysSeenBy(actor: Member): KeysSeen {
  return {
    createdBy: hasAuthority(actor, 'manager') ? null : actor.userId,
    environmentId: boundEnvironment(actor),
  }
}

/** 403 for viewers, who list keys and do nothing else with them. */
export function requireMayManageKeys(actor: Member): void {
  if (!hasAuthority(actor, 'member')) throw forbidden('viewers cannot create, change or revoke API keys')
}

/** 403 unless the actor may make a key for `environmentId`; null is tenant-wide. Whether it exists is asked elsewhere. */
export function requireMayMakeKeyFor(actor: Member, environmentId: string | null): void {
  if (isBoundKey(actor) && environmentId !== boundEnvironment(actor)) {
    throw forbidden('an API key bound to an environment creates only keys bound to its own environment')
  }
  requireMayHaveReach(actor, environmentId)
}

/** 403 unless the actor may bind a key to `environmentId`; null makes it tenant-wide. */
export function requireMayBindTo(actor: Member, environmentId: string | null): void {
  requireMayBindKeys(actor)
  requireMayHaveReach(actor, environmentId)
}

/** 403 for viewers and for every environment-bound key, its own binding included. */
export function requireMayBindKeys(actor: Member): void {
  requireMayManageKeys(actor)
  if (isBoundKey(actor)) {
    throw forbidden('an API key bound to an environment cannot change the environment of any key')
  }
}

function requireMayHaveReach(actor: Member, environmentId: string | null): void {
  if (environmentId === null && actor.accessScope !== 'all') {
    throw forbidden('only a user with access to the whole organization makes a key tenant-wide')
  }
}

/** 403 when the key would be allowed more than the key it is made through. */
export function requireScopesWithinOwn(
  actor: Member,
  scopes: readonly string[],
  text = 'a key made through an API key cannot have wider scopes than it',
): void {
  if (actor.key && !scopesWithin(scopes, actor.key.scopes)) throw forbidden(text)
}

/** 403 when the key would outlive the key it is made through. Times are ISO 8601 in UTC; null is never. */
export function requireExpiryWithinOwn(
  ownExpiry: string | null,
  expiresAt: string | null,
  text = 'a key made through an expiring API key cannot outlive it',
): void {
  if (ownExpiry !== null && (expiresAt === null || Date.parse(expiresAt) > Date.parse(ownExpiry))) throw forbidden(text)
}

/** What a key may do, and for whom: its creator's role and access scope count as they are now. */
export interface KeyPower {
  environment_id: string | null
  scopes: readonly string[]
  creator: { id: string; role: Role; accessScope: AccessScope }
}

/**
 * 403 when binding `key` to `environmentId` (null: tenant-wide) gives its holder a reach that the actor may not give. A
 * tenant-wide key that is bound to an environment only loses reach. Any other change needs the rank and the access scope
 * of the key's creator and, through an API key, scopes at least as wide as those of the changed key. Returns whether the
 * change gives the key a reach that it does not have.
 */
export function requireMayGiveReach(actor: Member, key: KeyPower, environmentId: string | null): boolean {
  if (key.environment_id === null || key.environment_id === environmentId) return false
  requireScopesWithinOwn(actor, key.scopes, 'an API key cannot change the environment of a key with wider scopes')
  if (key.creator.id === actor.userId) return true
  if (!hasAuthority(actor, key.creator.role)) {
    throw forbidden(`this key acts with the role ${key.creator.role}; changing what it reaches needs that role`)
  }
  if (actor.accessScope !== 'all' && key.creator.accessScope === 'all') {
    throw forbidden('a caller who sees only part of the organization cannot change what a key of wider access reaches')
  }
  return true
}
