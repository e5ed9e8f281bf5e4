import type { EdgeActor } from '../../../authz/actor.ts'
import type { Sql } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import { servedBy } from '../reach/served.ts'

const versionOf = `select version from tool_inventories where tenant_id = $1
  and environment_id = coalesce($2::uuid, (select environment_id from agents where tenant_id = $1 and id = $3::uuid))`

/** Returns the version of the pins in the environment of the caller; null if it never had a tool or a change of `tool_pinning`. */
export async function pinsVersion(db: Sql, actor: EdgeActor): Promise<number | null> {
  const { environmentId, agentId } = servedBy(actor)
  const found = await db.maybe(raw<{ version: number }>(versionOf, [db.tenantId, environmentId, agentId]))
  return found?.version ?? null
}
