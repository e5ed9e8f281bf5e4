import type { Member } from '../../authz/actor.ts'
import { authority, boundKeyOwnerText, hasAuthority, isBoundKey, requireMayMakeOwner } from '../../authz/can.ts'
import { coded, conflict, forbidden, invalid } from '../../refusal.ts'
import type { UserRow } from './wire-user.ts'

/** What the rules look at in a user who is acted on. */
export type Target = Pick<UserRow, 'id' | 'role' | 'status' | 'academy_only'>

/** A change as it was sent: `sendsRole` is true whatever `role` holds, so that who may not send one hears that first. */
export interface SentChange {
  sendsRole: boolean
  role?: unknown
}

export const boundKeyMakesOwnerText = 'an API key bound to an environment cannot make anyone an owner'

/** The 403 of a change that can be told without looking at the user. */
export function requireMayAskForChange(actor: Member, userId: string, { sendsRole }: SentChange): void {
  const isOther = userId !== actor.userId
  if (actor.academyOnly && (isOther || sendsRole)) throw coded('academy_only_account')
  if (hasAuthority(actor, 'manager')) return
  if (sendsRole) throw forbidden('only a manager or an owner changes roles')
  if (isOther) throw forbidden('only a manager or an owner changes another user')
}

/** The 403 of a change to this user, for whoever passed `requireMayAskForChange`. */
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

/** A learner keeps `viewer`; a learner's row that holds another role may be put right. */
export function requireLearnerStaysViewer(target: Target, role: string | undefined): void {
  if (target.academy_only && role !== undefined && role !== 'viewer') throw coded('academy_only_user')
}

/** An owner who can act as one: a pending invitation is not an owner, nor is a learner's row whatever it holds. */
export function isOwner({ role, status, academy_only }: Target): boolean {
  return role === 'owner' && status === 'active' && !academy_only
}

/** Whether the tenant would be left without an owner if `target` stopped being one. `users` holds every owner. */
export function isLastOwner(users: readonly Target[], target: Target): boolean {
  return isOwner(target) && !users.some((user) => user.id !== target.id && isOwner(user))
}

/**
 * Refuses a caller whose role is not what it was when the request was let in: of two who take the role from one another,
 * the second acts on what is no longer so.
 */
export function requireSameAuthority(actor: Member, stored: Target | undefined): void {
  const same = stored?.status === 'active' && stored.role === actor.role && stored.academy_only === actor.academyOnly
  if (!same) throw conflict('your role was changed while the request was on its way; try again')
}

/** Leaving is another endpoint, with rules of its own. */
export function requireNotOneself(actor: Member, userId: string): void {
  if (userId === actor.userId) throw invalid('you cannot remove yourself; leave the organization instead')
}

/** The 403 of an MFA reset that can be told without looking at the user. */
export function requireMayAskForMfaReset(actor: Member, userId: string): void {
  if (!hasAuthority(actor, 'manager')) throw forbidden('only a manager or an owner resets MFA')
  if (userId === actor.userId) throw forbidden('you cannot reset your own MFA')
}

/** Below an owner's authority, the MFA of members and viewers only. */
export function requireMayResetMfa(actor: Member, target: Target): void {
  if (authority(actor) === 'owner' || (target.role !== 'manager' && target.role !== 'owner')) return
  throw forbidden(isBoundKey(actor) ? boundKeyOwnerText : 'only an owner resets the MFA of a manager or an owner')
}
