import { sql as fragment, type RawBuilder } from 'kysely'
import type { Member } from '../authz/actor.ts'
import type { AssignedRole } from '../authz/deciding-roles.ts'

type Condition = RawBuilder<unknown>

/**
 * SQL condition on the record `r` of an agent: no user other than the actor has the role to resolve it and sees the agent. The
 * first term does not depend on the record, so PostgreSQL evaluates it once and reads no record if it is false. `alsoNot` is the id of
 * another user who does not count.
 */
export function isSoleResolver(actor: Member, role: AssignedRole, alsoNot?: Condition): Condition {
  return role === 'owner'
    ? hasNoOtherOwner(actor, alsoNot)
    : fragment`${hasNoOtherManager(actor, alsoNot)} and ${isGrantedToNoOther(actor, alsoNot)}`
}

/** SQL condition: no other active user is an owner. */
export const hasNoOtherOwner = (actor: Member, alsoNot?: Condition): Condition =>
  fragment`(select true from users u where ${isOtherUser(actor, alsoNot)} and u.role = 'owner' limit 1) is null`

/** SQL condition: no other active user is an owner, or a manager who sees every agent. */
export const hasNoOtherManager = (actor: Member, alsoNot?: Condition): Condition =>
  fragment`(select true from users u where ${isOtherUser(actor, alsoNot)}
    and (u.role = 'owner' or (u.role = 'manager' and u.access_scope = 'all')) limit 1) is null`

/** SQL condition on the record `r`: its agent is granted to no other active manager. */
export const isGrantedToNoOther = (actor: Member, alsoNot?: Condition): Condition =>
  fragment`(select true from agent_grants g join users u on u.tenant_id = g.tenant_id and u.id = g.user_id
    where g.tenant_id = ${actor.tenantId} and g.agent_id = r.agent_id and ${isOtherUser(actor, alsoNot)} and u.role = 'manager'
    limit 1) is null`

function isOtherUser({ tenantId, userId }: Member, alsoNot?: Condition): Condition {
  const isOther = fragment`u.tenant_id = ${tenantId} and u.id <> ${userId} and u.status = 'active' and not u.academy_only
    and not u.read_only`
  return alsoNot ? fragment`${isOther} and u.id <> ${alsoNot}` : isOther
}
