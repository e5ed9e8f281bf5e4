import type { Member } from '../../authz/actor.ts'
import { boundKeyOwnerText, hasAuthority, isBoundKey, requireAuthority } from '../../authz/can.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { forbidden, notFound } from '../../refusal.ts'
import { findUser, findUserLocked, type StoredUser } from './queries.ts'

/** Returns the user whose grants or environment access is read. The caller must be an owner, a manager or the user. */
export async function requireReadableAccess(ctx: Ctx<Member>, userId: string): Promise<void> {
  if (userId === ctx.actor.userId) return
  if (!hasAuthority(ctx.actor, 'manager')) throw forbidden("only a manager or an owner may read another user's access")
  await requireUser(ctx.sql, userId)
}

/** Returns the user whose access is to be changed. It runs before the body is validated. */
export async function requireChangeableAccess(ctx: Ctx<Member>, userId: string): Promise<void> {
  requireAuthority(ctx.actor, 'manager', 'only a manager or an owner may change access')
  refuseBoundKeyOnOwner(ctx.actor, await requireUser(ctx.sql, userId))
}

/**
 * Like `requireChangeableAccess`, in the writing transaction and with the user locked, so that no other request changes their
 * access.
 */
export async function lockChangeableAccess(tx: Tx, ctx: Ctx<Member>, userId: string): Promise<StoredUser> {
  requireAuthority(ctx.actor, 'manager', 'only a manager or an owner may change access')
  const user = await findUserLocked(tx, userId)
  if (!user) throw notFound('user')
  refuseBoundKeyOnOwner(ctx.actor, user)
  return user
}

export async function requireUser(db: Sql, userId: string): Promise<StoredUser> {
  const user = await findUser(db, userId)
  if (!user) throw notFound('user')
  return user
}

function refuseBoundKeyOnOwner(actor: Member, user: StoredUser): void {
  if (user.role === 'owner' && isBoundKey(actor)) throw forbidden(boundKeyOwnerText)
}

/** Returns the resource to record in an audit entry about a user. */
export function userResource(user: Pick<StoredUser, 'id' | 'display_name' | 'email'>) {
  return { type: 'user', id: user.id, name: user.display_name || user.email }
}
