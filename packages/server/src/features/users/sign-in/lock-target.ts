import type { Member } from '../../../authz/actor.ts'
import type { Tx } from '../../../db/database.ts'
import { notFound, throwIfRefused } from '../../../refusal.ts'
import { type LockedUser, lockUsers } from '../queries.ts'
import { sameAuthorityRefusal } from '../rules.ts'

/**
 * Locks the caller and the user that the caller wants to act on. Returns the user.
 * @throws 409 if the caller's role has changed since the start of the request; 404 if the tenant has no such user
 */
export async function lockTarget(tx: Tx, actor: Member, userId: string): Promise<LockedUser> {
  const users = await lockUsers(tx, [actor.userId, userId])
  const self = users.find((user) => user.id === actor.userId)
  throwIfRefused(sameAuthorityRefusal(actor, self))
  const target = users.find((user) => user.id === userId)
  if (!target) throw notFound('user')
  return target
}
