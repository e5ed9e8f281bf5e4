import type { Edge } from '@mandate/contract/edge'
import type { Member } from '../../../authz/actor.ts'
import { environmentVisibleTo } from '../../../authz/visibility.ts'
import type { Sql, Tx } from '../../../db/database.ts'
import { raw, sql } from '../../../db/statements/statement.ts'
import type { Reach } from '../reach/reach.ts'

const columns = ['edges.id', 'edges.name', 'edges.environment_id', 'edges.key_prefix', 'edges.key_hash'] as const

/** Selects the edges that are not revoked, in the environments that the actor has access to. */
const working = (db: Sql, actor: Member) =>
  sql
    .selectFrom('edges')
    .innerJoin('environments', (join) =>
      join
        .onRef('environments.tenant_id', '=', 'edges.tenant_id')
        .onRef('environments.id', '=', 'edges.environment_id'),
    )
    .where('edges.tenant_id', '=', db.tenantId)
    .where('edges.revoked_at', 'is', null)
    .where(environmentVisibleTo(actor))

export function lockEdge(tx: Tx, actor: Member, id: string) {
  return tx.maybe(working(tx, actor).select(columns).where('edges.id', '=', id).forNoKeyUpdate('edges'))
}

/** Inserts an edge, and the look-up row of its key. */
export async function insertEdge(tx: Tx, edge: Edge, keyHash: Buffer): Promise<void> {
  const { id, name, environment_id, key_prefix, created_by, created_at } = edge
  await Promise.all([
    tx.all(
      raw(
        `insert into edges (tenant_id, id, name, environment_id, key_hash, key_prefix, created_by, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [tx.tenantId, id, name, environment_id, keyHash, key_prefix, created_by, created_at],
      ),
    ),
    tx.all(
      raw(`insert into credential_lookup (hash, kind, tenant_id, id) values ($1, 'edge', $2, $3)`, [
        keyHash,
        tx.tenantId,
        id,
      ]),
    ),
  ])
}

export async function storeRevocation(tx: Tx, id: string, keyHash: Buffer, now: string): Promise<void> {
  await Promise.all([
    tx.all(raw('update edges set revoked_at = $3 where tenant_id = $1 and id = $2', [tx.tenantId, id, now])),
    tx.all(
      raw(`delete from credential_lookup where hash = $1 and kind = 'edge' and tenant_id = $2`, [keyHash, tx.tenantId]),
    ),
  ])
}

/** Returns the environment of an agent or of an edge; undefined for an agent of a connected platform. */
export function findServedEnvironment(db: Sql, { agentId, environmentId }: Reach) {
  const text = `select id, name, slug from environments where tenant_id = $1
    and id = coalesce($2::uuid, (select environment_id from agents where tenant_id = $1 and id = $3::uuid))`
  return db.maybe(raw<{ id: string; name: string; slug: string }>(text, [db.tenantId, environmentId, agentId]))
}
