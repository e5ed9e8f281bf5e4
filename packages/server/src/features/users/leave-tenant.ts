import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { conflict } from '../../refusal.ts'
import { deleteTenant } from '../tenants/delete-tenant.ts'
import { lockTenant } from '../tenants/lock-tenant.ts'
import { countOthers, lockUsersAndOwners } from './queries.ts'
import { limitLockWaits } from './removal-queries.ts'
import { removeLocked } from './remove-user.ts'
import { isLastOwner } from './rules.ts'

/**
 * Removes the caller, with the same effects as a removal by an owner: the sign-in account and the keys are deleted too. If an owner
 * is the tenant's only user, the tenant is deleted too, because no one could access it any more.
 * @throws 409 for the last owner while there are other users, including pending invitations and learners
 */
export async function leaveTenant(ctx: Ctx<Member>): Promise<void> {
  const { actor } = ctx
  const aloneIn = await ctx.inTenant(async (tx) => {
    await limitLockWaits(tx)
    const tenant = await lockTenant(tx)
    const users = await lockUsersAndOwners(tx, [actor.userId])
    const self = users.find((user) => user.id === actor.userId)
    if (!self) throw conflict('you were removed during the request')
    if (!isLastOwner(users, self)) {
      await removeLocked(tx, ctx, self)
      return undefined
    }
    if ((await countOthers(tx, self.id)) === 0) return tenant
    throw conflict('you are the last owner: make someone else an owner, or delete the organization')
  })
  // Deletes the tenant in a second transaction. No one can join the tenant before that, because the first transaction found no
  // pending invitation and no other user who could invite someone.
  if (aloneIn) await deleteTenant(ctx, aloneIn.id, aloneIn.name)
}
