import type { EndedDelegations } from '@mandate/contract/delegations'
import type { Sql } from '../../db/database.ts'
import { raw } from '../../db/statements/statement.ts'
import type { Reach } from '../edge/reach/reach.ts'

const list = `select e.id, l.version from environments e
  left join delegation_lists l on l.tenant_id = $1 and l.environment_id = e.id
  where e.tenant_id = $1
    and e.id = coalesce($2::uuid, (select a.environment_id from agents a where a.tenant_id = $1 and a.id = $3::uuid))`

/** Returns the environment of a credential and the version of its list. The version is null if it never had a delegation. */
export function findList(db: Sql, { environmentId, agentId }: Reach) {
  return db.maybe(raw<{ id: string; version: number | null }>(list, [db.tenantId, environmentId, agentId]))
}

const endedSince = `select d.id, d.expires_at from delegations d
  where d.tenant_id = $1 and d.environment_id = $2 and d.ended_in > $3 and d.ended_in <= $4 and d.expires_at > $5::timestamptz
  order by d.ended_in, d.id`

/** Returns what ended in an environment after the version `since`, up to `version`, and has not expired. */
export function findEnded(
  db: Sql,
  environmentId: string,
  { since, version }: { since: number; version: number },
  now: string,
) {
  const values = [db.tenantId, environmentId, since, version, now]
  return db.all(raw<EndedDelegations['ended'][number]>(endedSince, values))
}
