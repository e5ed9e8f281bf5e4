import type { Sql } from '../../db/database.ts'
import { raw } from '../../db/statements/statement.ts'

/**
 * Returns a text that changes if the agents granted to a user or their environments change. It reads only the indexes of the
 * user's grants and environments.
 */
export async function findAccess(db: Sql, userId: string): Promise<string> {
  const text = `select concat_ws(',', g.count, g.hash, e.count, e.hash) as access from
    (select count(*), bit_xor(uuid_hash_extended(agent_id, 0)) as hash from agent_grants
      where tenant_id = $1 and user_id = $2) g,
    (select count(*), bit_xor(uuid_hash_extended(environment_id, 0)) as hash from environment_access
      where tenant_id = $1 and user_id = $2) e`
  return (await db.one(raw<{ access: string }>(text, [db.tenantId, userId]))).access
}
