import type { ConnectedPlatform, PlatformKind } from '@mandate/contract/platforms'
import { minimumPlans } from '@mandate/contract/words/plans'
import type { Sql, Tx } from '../../db/database.ts'
import { newId } from '../../db/ids/new-id.ts'
import { boundedCount } from '../../db/lists/bounded-count.ts'
import { raw } from '../../db/statements/statement.ts'
import type { Discovered } from './github/discover-installations.ts'
import type { PlatformConfig } from './rules.ts'

const columns = `id, tenant_id, kind, name, config, auth_secret_sealed is not null as has_auth_secret, last_sync_status,
  last_sync_at, last_error, created_at`

/** Returns the tenant's plan, and whether it includes connected platforms. */
export function findPlan(db: Sql) {
  return db.maybe(
    raw<{ plan: string; reaches: boolean }>(
      `select t.plan, p.rank >= (select rank from plans where name = $2) as reaches
       from tenants t join plans p on p.name = t.plan where t.id = $1`,
      [db.tenantId, minimumPlans.platforms],
    ),
  )
}

/** Returns one page of connections, oldest first. */
export async function findPlatforms(db: Sql, limit: number, offset: number) {
  const [platforms, { total }] = await Promise.all([
    db.all(
      raw<ConnectedPlatform>(`select ${columns} from platforms where tenant_id = $1 order by id limit $2 offset $3`, [
        db.tenantId,
        limit,
        offset,
      ]),
    ),
    db.one(raw<{ total: number }>(`select ${boundedCount('platforms where tenant_id = $1')} as total`, [db.tenantId])),
  ])
  return { platforms, total }
}

/**
 * Returns a connection to a platform with its encrypted secret. A synchronization uses the secret to read the platform's
 * agents.
 */
export function findConnection(db: Sql, id: string) {
  return db.maybe(
    raw<{ id: string; kind: PlatformKind; config: PlatformConfig; auth_secret_sealed: string | null }>(
      'select id, kind, config, auth_secret_sealed from platforms where tenant_id = $1 and id = $2',
      [db.tenantId, id],
    ),
  )
}

/** Returns the tenant's connections that have a secret. */
export function findSealedSecrets(db: Sql) {
  return db.all(
    raw<{ id: string; sealed: string }>(
      `select id, auth_secret_sealed as sealed from platforms where tenant_id = $1 and auth_secret_sealed is not null
       order by id`,
      [db.tenantId],
    ),
  )
}

/** Replaces the sealed secret `old` by `sealed`, unless another request has stored a different secret in the meantime. */
export async function replaceSealedSecret(tx: Tx, id: string, old: string, sealed: string): Promise<void> {
  await tx.all(
    raw(
      `update platforms set auth_secret_sealed = $4
       where tenant_id = $1 and id = $2 and auth_secret_sealed = $3`,
      [tx.tenantId, id, old, sealed],
    ),
  )
}

export function lockPlatform(tx: Tx, id: string) {
  return tx.maybe(
    raw<{ id: string; kind: PlatformKind; name: string }>(
      'select id, kind, name from platforms where tenant_id = $1 and id = $2 for update',
      [tx.tenantId, id],
    ),
  )
}

export interface PlatformValues {
  id: string
  kind: PlatformKind
  name: string
  config: PlatformConfig
  sealedSecret: string | null
  createdBy: string
}

export function insertPlatform(tx: Tx, values: PlatformValues, now: string): Promise<ConnectedPlatform> {
  const { id, kind, name, config, sealedSecret, createdBy } = values
  return tx.one(
    raw<ConnectedPlatform>(
      `insert into platforms (tenant_id, id, kind, name, config, auth_secret_sealed, created_by, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${columns}`,
      [tx.tenantId, id, kind, name, JSON.stringify(config), sealedSecret, createdBy, now],
    ),
  )
}

/** Deletes a connection to a platform. The agents that were discovered through it are kept without a connection. */
export async function deletePlatform(tx: Tx, id: string): Promise<void> {
  await tx.all(raw('update agents set platform_id = null where tenant_id = $1 and platform_id = $2', [tx.tenantId, id]))
  await tx.all(raw('delete from platforms where tenant_id = $1 and id = $2', [tx.tenantId, id]))
}

/** Stores the result of a synchronization; a null `error` means success. */
export function storeSync(tx: Tx, id: string, error: string | null, now: string): Promise<ConnectedPlatform> {
  return tx.one(
    raw<ConnectedPlatform>(
      `update platforms set last_sync_status = case when $3::text is null then 'succeeded' else 'failed' end,
         last_sync_at = $4, last_error = $3 where tenant_id = $1 and id = $2 returning ${columns}`,
      [tx.tenantId, id, error, now],
    ),
  )
}

/**
 * Inserts an agent for each discovered item that the tenant does not have yet, and returns the new agents. Known agents keep
 * their status, because a user may have suppressed or archived them. A known agent whose connection was deleted is assigned to
 * this connection.
 */
export async function insertDiscovered(
  tx: Tx,
  platform: { id: string; kind: PlatformKind },
  found: readonly Discovered[],
  now: string,
) {
  const externalIds = found.map(({ externalId }) => externalId)
  const values = [tx.tenantId, platform.id, platform.kind, externalIds]
  await tx.all(raw(adoptKnown, values))
  const [ids, names] = [found.map(() => newId()), found.map(({ name }) => name)]
  const metadata = found.map((each) => JSON.stringify(each.metadata))
  return await tx.all(
    raw<{ id: string; name: string; external_id: string }>(insertUnknown, [...values, ids, names, metadata, now]),
  )
}

const adoptKnown = `
  with orphans as (
    select id from agents where tenant_id = $1 and source = $3 and external_id = any ($4) and platform_id is null
    order by id for update
  )
  update agents set platform_id = $2 from orphans where agents.tenant_id = $1 and agents.id = orphans.id`

const insertUnknown = `
  insert into agents (tenant_id, id, name, status, source, governance_state, lifecycle_status, metadata, platform_id,
    external_id, created_at, updated_at)
  select $1, f.id, f.name, 'registered', $3, 'discovered', 'proposed', f.metadata, $2, f.external_id, $8, $8
  from unnest($4::text[], $5::uuid[], $6::text[], $7::jsonb[]) as f (external_id, id, name, metadata)
  order by f.external_id
  on conflict (tenant_id, source, external_id) where external_id is not null do nothing
  returning id, name, external_id`
