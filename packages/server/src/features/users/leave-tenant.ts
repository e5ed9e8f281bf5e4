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
 * The caller leaves: they are removed as an owner would remove them, sign-in account and keys included. An owner who is the
 * tenant's only user takes the tenant along, for nobody could ever reach it again.
 * 409 for the last owner while there are other users, pending invitations and learners among them.
 */
export async function leaveTenant(ctx: Ctx<Member>): Promise<void> {
  const { actor } = ctx
  const aloneIn = await ctx.inTenant(async (tx) => {
    await limitLockWaits(tx)
    const tenant = await lockTenant(tx)
    const users = await lockUsersAndOwners(tx, [actor.userId])
    const self = users.find((user) => user.id === actor.userId)
    if (!self) throw conflict('you were removed while the request was on its way')
    if (!isLastOwner(users, self)) {
      await removeLocked(tx, ctx, self)
      return undefined
    }
    if ((await countOthers(tx, self.id)) === 0) return tenant
    throw conflict('you are the last owner: make someone else an owner, or delete the organization')
  })
  // Nobody but the caller could add a user to it between the two transactions.
  if (aloneIn) await deleteTenant(ctx, aloneIn.id, aloneIn.name)
}
