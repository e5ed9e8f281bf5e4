/** SQL expressions for `hasOtherResolver`. */
interface Deciding {
  /** The user who does not count. */
  userId: string
  /** Another user who does not count. */
  alsoNot?: string
  /** The agent that the approval or review is about. */
  agentId: string
  /** A condition: only owners may resolve the approval or review. Otherwise managers may resolve it too. */
  byOwner: string
}

const canAct = "u.status = 'active' and not u.academy_only and not u.read_only"

/**
 * SQL condition: a user other than `userId` may resolve an approval or a review of the agent. The user has the required role and
 * sees the agent. `$1` must be the tenant. If `alsoNot` is no column, the first two subqueries do not depend on the row, so PostgreSQL runs
 * each of them at most once for a page.
 */
export function hasOtherResolver({ userId, alsoNot, agentId, byOwner }: Deciding): string {
  const isOther = alsoNot === undefined ? `u.id <> ${userId}` : `u.id <> ${userId} and u.id <> ${alsoNot}`
  return `case
    when (select exists (select from users u
      where u.tenant_id = $1 and ${isOther} and u.role = 'owner' and ${canAct})) then true
    when ${byOwner} then false
    when (select exists (select from users u
      where u.tenant_id = $1 and ${isOther} and u.role = 'manager' and u.access_scope = 'all' and ${canAct})) then true
    else exists (select from agent_grants g join users u on u.tenant_id = $1 and u.id = g.user_id
      where g.tenant_id = $1 and g.agent_id = ${agentId} and ${isOther} and u.role = 'manager' and ${canAct}) end`
}
