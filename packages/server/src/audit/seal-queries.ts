import type { AuditCheckpoint, AuditSeal, SealableEntry } from '@mandate/contract/audit/audit-chain'
import type { ChainHead } from '@mandate/proofs/audit-chain'
import type { Sql, Tx } from '../db/database.ts'
import { raw } from '../db/statements/statement.ts'
import { sealableJson } from './entry-json.ts'

/**
 * Finds the tenants that have entries waiting for a seal: at most `limit` tenants, ordered by id, that come after the tenant id
 * `after`.
 */
export async function findTenantsToSeal(global: Sql, limit: number, after: string): Promise<string[]> {
  // The recursive query takes one index step per tenant, so its cost does not depend on the length of the queue.
  const text = `
    with recursive waiting as (
      (select tenant_id from audit_unsealed where tenant_id > $2 order by tenant_id limit 1)
      union all
      select (select q.tenant_id from audit_unsealed q where q.tenant_id > w.tenant_id order by q.tenant_id limit 1)
      from waiting w where w.tenant_id is not null
    )
    select tenant_id from waiting where tenant_id is not null limit $1`
  return (await global.all(raw<{ tenant_id: string }>(text, [limit, after]))).map((row) => row.tenant_id)
}

export async function hasPending(db: Sql): Promise<boolean> {
  const found = await db.maybe(raw('select 1 from audit_unsealed where tenant_id = $1 limit 1', [db.tenantId]))
  return found !== undefined
}

/** Counts waiting entries. Stops counting at `atMost`. */
export async function countPending(db: Sql, atMost: number): Promise<number> {
  const text = `
    select count(*) as pending from (select from audit_unsealed where tenant_id = $1 limit $2) q`
  return (await db.one(raw<{ pending: number }>(text, [db.tenantId, atMost]))).pending
}

/** Takes the tenant's lock for sealing. PostgreSQL releases it when the transaction ends. */
export async function lockTrail(tx: Tx): Promise<void> {
  await tx.all(raw(`select pg_advisory_xact_lock(hashtextextended('audit trail ' || $1, 0))`, [tx.tenantId]))
}

/** Reads the head of the chain. Returns undefined before the first seal. */
export function findHead(db: Sql): Promise<ChainHead | undefined> {
  const text = `
    select seq, encode(chain_hash, 'hex') as chain_hash from audit_heads where tenant_id = $1 and seq > 0`
  return db.maybe(raw<ChainHead>(text, [db.tenantId]))
}

export function findLastCheckpoint(db: Sql): Promise<AuditCheckpoint | undefined> {
  const text = `
    select tenant_id, seq, encode(chain_hash, 'hex') as chain_hash, signed_at, previous_seq, kid, signature
    from audit_checkpoints where tenant_id = $1 order by seq desc limit 1`
  return db.maybe(raw<AuditCheckpoint>(text, [db.tenantId]))
}

/**
 * Returns whether one of these keys has signed a checkpoint of the tenant. This reads all checkpoints, so call it only for the
 * first seal after a key rotation.
 */
export async function hasCheckpointBy(tx: Tx, kids: readonly string[]): Promise<boolean> {
  const text = 'select 1 from audit_checkpoints where tenant_id = $1 and kid = any($2) limit 1'
  return (await tx.maybe(raw(text, [tx.tenantId, kids]))) !== undefined
}

/**
 * A row of the sealing queue, with its audit entry. `entry` is null if the audit entry is gone. `is_sealed` is true if the
 * audit entry already has a seal.
 */
export interface PendingRow {
  entry_id: string
  mac: Buffer | null
  entry: SealableEntry | null
  is_sealed: boolean
}

/** Reads the tenant's rows of the sealing queue, each with its audit entry: the `limit` rows with the lowest entry ids. */
export async function findPending(db: Sql, limit: number): Promise<PendingRow[]> {
  // Reads the queue first, and then looks up each entry. A plain join could read the tenant's whole trail for each batch.
  const text = `
    with q as materialized (
      select entry_id, mac from audit_unsealed where tenant_id = $1 order by entry_id limit $2
    )
    select q.entry_id, q.mac, case when e.id is not null then ${sealableJson} end as entry, s.seq is not null as is_sealed
    from q
    left join lateral (select * from audit_entries x where x.tenant_id = $1 and x.id = q.entry_id limit 1) e on true
    left join lateral (select x.seq from audit_seals x where x.tenant_id = $1 and x.entry_id = q.entry_id limit 1) s on true
    order by q.entry_id`
  const rows = await db.all(raw<PendingRow & { entry: string | null }>(text, [db.tenantId, limit]))
  return rows.map((row) => ({ ...row, entry: row.entry === null ? null : JSON.parse(row.entry) }))
}

/** Inserts seals, moves the head of the chain to the last seal, and inserts the signed checkpoint. */
export async function writeSeals(
  tx: Tx,
  seals: readonly (AuditSeal & { entry_id: string })[],
  signed: AuditCheckpoint,
) {
  const { seq, chain_hash, kid, signature, signed_at, previous_seq } = signed
  const insertSeals = `
    insert into audit_seals (tenant_id, seq, entry_id, entry_hash, chain_hash, sealed_at)
    select $1, s.seq, s.entry_id, decode(s.entry_hash, 'hex'), decode(s.chain_hash, 'hex'), $6
    from unnest($2::bigint[], $3::uuid[], $4::text[], $5::text[]) s (seq, entry_id, entry_hash, chain_hash)`
  await Promise.all([
    tx.all(
      raw(insertSeals, [
        tx.tenantId,
        seals.map((seal) => seal.seq),
        seals.map((seal) => seal.entry_id),
        seals.map((seal) => seal.entry_hash),
        seals.map((seal) => seal.chain_hash),
        signed_at,
      ]),
    ),
    tx.all(raw(`select advance_audit_head($1, decode($2, 'hex'))`, [seq, chain_hash])),
    tx.all(
      raw(
        `insert into audit_checkpoints (tenant_id, seq, chain_hash, kid, signature, signed_at, previous_seq)
         values ($1, $2, decode($3, 'hex'), $4, $5, $6, $7)`,
        [tx.tenantId, seq, chain_hash, kid, signature, signed_at, previous_seq],
      ),
    ),
  ])
}

/** Removes entries from the sealing queue. */
export async function removeFromQueue(tx: Tx, entryIds: readonly string[]): Promise<void> {
  await tx.all(raw('delete from audit_unsealed where tenant_id = $1 and entry_id = any($2)', [tx.tenantId, entryIds]))
}
