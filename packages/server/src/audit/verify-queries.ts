import type { AuditCheckpoint, AuditSeal, SealableEntry } from '@mandate/contract/audit/audit-chain'
import type { ChainEnds } from '@mandate/proofs/audit-chain'
import type { Sql } from '../db/database.ts'
import { raw } from '../db/statements/statement.ts'
import { sealableJson } from './entry-json.ts'

/**
 * Reads where the tenant's chain ends in each of the three tables of the chain: `audit_heads`, `audit_seals` and
 * `audit_checkpoints`. If rows were deleted from the end of one table, the sequence numbers differ.
 */
export async function findChainEnds(db: Sql): Promise<ChainEnds> {
  const text = `
    select (select json_build_object('seq', h.seq, 'chain_hash', encode(h.chain_hash, 'hex'))
        from audit_heads h where h.tenant_id = $1 and h.seq > 0) as head,
      coalesce((select max(seq) from audit_seals where tenant_id = $1), 0) as last_seal,
      coalesce((select max(seq) from audit_checkpoints where tenant_id = $1), 0) as last_checkpoint`
  return await db.one(raw<ChainEnds>(text, [db.tenantId]))
}

export interface SealedRow extends AuditSeal {
  entry_id: string
  entry: SealableEntry | null
  checkpoint: Omit<AuditCheckpoint, 'signed_at'> | null
  signed_at: string | null
}

/**
 * Reads the seals after number `after` up to number `upTo`, in order. Each seal comes with its entry, and with its checkpoint
 * if it has one.
 */
export async function findSealed(db: Sql, after: number, upTo: number): Promise<SealedRow[]> {
  // Each seal is looked up with a lateral join. With plain joins, PostgreSQL could keep a plan from the time when the tables
  // were small, and read the tenant's whole trail.
  const text = `
    select s.seq, s.entry_id, encode(s.entry_hash, 'hex') as entry_hash, encode(s.chain_hash, 'hex') as chain_hash,
      case when e.id is not null then ${sealableJson} end as entry,
      case when c.seq is not null then json_build_object('tenant_id', c.tenant_id, 'seq', c.seq,
        'chain_hash', encode(c.chain_hash, 'hex'), 'previous_seq', c.previous_seq, 'kid', c.kid,
        'signature', c.signature) end as checkpoint,
      c.signed_at
    from audit_seals s
    left join lateral (select * from audit_entries x where x.tenant_id = $1 and x.id = s.entry_id limit 1) e on true
    left join lateral (select * from audit_checkpoints x where x.tenant_id = $1 and x.seq = s.seq limit 1) c on true
    where s.tenant_id = $1 and s.seq > $2 and s.seq <= $3
    order by s.seq`
  const rows = await db.all(raw<SealedRow & { entry: string | null }>(text, [db.tenantId, after, upTo]))
  return rows.map((row) => ({ ...row, entry: row.entry === null ? null : JSON.parse(row.entry) }))
}

/**
 * Returns two ids. `unsealed` is the first entry that is neither sealed, nor in the sealing queue, nor refused. `gone` is the
 * entry id of the first row in the sealing queue whose entry was deleted.
 */
export function findStray(db: Sql): Promise<{ unsealed: string | null; gone: string | null }> {
  const text = `
    select (select e.id from audit_entries e where e.tenant_id = $1
        and not exists (select from audit_seals s where s.tenant_id = $1 and s.entry_id = e.id)
        and not exists (select from audit_unsealed q where q.tenant_id = $1 and q.entry_id = e.id)
        and not exists (select from audit_refused r where r.tenant_id = $1 and r.entry_id = e.id)
        order by e.id limit 1) as unsealed,
      (select q.entry_id from audit_unsealed q where q.tenant_id = $1
        and not exists (select from audit_entries e where e.tenant_id = $1 and e.id = q.entry_id)
        order by q.entry_id limit 1) as gone`
  return db.one(raw<{ unsealed: string | null; gone: string | null }>(text, [db.tenantId]))
}
