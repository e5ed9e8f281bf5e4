import type { AccessScope, Role } from '@mandate/contract/words/roles'
import type { Member } from '../../authz/actor.ts'
import { boundEnvironment, hasAuthority, isBoundKey } from '../../authz/can.ts'
import type { Rule, Rules } from '../../authz/may.ts'
import { scopesWithin } from '../../authz/scopes.ts'
import { forbidden, invalid, type Refusal } from '../../refusal.ts'

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

/** Returns the 403 for viewers, who may only list keys. */
export function keyChangeRefusal(actor: Member): Refusal | undefined {
  return hasAuthority(actor, 'member') ? undefined : forbidden('viewers cannot create, change or revoke API keys')
}

/**
 * Returns the 403 for an actor who may not create a key for `environmentId`; null means tenant-wide. Does not check that the
 * environment exists.
 */
export function newKeyRefusal(actor: Member, environmentId: string | null): Refusal | undefined {
  if (isBoundKey(actor) && environmentId !== boundEnvironment(actor)) {
    return forbidden('an API key bound to an environment can only create keys bound to its own environment')
  }
  return tenantWideRefusal(actor, environmentId)
}

/** Returns the 403 for an actor who may not bind a key to `environmentId`; null makes it tenant-wide. */
export function bindToRefusal(actor: Member, environmentId: string | null): Refusal | undefined {
  return bindRequestRefusal(actor) ?? tenantWideRefusal(actor, environmentId)
}

/** Returns the 403 for viewers and for environment-bound keys, even if the key asks for its own environment. */
export function bindRequestRefusal(actor: Member): Refusal | undefined {
  const refusal = keyChangeRefusal(actor)
  if (refusal || !isBoundKey(actor)) return refusal
  return forbidden('an API key bound to an environment cannot change the environment of any key')
}

function tenantWideRefusal(actor: Member, environmentId: string | null): Refusal | undefined {
  if (environmentId !== null || actor.accessScope === 'all') return undefined
  return forbidden('only a user with access to the whole organization may make a key tenant-wide')
}

/** Returns the 403 for a new key with scopes that the caller's own API key does not have. */
export function scopesRefusal(
  actor: Member,
  scopes: readonly string[],
  text = 'a key created through an API key cannot have scopes that this API key does not have',
): Refusal | undefined {
  return actor.key && !scopesWithin(scopes, actor.key.scopes) ? forbidden(text) : undefined
}

/** Returns the 403 for a new key that expires later than the caller's own API key. Times are ISO 8601 in UTC; null means never. */
export function expiryRefusal(
  ownExpiry: string | null,
  expiresAt: string | null,
  text = 'a key created through an expiring API key cannot expire after this API key',
): Refusal | undefined {
  const isLater = ownExpiry !== null && (expiresAt === null || Date.parse(expiresAt) > Date.parse(ownExpiry))
  return isLater ? forbidden(text) : undefined
}

/**
 * What determines the rights of an API key: its environment, its scopes, and the current role and access scope of its creator.
 */
export interface KeyPower {
  environment_id: string | null
  scopes: readonly string[]
  creator: { id: string; role: Role; accessScope: AccessScope }
}

/** True if `key` could then work in an environment where it does not work now. Null means tenant-wide. */
function givesReach(key: Pick<KeyPower, 'environment_id'>, environmentId: string | null): boolean {
  return key.environment_id !== null && key.environment_id !== environmentId
}

/**
 * Returns the 403 for an actor who may not bind `key` to `environmentId`, or make it tenant-wide if `environmentId` is null. Anyone
 * may bind a tenant-wide key to an environment, because the key then works in fewer environments. Any other change needs a role and
 * an access scope that are at least as high as those of the key's creator. If the actor calls through an API key, this API key must
 * also have all scopes of `key`.
 */
export function reachRefusal(actor: Member, key: KeyPower, environmentId: string | null): Refusal | undefined {
  if (!givesReach(key, environmentId)) return undefined
  const { creator } = key
  const refusal = scopesRefusal(
    actor,
    key.scopes,
    'an API key cannot change the environment of a key with wider scopes',
  )
  if (refusal || creator.id === actor.userId) return refusal
  if (!hasAuthority(actor, creator.role)) {
    return forbidden(
      `this key acts with the role ${creator.role}; only a user with this role or a higher role may change its environment`,
    )
  }
  if (actor.accessScope === 'all' || creator.accessScope !== 'all') return undefined
  return forbidden(
    'the creator of this key has access to the whole organization; only a user with the same access may change the environment of the key',
  )
}

/** A stored key, with what decides who may change it. */
export interface KeyStanding extends KeyPower {
  expires_at: string | null
  revoked_at: string | null
  /** When the API key of the caller expires. Null if it never expires, and for a person. */
  ownExpiry: string | null
}

/**
 * Returns the error for an actor who sees the key and wants to bind it to `environmentId`: the 403 of `reachRefusal`, the 403 for an
 * API key that expires before the key to which it would give reach, or the 400 for a revoked key.
 */
export function rebindRefusal(actor: Member, key: KeyStanding, environmentId: string | null): Refusal | undefined {
  const isRevoked = key.revoked_at !== null
  const refusal = reachRefusal(actor, key, environmentId)
  if (refusal) return refusal
  if (isRevoked) return invalid('a revoked API key cannot be changed')
  if (!givesReach(key, environmentId)) return undefined
  return expiryRefusal(
    key.ownExpiry,
    key.expires_at,
    'an expiring API key cannot change the environment of a key that expires later',
  )
}

/** Returns the 403 for a viewer, or the 400 for a key that is already revoked. */
export function revocationRefusal(actor: Member, { revoked_at }: Pick<KeyStanding, 'revoked_at'>): Refusal | undefined {
  return keyChangeRefusal(actor) ?? (revoked_at === null ? undefined : invalid('the API key is already revoked'))
}

// Not a UUID, so it never is the environment of a key.
const anotherEnvironment = 'another environment'

const binds =
  (environmentId: string | null): Rule<KeyStanding> =>
  (actor, key) =>
    bindToRefusal(actor, environmentId) ?? rebindRefusal(actor, key, environmentId)

/** The actions on a key. `bindApiKey` binds it to another environment, `bindApiKey:organization` makes it tenant-wide. */
export const keyRules: Rules<KeyStanding> = {
  bindApiKey: binds(anotherEnvironment),
  'bindApiKey:organization': binds(null),
  revokeApiKey: revocationRefusal,
}
