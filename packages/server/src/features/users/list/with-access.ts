import type { User } from '@mandate/contract/users'
import type { Member } from '../../../authz/actor.ts'
import { hasAuthority } from '../../../authz/can.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Include } from '../../../caller/may-part.ts'
import { findAccess } from './access-queries.ts'

/**
 * Adds to each user what `include=access` asks for, with one query for all of them. Changes nothing for a caller who is not a manager
 * or an owner. The counts of a user who is not scoped are null, because such a user sees the whole tenant.
 */
export async function withAccess(ctx: Ctx<Member>, users: readonly User[], include: Include): Promise<User[]> {
  if (!include?.includes('access') || !hasAuthority(ctx.actor, 'manager')) return [...users]
  const ids = users.map(({ id }) => id)
  const found = new Map((await findAccess(ctx.sql, ctx.actor, ids)).map((access) => [access.id, access]))
  return users.map((user) => {
    const { agents, environments, invitation = null } = found.get(user.id) ?? { agents: 0, environments: 0 }
    if (user.access_scope === 'all') return { ...user, agents: null, environments: null, invitation }
    return { ...user, agents, environments, invitation }
  })
}
