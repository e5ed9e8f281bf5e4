import type { Member } from '../../authz/actor.ts'
import { authority, boundKeyOwnerText, hasAuthority, isBoundKey, requireMayMakeOwner } from '../../authz/can.ts'
import { coded, conflict, forbidden, invalid } from '../../refusal.ts'
import type { UserRow } from './wire-user.ts'

/** The columns of the affected user that the rules use. */
export type Target = Pick<UserRow, 'id' | 'role' | 'status' | 'academy_only'>

/**
 * The change that the request asks for. `sendsRole` is true even if `role` is invalid, because the 403 for callers who may not
 * send a role comes before the 400 for an invalid role.
 */
export interface SentChange {
  sendsRole: boolean
  role?: unknown
}

export const boundKeyMakesOwnerText = 'an API key bound to an environment cannot make anyone an owner'

/** @throws 403 for changes that are refused without reading the user */
export function requireMayAskForChange(actor: Member, userId: string, { sendsRole }: SentChange): void {
  const isOther = userId !== actor.userId
  if (actor.academyOnly && (isOther || sendsRole)) throw coded('academy_only_account')
  if (hasAuthority(actor, 'manager')) return
  if (sendsRole) throw forbidden('only a manager or an owner may change roles')
  if (isOther) throw forbidden('only a manager or an owner may change another user')
}

/** @throws 403 for a change of this user. The caller has passed `requireMayAskForChange`. */
export function requireMayChange(actor: Member, target: Target, { sendsRole, role }: SentChange): void {
  if (role === 'owner' && target.role !== 'owner' && authority(actor) === 'owner') requireMayMakeOwner(actor)
  if (authority(actor) === 'owner') return
  if (target.role === 'owner' && (sendsRole || target.id !== actor.userId)) {
    throw forbidden(isBoundKey(actor) ? boundKeyOwnerText : 'a manager cannot change an owner')
  }
  if (role === 'owner') {
    throw forbidden(isBoundKey(actor) ? boundKeyMakesOwnerText : 'a manager cannot make anyone an owner')
  }
}

/** A learner's role must be `viewer`. If a learner is stored with another role, the role may be changed to `viewer`. */
export function requireLearnerStaysViewer(target: Target, role: string | undefined): void {
  if (target.academy_only && role !== undefined && role !== 'viewer') throw coded('academy_only_user')
}

/**
 * True if the user is an owner and can act as one. Pending invitations and learners cannot act as an owner, also if their stored
 * role is owner.
 */
export function isOwner({ role, status, academy_only }: Target): boolean {
  return role === 'owner' && status === 'active' && !academy_only
}

/** True if the tenant would have no owner without `target`. `users` must contain all owners. */
export function isLastOwner(users: readonly Target[], target: Target): boolean {
  return isOwner(target) && !users.some((user) => user.id !== target.id && isOwner(user))
}

/**
 * Refuses a caller whose role has changed since the start of the request. Without this check two owners could remove each other's
 * role at the same time.
 * @throws 409
 */
export function requireSameAuthority(actor: Member, stored: Target | undefined): void {
  const same = stored?.status === 'active' && stored.role === actor.role && stored.academy_only === actor.academyOnly
  if (!same) throw conflict('your role was changed during the request; try again')
}

/** Callers cannot remove themselves here. They leave the tenant through another endpoint, which has its own rules. */
export function requireNotOneself(actor: Member, userId: string): void {
  if (userId === actor.userId) throw invalid('you cannot remove yourself; leave the organization instead')
}

/** @throws 403 for MFA resets that are refused without reading the user */
export function requireMayAskForMfaReset(actor: Member, userId: string): void {
  if (!hasAuthority(actor, 'manager')) throw forbidden('only a manager or an owner resets MFA')
  if (userId === actor.userId) throw forbidden('you cannot reset your own MFA')
}

/** Callers below owner may only reset the MFA of members and viewers. */
export function requireMayResetMfa(actor: Member, target: Target): void {
  if (authority(actor) === 'owner' || (target.role !== 'manager' && target.role !== 'owner')) return
  throw forbidden(isBoundKey(actor) ? boundKeyOwnerText : 'only an owner may reset the MFA of a manager or an owner')
}
