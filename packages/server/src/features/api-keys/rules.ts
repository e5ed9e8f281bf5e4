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
export function requireScopesWithinOwn(actor: Member, scopes: readonly string[]): void {
  if (actor.key && !scopesWithin(scopes, actor.key.scopes)) {
    throw forbidden('a key made through an API key cannot have wider scopes than it')
  }
}

/** 403 when the key would outlive the key it is made through. Times are ISO 8601 in UTC; null is never. */
export function requireExpiryWithinOwn(ownExpiry: string | null, expiresAt: string | null): void {
  if (ownExpiry !== null && (expiresAt === null || Date.parse(expiresAt) > Date.parse(ownExpiry))) {
    throw forbidden('a key made through an expiring API key cannot outlive it')
  }
}
