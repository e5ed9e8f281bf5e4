import type { AccessScope } from '@mandate/contract/roles'
import type { User } from '@mandate/contract/users'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import { requireAuthority, requireOwner, seesWholeTenant } from '../../authz/can.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Tx } from '../../db/database.ts'
import { forbidden, notFound } from '../../refusal.ts'
import { toWireUser } from '../users/wire-user.ts'
import { requireUser, userResource } from './may-change-access.ts'
import { deleteGrants, findUserLocked, type StoredUser, updateAccessScope } from './queries.ts'

/**
 * Throws the errors of `setAccessScope` that do not depend on the body. Runs only if the body is invalid. These errors take
 * precedence over the 400 for the body.
 */
export async function requireChangeableScope(ctx: Ctx<Member>, userId: string): Promise<void> {
  requireScopeAuthority(ctx.actor)
  requireAuthorityOver(ctx.actor, await requireUser(ctx.sql, userId))
}

/** Sets whether a user sees the whole tenant. `all` deletes their agent grants and keeps their environment access. */
export async function setAccessScope(ctx: Ctx<Member>, userId: string, wanted: AccessScope): Promise<User> {
  requireScopeAuthority(ctx.actor)
  if (wanted === 'all' && !seesWholeTenant(ctx.actor)) {
    throw forbidden('a caller who sees only part of the organization cannot give access to all of it')
  }
  return await ctx.inTenant(async (tx) => {
    const user = await findUserLocked(tx, userId)
    if (!user) throw notFound('user')
    requireAuthorityOver(ctx.actor, user)
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
  return toWireUser(changed)
}

function requireScopeAuthority(actor: Member): void {
  requireAuthority(actor, 'manager', 'only a manager or an owner may change an access scope')
}

function requireAuthorityOver(actor: Member, user: StoredUser): void {
  if (user.role === 'owner') requireOwner(actor, "only an owner may change an owner's access scope")
}
