import type { AccessScope, Role } from '@mandate/contract/roles'
import type { Member } from '../../authz/actor.ts'
import { boundEnvironment, hasAuthority, isBoundKey } from '../../authz/can.ts'
import { scopesWithin } from '../../authz/scopes.ts'
import { forbidden } from '../../refusal.ts'

/** Filters that select the keys that an actor sees. A filter that is null does not apply. */
export interface KeysSeen {
  createdBy: string | null
  environmentId: string | null
}

/**
 * Owners and managers see all keys, other users only their own. If such a user calls with an environment-bound key, they see only
 * their keys of that environment.
 */
export function keysSeenBy(actor: Member): KeysSeen {
  return {
    createdBy: hasAuthority(actor, 'manager') ? null : actor.userId,
    environmentId: boundEnvironment(actor),
  }
}

/** @throws 403 for viewers, who may only list keys */
export function requireMayManageKeys(actor: Member): void {
  if (!hasAuthority(actor, 'member')) throw forbidden('viewers cannot create, change or revoke API keys')
}

/**
 * @throws 403 unless the actor may create a key for `environmentId`; null means tenant-wide. Does not check that the environment
 *   exists.
 */
export function requireMayMakeKeyFor(actor: Member, environmentId: string | null): void {
  if (isBoundKey(actor) && environmentId !== boundEnvironment(actor)) {
    throw forbidden('an API key bound to an environment can only create keys bound to its own environment')
  }
  requireMayHaveReach(actor, environmentId)
}

/** @throws 403 unless the actor may bind a key to `environmentId`; null makes it tenant-wide */
export function requireMayBindTo(actor: Member, environmentId: string | null): void {
  requireMayBindKeys(actor)
  requireMayHaveReach(actor, environmentId)
}

/** @throws 403 for viewers and for environment-bound keys, even if the key asks for its own environment */
export function requireMayBindKeys(actor: Member): void {
  requireMayManageKeys(actor)
  if (isBoundKey(actor)) {
    throw forbidden('an API key bound to an environment cannot change the environment of any key')
  }
}

function requireMayHaveReach(actor: Member, environmentId: string | null): void {
  if (environmentId === null && actor.accessScope !== 'all') {
    throw forbidden('only a user with access to the whole organization may make a key tenant-wide')
  }
}

/** @throws 403 if the new key would have scopes that the caller's own API key does not have */
export function requireScopesWithinOwn(
  actor: Member,
  scopes: readonly string[],
  text = 'a key created through an API key cannot have scopes that this API key does not have',
): void {
  if (actor.key && !scopesWithin(scopes, actor.key.scopes)) throw forbidden(text)
}

/** @throws 403 if the new key would expire later than the caller's own API key. Times are ISO 8601 in UTC; null means never. */
export function requireExpiryWithinOwn(
  ownExpiry: string | null,
  expiresAt: string | null,
  text = 'a key created through an expiring API key cannot expire after this API key',
): void {
  if (ownExpiry !== null && (expiresAt === null || Date.parse(expiresAt) > Date.parse(ownExpiry))) throw forbidden(text)
}

/**
 * What determines the rights of an API key: its environment, its scopes, and the current role and access scope of its creator.
 */
export interface KeyPower {
  environment_id: string | null
  scopes: readonly string[]
  creator: { id: string; role: Role; accessScope: AccessScope }
}

/**
 * Checks that the actor may bind `key` to `environmentId`, or make it tenant-wide if `environmentId` is null. Anyone may bind a
 * tenant-wide key to an environment, because the key then works in fewer environments. Any other change needs a role and an
 * access scope that are at least as high as those of the key's creator. If the actor calls through an API key, this API key
 * must also have all scopes of `key`. Returns true if the change lets `key` work in an environment where it did not work
 * before.
 * @throws 403
 */
export function requireMayGiveReach(actor: Member, key: KeyPower, environmentId: string | null): boolean {
  if (key.environment_id === null || key.environment_id === environmentId) return false
  requireScopesWithinOwn(actor, key.scopes, 'an API key cannot change the environment of a key with wider scopes')
  if (key.creator.id === actor.userId) return true
  if (!hasAuthority(actor, key.creator.role)) {
    throw forbidden(
      `this key acts with the role ${key.creator.role}; only a user with this role or a higher role may change its environment`,
    )
  }
  if (actor.accessScope !== 'all' && key.creator.accessScope === 'all') {
    throw forbidden(
      'the creator of this key has access to the whole organization; only a user with the same access may change the environment of the key',
    )
  }
  return true
}
