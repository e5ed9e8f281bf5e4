import type { User } from '@mandate/contract/users'
import type { AccessScope } from '@mandate/contract/words/roles'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Tx } from '../../db/database.ts'
import { notFound, throwIfRefused } from '../../refusal.ts'
import { endLostDelegations } from '../delegations/end-delegations.ts'
import { accessScopeRefusal, accessScopeRequestRefusal } from '../users/access-rules.ts'
import { toWireUser } from '../users/wire-user.ts'
import { requireUser, userResource } from './may-change-access.ts'
import { deleteGrants, findUserLocked, type StoredUser, updateAccessScope } from './queries.ts'

/**
 * Throws the errors of `setAccessScope` that do not depend on the body. Runs only if the body is invalid. These errors take
 * precedence over the 400 for the body.
 */
export async function requireChangeableScope(ctx: Ctx<Member>, userId: string): Promise<void> {
  throwIfRefused(accessScopeRequestRefusal(ctx.actor))
  throwIfRefused(accessScopeRefusal(ctx.actor, await requireUser(ctx.sql, userId)))
}

/** Sets whether a user sees the whole tenant. `all` deletes their agent grants and keeps their environment access. */
export async function setAccessScope(ctx: Ctx<Member>, userId: string, wanted: AccessScope): Promise<User> {
  throwIfRefused(accessScopeRequestRefusal(ctx.actor, wanted))
  return await ctx.inTenant(async (tx) => {
    const user = await findUserLocked(tx, userId)
    if (!user) throw notFound('user')
    throwIfRefused(accessScopeRefusal(ctx.actor, user))
    // An owner always sees the whole tenant. The request to limit an owner to `scoped` therefore has no effect.
    if (user.role === 'owner' && wanted === 'scoped') return toWireUser(user)
    return await changeScope(tx, ctx, user, wanted)
  })
}

async function changeScope(tx: Tx, ctx: Ctx<Member>, user: StoredUser, wanted: AccessScope): Promise<User> {
  const grantsRemoved = wanted === 'all' ? await deleteGrants(tx, user.id) : 0
  if (user.access_scope === wanted && grantsRemoved === 0) return toWireUser(user)
  const changed = await updateAccessScope(tx, user.id, wanted)
  await recordAudit(tx, ctx, 'user.access_scope_changed', {
    resource: userResource(user),
    details: { old_access_scope: user.access_scope, new_access_scope: wanted, grants_removed: grantsRemoved },
  })
  await endLostDelegations(tx, ctx, user.id)
  return toWireUser(changed)
}
