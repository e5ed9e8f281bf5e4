import type { Member } from '../../authz/actor.ts'
import { authority, boundKeyOwnerText, hasAuthority, isBoundKey, requireMayMakeOwner } from '../../authz/can.ts'
import { coded, conflict, forbidden, invalid } from '../../refusal.ts'
import type { UserRow } from './wire-user.ts'

/** The user whom a request wants to change, with the columns that the checks below read. */
export type Target = Pick<UserRow, 'id' | 'role' | 'status' | 'academy_only'>

/**
 * The change that the request asks for. `sendsRole` is true if the request contains `role`, even if its value is invalid. So a
 * caller who may not change roles always gets 403. The 403 takes precedence over the 400 for the value.
 */
export interface SentChange {
  sendsRole: boolean
  role?: unknown
}

export const boundKeyMakesOwnerText = 'an API key bound to an environment cannot make anyone an owner'

/** Checks the caller's own rights, before the user to be changed is read from the database. @throws 403 */
export function requireMayAskForChange(actor: Member, userId: string, { sendsRole }: SentChange): void {
  const isOther = userId !== actor.userId
  if (actor.academyOnly && (isOther || sendsRole)) throw coded('academy_only_account')
  if (hasAuthority(actor, 'manager')) return
  if (sendsRole) throw forbidden('only a manager or an owner may change roles')
  if (isOther) throw forbidden('only a manager or an owner may change another user')
}

/** Checks whether the actor may make a change to the user `target`. Call `requireMayAskForChange` first. @throws 403 */
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

/** A learner (a user of the training product only) can only have the role `viewer`. @throws 409 for any other new role */
export function requireLearnerStaysViewer(target: Target, role: string | undefined): void {
  if (target.academy_only && role !== undefined && role !== 'viewer') throw coded('academy_only_user')
}

/**
 * True if the user is an owner and can act as one. Pending invitations and learners (users of the training product only) cannot
 * act as an owner, even if their stored role is owner.
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

/** An action on another user's sign-in. All these actions have the same rule. The object has the texts of its refusals. */
interface SignInAction {
  notManager: string
  ownId: string
  notOwner: string
}

export const mfaReset: SignInAction = {
  notManager: 'only a manager or an owner may reset MFA',
  ownId: 'you cannot reset your own MFA',
  notOwner: 'only an owner may reset the MFA of a manager or an owner',
}

export const sessionRevocation: SignInAction = {
  notManager: 'only a manager or an owner may end the sessions of a user',
  ownId: 'you cannot end your own sessions here; use DELETE /auth/sessions/{session_id}',
  notOwner: 'only an owner may end the sessions of a manager or an owner',
}

/** Checks the caller's own rights. Runs before the user that the action is about is read from the database. @throws 403 */
export function requireMayAskForSignInAction(actor: Member, userId: string, action: SignInAction): void {
  if (!hasAuthority(actor, 'manager')) throw forbidden(action.notManager)
  if (userId === actor.userId) throw forbidden(action.ownId)
}

/** Checks whether the actor may do the action to the user `target`. @throws 403 */
export function requireMayActOnSignIn(actor: Member, target: Target, action: SignInAction): void {
  if (authority(actor) === 'owner' || (target.role !== 'manager' && target.role !== 'owner')) return
  throw forbidden(isBoundKey(actor) ? boundKeyOwnerText : action.notOwner)
}
