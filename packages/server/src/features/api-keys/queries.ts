import type { Sql, Tx } from '../../db/database.ts'
import { boundedCount } from '../../db/lists/bounded-count.ts'
import { raw } from '../../db/statements/statement.ts'
import type { KeyPower, KeyStanding, KeysSeen } from './rules.ts'

/** The stored columns of a key, without its hash. */
export interface KeyRow {
  id: string
  tenant_id: string
  created_by: string
  name: string
  key_prefix: string
  scopes: string[]
  environment_id: string | null
  expires_at: string | null
  last_used_at: string | null
  revoked_at: string | null
  created_at: string
}

const columns = `id, tenant_id, created_by, name, key_prefix, scopes, environment_id, expires_at, last_used_at,
  revoked_at, created_at`

export type NewKeyRow = Omit<KeyRow, 'tenant_id' | 'last_used_at' | 'revoked_at'> & { key_hash: Buffer }

/** Inserts the key, and the look-up row that finds it by its hash. */
export function insertKey(tx: Tx, key: NewKeyRow): Promise<KeyRow> {
  return tx.one(
    raw<KeyRow>(
      `with looked_up as (
         insert into credential_lookup (hash, kind, tenant_id, id) values ($5, 'api_key', $1, $2)
       )
       insert into api_keys (tenant_id, id, created_by, name, key_hash, key_prefix, scopes, environment_id, expires_at,
         created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       returning ${columns}`,
      [
        tx.tenantId,
        key.id,
        key.created_by,
        key.name,
        key.key_hash,
        key.key_prefix,
        key.scopes,
        key.environment_id,
        key.expires_at,
        key.created_at,
      ],
    ),
  )
}

const seen = `tenant_id = $1 and ($2::uuid is null or created_by = $2) and ($3::uuid is null or environment_id = $3)`

export interface KeyFilters {
  state?: 'active' | 'expired' | 'revoked' | undefined
  /** Only keys that were last used, or created if they were never used, at this time or earlier. */
  unusedSince?: string | undefined
  createdBefore?: string | undefined
}

const stateOfKey = `case when revoked_at is not null then 'revoked' when expires_at <= $7 then 'expired' else 'active' end`

const listed = `${seen} and ($6::text is null or ${stateOfKey} = $6)
  and ($8::timestamptz is null or coalesce(last_used_at, created_at) <= $8)
  and ($9::timestamptz is null or created_at <= $9)`

/** Returns one page of the keys that the actor sees and that pass the filters, newest first, and their count, from one snapshot. */
export async function findKeys(
  db: Sql,
  { createdBy, environmentId }: KeysSeen,
  { state, unusedSince, createdBefore }: KeyFilters,
  { limit, offset, now }: { limit: number; offset: number; now: string },
) {
  const rows = await db.all(
    raw<KeyRow & { total: number }>(
      `select counted.total, page.*
       from (select ${boundedCount(`api_keys where ${listed}`)} as total) counted
       left join lateral (
         select ${columns} from api_keys where ${listed} order by id desc limit $4 offset $5
       ) page on true
       order by page.id desc`,
      [
        db.tenantId,
        createdBy,
        environmentId,
        limit,
        offset,
        state ?? null,
        now,
        unusedSince ?? null,
        createdBefore ?? null,
      ],
    ),
  )
  // If the page is after the last page, the result is a single row with the count and without a key.
  return { total: rows[0]?.total ?? 0, keys: rows.filter((row) => row.id !== null) }
}

/**
 * Returns a key that the actor sees, locked until the transaction ends. If two requests change the key, the second one reads the
 * first one's change.
 */
export function lockKey(tx: Tx, { createdBy, environmentId }: KeysSeen, id: string): Promise<KeyRow | undefined> {
  return tx.maybe(
    raw<KeyRow>(`select ${columns} from api_keys where ${seen} and id = $4 for update`, [
      tx.tenantId,
      createdBy,
      environmentId,
      id,
    ]),
  )
}

export function markRevoked(tx: Tx, id: string, now: string): Promise<KeyRow> {
  return tx.one(
    raw<KeyRow>(`update api_keys set revoked_at = $3 where tenant_id = $1 and id = $2 returning ${columns}`, [
      tx.tenantId,
      id,
      now,
    ]),
  )
}

/** Revokes all live keys that are bound to an environment, or that a user created. Locks them in the order of their ids. */
export function markKeysRevoked(
  tx: Tx,
  of: 'environment_id' | 'created_by',
  id: string,
  now: string,
): Promise<KeyRow[]> {
  return tx.all(
    raw<KeyRow>(
      `with live as (
         select id as live_id from api_keys where tenant_id = $1 and ${of} = $2 and revoked_at is null
         order by id for update
       )
       update api_keys set revoked_at = $3 from live where tenant_id = $1 and id = live_id and revoked_at is null
       returning ${columns}`,
      [tx.tenantId, id, now],
    ),
  )
}

export function setKeyEnvironment(tx: Tx, id: string, environmentId: string | null): Promise<KeyRow> {
  return tx.one(
    raw<KeyRow>(`update api_keys set environment_id = $3 where tenant_id = $1 and id = $2 returning ${columns}`, [
      tx.tenantId,
      id,
      environmentId,
    ]),
  )
}

/** Returns when a key expires; undefined if it was revoked or deleted. */
export function findExpiry(db: Sql, keyId: string): Promise<{ expires_at: string | null } | undefined> {
  return db.maybe(
    raw<{ expires_at: string | null }>(
      'select expires_at from api_keys where tenant_id = $1 and id = $2 and revoked_at is null',
      [db.tenantId, keyId],
    ),
  )
}

type Creator = KeyPower['creator'] & { own_expiry: string | null }

/**
 * Returns the standing of keys: the current role and access scope of the user that each key acts for, and when the caller's own key
 * expires. `ownKeyId` is the id of that key; null for a person.
 */
export async function findStandings<Key extends StoredKey>(db: Sql, ownKeyId: string | null, keys: readonly Key[]) {
  const text = `select u.id, u.role, case u.role when 'owner' then 'all' else u.access_scope end as "accessScope",
      (select k.expires_at from api_keys k where k.tenant_id = $1 and k.id = $3::uuid) as own_expiry
    from users u where u.tenant_id = $1 and u.id = any($2)`
  const creatorIds = [...new Set(keys.map(({ created_by }) => created_by))]
  const creators = await db.all(raw<Creator>(text, [db.tenantId, creatorIds, ownKeyId]))
  const byId = new Map(creators.map((creator) => [creator.id, creator]))
  return (key: Key): Key & KeyStanding => {
    const { own_expiry, ...creator } = byId.get(key.created_by) ?? { ...removed, id: key.created_by, own_expiry: null }
    return { ...key, creator, ownExpiry: own_expiry }
  }
}

type StoredKey = Pick<KeyRow, 'created_by' | 'environment_id' | 'scopes' | 'expires_at' | 'revoked_at'>

// The creator was removed at the same time, so the key no longer works. Nobody needs to change it.
const removed = { role: 'owner', accessScope: 'all' } as const
