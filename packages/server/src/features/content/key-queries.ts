import type { Sql, Tx } from '../../db/database.ts'
import { raw } from '../../db/statements/statement.ts'

export async function findEnvironmentOf(db: Sql, agentId: string): Promise<string | null | undefined> {
  const text = 'select environment_id as id from agents where tenant_id = $1 and id = $2'
  return (await db.maybe(raw<{ id: string | null }>(text, [db.tenantId, agentId])))?.id
}

const stored = 'select key_sealed as sealed from content_keys where tenant_id = $1 and environment_id = $2'

export async function findContentKey(db: Sql, environmentId: string): Promise<string | undefined> {
  return (await db.maybe(raw<{ sealed: string }>(stored, [db.tenantId, environmentId])))?.sealed
}

/** Stores the key of an environment if it has none. Returns the stored key; undefined if the environment does not exist. */
export async function insertContentKey(
  tx: Tx,
  environmentId: string,
  sealed: string,
  now: string,
): Promise<string | undefined> {
  const text = `insert into content_keys (tenant_id, environment_id, key_sealed, created_at)
    select $1, e.id, $3, $4 from environments e where e.tenant_id = $1 and e.id = $2
    on conflict (tenant_id, environment_id) do nothing`
  await tx.all(raw(text, [tx.tenantId, environmentId, sealed, now]))
  return (await tx.maybe(raw<{ sealed: string }>(stored, [tx.tenantId, environmentId])))?.sealed
}

export function findSealedKeys(db: Sql) {
  const text = `select environment_id as id, key_sealed as sealed from content_keys where tenant_id = $1 order by environment_id`
  return db.all(raw<{ id: string; sealed: string }>(text, [db.tenantId]))
}

/** Replaces the sealed key `old` by `sealed`. */
export async function replaceSealedKey(tx: Tx, environmentId: string, old: string, sealed: string): Promise<void> {
  const text = `update content_keys set key_sealed = $4 where tenant_id = $1 and environment_id = $2 and key_sealed = $3`
  await tx.all(raw(text, [tx.tenantId, environmentId, old, sealed]))
}
