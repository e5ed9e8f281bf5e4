import type { AuditCheckpoint, AuditSeal, SealableEntry } from '@mandate/contract/audit-chain'
import { genesisHash } from '@mandate/contract/audit-chain'
import type { ChainHead } from '@mandate/policy/audit-chain'
import type { Sql, Tx } from '../db/database.ts'
import { raw } from '../db/statement.ts'
import { sealableJson } from './entry-json.ts'

/** Tenants that have entries waiting to be sealed, at most `limit`, by id from the first after `after`. */
export async function findTenantsToSeal(global: Sql, limit: number, after: string): Promise<string[]> {
  // One step of the index for each tenant, however long the queue is.
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

/** The chain's head, locked until the transaction ends: whoever seals a tenant's entries is alone. None before the first seal. */
export function lockHead(tx: Tx): Promise<ChainHead | undefined> {
  const text = `
    select seq, encode(chain_hash, 'hex') as chain_hash from audit_heads where tenant_id = $1 for update`
  return tx.maybe(raw<ChainHead>(text, [tx.tenantId]))
}

/** The head of a chain without a link, unless somebody else puts it there first. */
export async function insertHead(tx: Tx): Promise<void> {
  const text = `
    insert into audit_heads (tenant_id, seq, chain_hash) values ($1, 0, decode($2, 'hex')) on conflict (tenant_id) do nothing`
  await tx.all(raw(text, [tx.tenantId, genesisHash]))
}

export function findLastCheckpoint(db: Sql): Promise<AuditCheckpoint | undefined> {
  const text = `
    select tenant_id, seq, encode(chain_hash, 'hex') as chain_hash, signed_at, kid, signature
    from audit_checkpoints where tenant_id = $1 order by seq desc limit 1`
  return db.maybe(raw<AuditCheckpoint>(text, [db.tenantId]))
}

/** Whether one of these keys has signed a checkpoint of the tenant. Reads all of them: asked at the first seal after a rotation only. */
export async function hasCheckpointBy(tx: Tx, kids: readonly string[]): Promise<boolean> {
  const text = 'select 1 from audit_checkpoints where tenant_id = $1 and kid = any($2) limit 1'
  return (await tx.maybe(raw(text, [tx.tenantId, kids]))) !== undefined
}

/** The oldest waiting entries by id, at most `limit`. One that is sealed already is not sealed twice. */
export async function findPending(tx: Tx, limit: number): Promise<SealableEntry[]> {
  const text = `
    select ${sealableJson} as entry from audit_unsealed q
    join lateral (select * from audit_entries x where x.tenant_id = $1 and x.id = q.entry_id limit 1) e on true
    where q.tenant_id = $1 and not exists (
      select from audit_seals s where s.tenant_id = q.tenant_id and s.entry_id = q.entry_id)
    order by q.entry_id limit $2`
  return (await tx.all(raw<{ entry: string }>(text, [tx.tenantId, limit]))).map((row) => JSON.parse(row.entry))
}

/** Writes seals, moves the head to the last of them, signs it and takes the entries off the queue. */
export async function writeSeals(
  tx: Tx,
  seals: readonly (AuditSeal & { entry_id: string })[],
  signed: AuditCheckpoint,
) {
  const { seq, chain_hash, kid, signature, signed_at } = signed
  const ids = seals.map((seal) => seal.entry_id)
  const insertSeals = `
    insert into audit_seals (tenant_id, seq, entry_id, entry_hash, chain_hash, sealed_at)
    select $1, s.seq, s.entry_id, decode(s.entry_hash, 'hex'), decode(s.chain_hash, 'hex'), $6
    from unnest($2::bigint[], $3::uuid[], $4::text[], $5::text[]) s (seq, entry_id, entry_hash, chain_hash)`
  await Promise.all([
    tx.all(
      raw(insertSeals, [
        tx.tenantId,
        seals.map((seal) => seal.seq),
        ids,
        seals.map((seal) => seal.entry_hash),
        seals.map((seal) => seal.chain_hash),
        signed_at,
      ]),
    ),
    tx.all(
      raw(`update audit_heads set seq = $2, chain_hash = decode($3, 'hex') where tenant_id = $1`, [
        tx.tenantId,
        seq,
        chain_hash,
      ]),
    ),
    tx.all(
      raw(
        `insert into audit_checkpoints (tenant_id, seq, chain_hash, kid, signature, signed_at)
         values ($1, $2, decode($3, 'hex'), $4, $5, $6)`,
        [tx.tenantId, seq, chain_hash, kid, signature, signed_at],
      ),
    ),
    tx.all(raw('delete from audit_unsealed where tenant_id = $1 and entry_id = any($2)', [tx.tenantId, ids])),
  ])
}
