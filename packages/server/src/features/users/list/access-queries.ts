import type { User } from '@mandate/contract/users'
import type { Member } from '../../../authz/actor.ts'
import { statementsBySight } from '../../../authz/by-sight.ts'
import { agentOfRecordIsVisible, environmentIsVisible } from '../../../authz/visibility.ts'
import type { Sql } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists/bounded-count.ts'
import { namedSql } from '../../../db/statements/named-parameters.ts'

/** What a manager sees of a user's access: how many agents and environments were given to them, and their open invitation. */
export interface UserAccess {
  id: string
  agents: number
  environments: number
  invitation: User['invitation']
}

const accessOf = statementsBySight({}, ({ sight }) =>
  namedSql<UserAccess>(`
    select u.id,
      ${boundedCount(`agent_grants r where r.tenant_id = :tenantId and r.user_id = u.id
        and ${agentOfRecordIsVisible(sight, 'r')} is true`)} as agents,
      ${boundedCount(`environment_access x join environments on environments.tenant_id = :tenantId
        and environments.id = x.environment_id where x.tenant_id = :tenantId and x.user_id = u.id
        and ${environmentIsVisible(sight)}`)} as environments,
      case when i.user_id is not null then json_build_object('sent_at', wire_time(i.created_at),
        'expires_at', wire_time(i.expires_at)) end as invitation
    from unnest(:ids::uuid[]) as u (id)
    left join invitations i on i.tenant_id = :tenantId and i.user_id = u.id
      and exists (select from users p where p.tenant_id = :tenantId and p.id = u.id and p.status = 'pending')`),
)

/** Returns the access of each of these users. Counts only agents and environments that the actor sees. */
export function findAccess(db: Sql, actor: Member, ids: readonly string[]): Promise<UserAccess[]> {
  return db.all(accessOf(actor, {}, { ids }))
}
