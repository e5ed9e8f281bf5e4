import { hasOtherResolver } from '../../../agent-state/other-resolver.ts'
import type { Sql, Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import { nobody } from './owner-queries.ts'

// SQL condition on a user: the user has one of the roles $3 and sees the agent $2.
const isAble = `u.tenant_id = $1 and u.role = any($3) and u.status = 'active' and not u.academy_only
  and not u.read_only
  and (u.role = 'owner' or u.access_scope = 'all' or exists (select from agent_grants g
    where g.tenant_id = $1 and g.user_id = u.id and g.agent_id = $2))`

const rolesFor = (assigned: 'manager' | 'owner') => (assigned === 'owner' ? ['owner'] : ['manager', 'owner'])

const deciding = { userId: '$3', agentId: 'a.id', byOwner: "p.assigned_role = 'owner'" }

// If the owner changed since the request, the new owner decides before the earlier owner.
const leftToOthers = `
  select p.id from approvals p join agents a on a.tenant_id = $1 and a.id = p.agent_id
  where p.tenant_id = $1 and p.id = any($2) and (a.owner_user_id = $3 or p.last_resort_user_id = $3)
    and case when p.last_resort_user_id in ($3, '${nobody}') then ${hasOtherResolver(deciding)}
      else ${hasOtherResolver({ ...deciding, alsoNot: 'p.last_resort_user_id' })} end`

/**
 * Returns which of the given approvals the user must leave to others: the user owns the agent, or owned it when the approval was requested, and
 * another user may resolve the approval.
 */
export async function findLeftToOthers(db: Sql, userId: string, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.all(raw<{ id: string }>(leftToOthers, [db.tenantId, ids, userId]))
  return new Set(rows.map(({ id }) => id))
}

/** Returns whether the user owns the agent of the approval, or owned it at the time of the request. */
export async function isOfOwner(db: Sql, userId: string, id: string): Promise<boolean> {
  const text = `select from approvals p join agents a on a.tenant_id = $1 and a.id = p.agent_id
    where p.tenant_id = $1 and p.id = $2 and (a.owner_user_id = $3 or p.last_resort_user_id = $3)`
  return (await db.maybe(raw(text, [db.tenantId, id, userId]))) !== undefined
}

export interface Resolver {
  id: string
  email: string
}

/**
 * Returns the users who may resolve approvals of the agent that are assigned to the role `assigned`. The most recently active
 * user comes first, and the agent's owner comes last.
 */
export function findResolvers(
  tx: Tx,
  { agentId, assigned, ownerId }: { agentId: string; assigned: 'manager' | 'owner'; ownerId: string | null },
  limit: number,
): Promise<Resolver[]> {
  const text = `select u.id, u.email from users u where ${isAble}
    order by u.id is not distinct from $4::uuid, u.last_active_at desc nulls last, u.id limit $5`
  return tx.all(raw<Resolver>(text, [tx.tenantId, agentId, rolesFor(assigned), ownerId, limit]))
}

/**
 * Assigns the pending approvals of an environment to owners. Returns how many were assigned to managers before. Locks them in the order in which
 * a freeze and the end of their time lock them.
 */
export async function storeAssignedToOwners(tx: Tx, environmentId: string, now: string): Promise<number> {
  const text = `with due as (
      select id from approvals
      where tenant_id = $1 and environment_id = $2 and status = 'pending' and assigned_role = 'manager' and expires_at > $3::timestamptz
      order by id for update),
    assigned as (
      update approvals a set assigned_role = 'owner' from due where a.tenant_id = $1 and a.id = due.id returning 1)
    select count(*) as count from assigned`
  return (await tx.one(raw<{ count: number }>(text, [tx.tenantId, environmentId, now]))).count
}
