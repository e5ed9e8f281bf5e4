import type { FreezeNotice } from '@mandate/contract/edge'
import type { Sql } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import type { Reach } from '../reach/reach.ts'

/** A running process of an edge, or of an agent that uses its own key. */
export interface Instance {
  credentialId: string
  instanceId: string
}

/** Maximum number of freezes that one heartbeat answer names. */
const mostNotices = 200

/** SQL for the open freezes `z` of one environment, or of no environment. The newest come first. */
const newestOpen = (place: string) => `(select z.* from freezes z where z.tenant_id = $1 and z.is_open and ${place}
    order by z.id desc limit ${mostNotices})`

/**
 * SQL condition: the freeze `z` concerns the instance `i`. An edge may serve any agent of its environment, so the freeze of an agent
 * concerns every edge of the environment. A drill concerns only instances that ran when it started.
 */
export const concernsInstance = (
  ownAgentId: string,
) => `(case z.scope when 'organization' then true when 'environment' then z.target_id = i.environment_id
    else (case when ${ownAgentId} is null then z.environment_id = i.environment_id else z.target_id = ${ownAgentId} end) end)
  and (not z.drill or i.started_at <= z.created_at)`

const instance = `edge_instances i
  where i.tenant_id = $1 and i.credential_id = $2 and i.instance_id = $3`

const noticeColumns = `z.id, z.scope, case z.scope when 'agent' then z.target_id end as agent_id,
  case z.scope when 'environment' then z.target_id end as environment_id, z.drill`

const unconfirmed = `
  select ${noticeColumns} from (select i.environment_id, i.started_at from ${instance}) i
  cross join lateral (
    ${newestOpen('z.environment_id = i.environment_id')} union all ${newestOpen('z.environment_id is null')}) z
  where ${concernsInstance('$4::uuid')} and not exists (select from freeze_confirmations c where c.tenant_id = $1 and c.freeze_id = z.id
    and c.credential_id = $2 and c.instance_id = $3)
  order by z.id limit ${mostNotices}`

/** Returns the open freezes and drills that concern an instance and that it has not confirmed, oldest first. */
export function findUnconfirmed(db: Sql, { agentId }: Reach, { credentialId, instanceId }: Instance) {
  return db.all(raw<FreezeNotice>(unconfirmed, [db.tenantId, credentialId, instanceId, agentId]))
}
