import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { conflict, throwIfRefused } from '../../../refusal.ts'
import { deleteTenant } from '../../tenants/deletion/delete-tenant.ts'
import { lockTenant } from '../../tenants/lock-tenant.ts'
import { countOthers, findActingOwners, findOthers, lockUsersAndOwners } from '../queries.ts'
import { isLastOwner, leavingRefusal } from '../rules.ts'
import { limitLockWaits } from './removal-queries.ts'
import { removeLocked } from './remove-user.ts'

export interface LeavingStanding {
  isLast: boolean
  isAlone: boolean
}

/** Returns whether the caller is the last owner of the tenant, and its only user. */
export async function readLeaving({ actor, sql }: Ctx<Member>): Promise<LeavingStanding> {
  if (actor.role !== 'owner' || actor.academyOnly) return { isLast: false, isAlone: false }
  const [owners, others] = await Promise.all([findActingOwners(sql, 2), findOthers(sql, actor.userId, 1)])
  return { isLast: owners.length === 1 && owners[0] === actor.userId, isAlone: others.length === 0 }
}

/**
 * Removes the caller from the tenant. Deletes the sign-in account and the keys too, as if an owner had removed the caller. If
 * the caller is the last owner and the only user, deletes the tenant too, because nobody could access it any more.
 * @throws 409 for the last owner while the tenant has other users. Pending users and learners (users of the training product
 *   only) count as users.
 */
export async function leaveTenant(ctx: Ctx<Member>): Promise<void> {
  const { actor } = ctx
  const aloneIn = await ctx.inTenant(async (tx) => {
    await limitLockWaits(tx)
    const tenant = await lockTenant(tx)
    const users = await lockUsersAndOwners(tx, [actor.userId])
    const self = users.find((user) => user.id === actor.userId)
    if (!self) throw conflict('your user was removed from the organization during the request')
    if (!isLastOwner(users, self)) {
      await removeLocked(tx, ctx, self)
      return undefined
    }
    throwIfRefused(leavingRefusal({ isLast: true, isAlone: (await countOthers(tx, self.id)) === 0 }))
    return tenant
  })
  // Deletes the tenant in a second transaction. No one can join the tenant before that, because the first transaction found no
  // pending invitation and no other user who could invite someone.
  if (aloneIn) await deleteTenant(ctx, aloneIn.id, aloneIn.name)
}
