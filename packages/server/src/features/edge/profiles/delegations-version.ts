import type { EdgeActor } from '../../../authz/actor.ts'
import type { Sql } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import { servedBy } from '../reach/served.ts'

const versionOf = `select version from delegation_lists where tenant_id = $1
  and environment_id = coalesce($2::uuid, (select environment_id from agents where tenant_id = $1 and id = $3::uuid))`

/** Returns the version of the list of ended delegations in the environment of the caller; null if it never had a delegation. */
export async function delegationsVersion(db: Sql, actor: EdgeActor): Promise<number | null> {
  const { environmentId, agentId } = servedBy(actor)
  const found = await db.maybe(raw<{ version: number }>(versionOf, [db.tenantId, environmentId, agentId]))
  return found?.version ?? null
}
