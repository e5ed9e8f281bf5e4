import type { Member } from '../../authz/actor.ts'
import {
  authority,
  boundKeyOwnerText,
  hasAuthority,
  isBoundKey,
  makingOwnerRefusal,
  ownerRefusal,
  readOnlyRefusal,
} from '../../authz/can.ts'
import { readOnlyText } from '../../authz/declared-access.ts'
import { coded, conflict, forbidden, invalid, type Refusal } from '../../refusal.ts'
import type { UserRow } from './wire-user.ts'

/** The user whom a request wants to change, with the columns that the checks below read. */
export type Target = Pick<UserRow, 'id' | 'role' | 'status' | 'academy_only' | 'read_only'>

/**
 * The change that the request asks for. `sendsRole` is true if the request contains `role`, even if its value is invalid. So a
 * caller who may not change roles always gets 403. The 403 takes precedence over the 400 for the value. `sendsReadOnly` is the same for
 * `read_only`.
 */
export interface SentChange {
  sendsRole: boolean
  role?: unknown
  sendsReadOnly: boolean
  read_only?: unknown
}

/** `sent` is the body of the request, which may be malformed. */
export function sentChange(sent: { role?: unknown; read_only?: unknown }): SentChange {
  const { role, read_only } = sent
  return { sendsRole: role !== undefined, role, sendsReadOnly: read_only !== undefined, read_only }
}

export const boundKeyMakesOwnerText = 'an API key bound to an environment cannot make anyone an owner'

/** Returns the 403 that depends only on the caller and the id of the user, before the user is read from the database. */
export function changeRequestRefusal(actor: Member, userId: string, sent: SentChange): Refusal | undefined {
  const { sendsRole, sendsReadOnly } = sent
  const isOther = userId !== actor.userId
  const isMoreThanOwnName = isOther || sendsRole || sendsReadOnly
  if (actor.academyOnly && isMoreThanOwnName) return coded('academy_only_account')
  if (actor.readOnly && isMoreThanOwnName) return forbidden(readOnlyText)
  if (sendsReadOnly && authority(actor) !== 'owner') return readOnlyRefusal(actor)
  if (hasAuthority(actor, 'manager')) return undefined
  if (sendsRole) return forbidden('only a manager or an owner may change roles')
  return isOther ? forbidden('only a manager or an owner may change another user') : undefined
}

/** Returns the 403 for a change to the user `target`. Check `changeRequestRefusal` first. */
export function changeRefusal(actor: Member, target: Target, sent: SentChange): Refusal | undefined {
  const { sendsRole, role } = sent
  if (authority(actor) === 'owner') return makesOwner(target, sent) ? makingOwnerRefusal(actor) : undefined
  if (target.role === 'owner' && (sendsRole || target.id !== actor.userId)) {
    return forbidden(isBoundKey(actor) ? boundKeyOwnerText : 'a manager cannot change an owner')
  }
  if (role !== 'owner') return undefined
  return forbidden(isBoundKey(actor) ? boundKeyMakesOwnerText : 'a manager cannot make anyone an owner')
}

/** True if the user would get the role of an owner, or become an owner who can make changes again. */
function makesOwner(target: Target, { role = target.role, read_only }: SentChange): boolean {
  return role === 'owner' && (target.role !== 'owner' || (target.read_only && read_only === false))
}

/** Returns the 409 for a learner who would get another role than `viewer`. */
export function learnerRoleRefusal(target: Target, role: string | undefined): Refusal | undefined {
  const isRefused = target.academy_only && role !== undefined && role !== 'viewer'
  return isRefused ? coded('academy_only_user') : undefined
}

/** Returns the 409 if the last owner would get another role, or could make no more changes. */
export function lastOwnerChangeRefusal(
  target: Target,
  wanted: Pick<Target, 'role' | 'read_only'>,
  isLast: boolean,
): Refusal | undefined {
  if (!isLast || (wanted.role === 'owner' && !wanted.read_only)) return undefined
  if (wanted.role !== target.role) return conflict('the organization needs an owner; make another user an owner first')
  return conflict('the organization needs an owner who is not read-only; make another user an owner first')
}

/**
 * True if the user is an owner and can act as one. Pending invitations, learners (users of the training product only) and read-only
 * users cannot act as an owner, even if their stored role is owner.
 */
export function isOwner({ role, status, academy_only, read_only }: Target): boolean {
  return role === 'owner' && status === 'active' && !academy_only && !read_only
}

/** True if the tenant would have no owner who can act without `target`. `users` must contain all owners. */
export function isLastOwner(users: readonly Target[], target: Target): boolean {
  return isOwner(target) && !users.some((user) => user.id !== target.id && isOwner(user))
}

/**
 * Returns the 409 for a caller whose role has changed since the start of the request. Without this check two owners could remove
 * each other's role at the same time.
 */
export function sameAuthorityRefusal(actor: Member, stored: Target | undefined): Refusal | undefined {
  const same =
    stored?.status === 'active' &&
    stored.role === actor.role &&
    stored.academy_only === actor.academyOnly &&
    stored.read_only === actor.readOnly
  return same ? undefined : conflict('your role was changed during the request; try again')
}

/**
 * Returns the error that depends only on the caller and the id of the user. Callers cannot remove themselves. They leave the tenant
 * through another endpoint, which has its own rules.
 */
export function removalRequestRefusal(actor: Member, userId: string): Refusal | undefined {
  const refusal = ownerRefusal(actor, 'only an owner may remove a user or withdraw an invitation')
  if (refusal || userId !== actor.userId) return refusal
  return invalid('you cannot remove yourself; leave the organization instead')
}

/** Returns the 400 for the removal of the last owner. */
export function lastOwnerRemovalRefusal(isLast: boolean): Refusal | undefined {
  return isLast ? invalid('the last owner of the organization cannot be removed') : undefined
}

/** Returns the 409 for the last owner, who may leave the tenant only if it has no other users. */
export function leavingRefusal({ isLast, isAlone }: { isLast: boolean; isAlone: boolean }): Refusal | undefined {
  if (!isLast || isAlone) return undefined
  return conflict('you are the last owner: make someone else an owner, or delete the organization')
}

/** An action on another user's sign-in. All these actions have the same rule. The object has the texts of its refusals. */
export interface SignInAction {
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

/** Returns the 403 that depends only on the caller and the id of the user, before the user is read from the database. */
export function signInRequestRefusal(actor: Member, userId: string, action: SignInAction): Refusal | undefined {
  if (!hasAuthority(actor, 'manager')) return forbidden(action.notManager)
  return userId === actor.userId ? forbidden(action.ownId) : undefined
}

/** Returns the 403 for an actor who may not do the action to the user `target`. */
export function signInRefusal(actor: Member, target: Target, action: SignInAction): Refusal | undefined {
  if (authority(actor) === 'owner' || (target.role !== 'manager' && target.role !== 'owner')) return undefined
  return forbidden(isBoundKey(actor) ? boundKeyOwnerText : action.notOwner)
}
