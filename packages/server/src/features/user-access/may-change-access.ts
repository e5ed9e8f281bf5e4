import type { Member } from '../../authz/actor.ts'
import { hasAuthority } from '../../authz/can.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { forbidden, notFound, throwIfRefused } from '../../refusal.ts'
import { accessChangeRefusal, accessChangeRequestRefusal } from '../users/access-rules.ts'
import { findUser, findUserLocked, type StoredUser } from './queries.ts'

/**
 * Checks whether the caller may read a user's grants and environment access. The caller must be an owner, a manager or that
 * user.
 */
export async function requireReadableAccess(ctx: Ctx<Member>, userId: string): Promise<void> {
  if (userId === ctx.actor.userId) return
  if (!hasAuthority(ctx.actor, 'manager')) throw forbidden("only a manager or an owner may read another user's access")
  await requireUser(ctx.sql, userId)
}

/**
 * Checks whether the caller may change a user's access. Runs only if the body is invalid. The 403 or 404 takes precedence over
 * the 400 for the body.
 */
export async function requireChangeableAccess(ctx: Ctx<Member>, userId: string): Promise<void> {
  throwIfRefused(accessChangeRequestRefusal(ctx.actor))
  throwIfRefused(accessChangeRefusal(ctx.actor, await requireUser(ctx.sql, userId)))
}

/**
 * Locks the user, and then does the checks of `requireChangeableAccess` in the transaction that writes. Because of the lock, no
 * other request can change the user's access at the same time.
 */
export async function lockChangeableAccess(tx: Tx, ctx: Ctx<Member>, userId: string): Promise<StoredUser> {
  throwIfRefused(accessChangeRequestRefusal(ctx.actor))
  const user = await findUserLocked(tx, userId)
  if (!user) throw notFound('user')
  throwIfRefused(accessChangeRefusal(ctx.actor, user))
  return user
}

export async function requireUser(db: Sql, userId: string): Promise<StoredUser> {
  const user = await findUser(db, userId)
  if (!user) throw notFound('user')
  return user
}

/** Returns the resource to record in an audit entry about a user. */
export function userResource(user: Pick<StoredUser, 'id' | 'display_name' | 'email'>) {
  return { type: 'user', id: user.id, name: user.display_name || user.email }
}
