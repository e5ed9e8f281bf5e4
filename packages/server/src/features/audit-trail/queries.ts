import type { AuditFilters } from '@mandate/contract/audit/audit'
import { sql as fragment } from 'kysely'
import { entryJson, sealedLine } from '../../audit/entry-json.ts'
import { seesEveryEntry } from '../../audit/entry-visibility.ts'
import type { Member } from '../../authz/actor.ts'
import type { Sql } from '../../db/database.ts'
import { sql } from '../../db/statements/statement.ts'
import { isWanted } from './entry-filters.ts'

/** An entry's id and its JSON text. */
export interface EntryRow {
  id: string
  entry: string
}

/** Returns entries that the actor sees and that pass the filters, oldest first, after `afterId`. */
export function findOlderFirst(
  db: Sql,
  actor: Member,
  filters: AuditFilters,
  afterId: string | undefined,
  limit: number,
) {
  const found = entriesOf(db, actor, filters).orderBy('e.id').limit(limit)
  return db.all(afterId === undefined ? found : found.where('e.id', '>', afterId))
}

/**
 * Returns the sequence numbers of the first and the last sealed entry that the actor sees and that match the filters. Returns null
 * if no entry matches.
 */
export async function findSealedRange(db: Sql, actor: Member, filters: AuditFilters) {
  const { first, last } = await db.one(
    sql
      .selectFrom('audit_entries as e')
      .innerJoin('audit_seals as s', (join) =>
        join.onRef('s.tenant_id', '=', 'e.tenant_id').onRef('s.entry_id', '=', 'e.id'),
      )
      .select(({ fn }) => [fn.min<number | null>('s.seq').as('first'), fn.max<number | null>('s.seq').as('last')])
      .where('e.tenant_id', '=', db.tenantId)
      .where(isWanted(actor, filters)),
  )
  return first === null || last === null ? null : { first, last }
}

/** A checkpoint's JSON text and its sequence number in the chain. */
export interface CheckpointRow {
  seq: number
  line: string
}

/** SQL that writes a row `c` of audit_checkpoints as a line of an export. */
const checkpointLine = fragment<string>`json_strip_nulls(json_build_object('checkpoint', json_build_object(
  'tenant_id', c.tenant_id, 'seq', c.seq, 'chain_hash', encode(c.chain_hash, 'hex'),
  'signed_at', wire_time(c.signed_at), 'previous_seq', c.previous_seq, 'kid', c.kid, 'signature', c.signature)))::text`

const checkpointsOf = (db: Sql) =>
  sql
    .selectFrom('audit_checkpoints as c')
    .select(['c.seq', checkpointLine.as('line')])
    .where('c.tenant_id', '=', db.tenantId)

/** Returns the last checkpoint before a sequence number. */
export function findCheckpointBefore(db: Sql, seq: number): Promise<CheckpointRow | undefined> {
  return db.maybe(checkpointsOf(db).where('c.seq', '<', seq).orderBy('c.seq', 'desc').limit(1))
}

/** Returns the first checkpoint at or after a sequence number. */
export function findCheckpointFrom(db: Sql, seq: number): Promise<CheckpointRow | undefined> {
  return db.maybe(checkpointsOf(db).where('c.seq', '>=', seq).orderBy('c.seq').limit(1))
}

/** One place in the chain: the seal of an entry, and the checkpoint after it if there is one. */
export interface LinkRow {
  seq: number
  entry_hash: string
  /** JSON of the entry with its seal; null if the entry is withheld or missing. */
  line: string | null
  is_missing: boolean
  /** JSON of the checkpoint with this `seq`, or null. */
  checkpoint: string | null
}

/**
 * Returns the places of the chain (the sealed entries) with a sequence number greater than `after` and at most `upTo`, in
 * order. Returns at most `limit` places.
 */
export function findLinks(
  db: Sql,
  actor: Member,
  filters: AuditFilters,
  range: { after: number; upTo: number; limit: number },
): Promise<LinkRow[]> {
  const line = fragment<string | null>`(
    select ${fragment.raw(sealedLine)}
    from audit_entries e where e.tenant_id = s.tenant_id and e.id = s.entry_id and ${isWanted(actor, filters)})`
  const isMissing = fragment<boolean>`not exists (
    select from audit_entries e where e.tenant_id = s.tenant_id and e.id = s.entry_id)`
  const checkpoint = fragment<string | null>`(
    select ${checkpointLine} from audit_checkpoints c where c.tenant_id = s.tenant_id and c.seq = s.seq)`
  return db.all(
    sql
      .selectFrom('audit_seals as s')
      .select([
        's.seq',
        fragment<string>`encode(s.entry_hash, 'hex')`.as('entry_hash'),
        line.as('line'),
        isMissing.as('is_missing'),
        checkpoint.as('checkpoint'),
      ])
      .where('s.tenant_id', '=', db.tenantId)
      .where('s.seq', '>', range.after)
      .where('s.seq', '<=', range.upTo)
      .orderBy('s.seq')
      .limit(range.limit),
  )
}

/** True if the actor sees every entry of the trail and no filter leaves out an entry. */
export function isWholeTrail(actor: Member, filters: AuditFilters): boolean {
  return seesEveryEntry(actor) && Object.values(filters).every((value) => value === undefined)
}

function entriesOf(db: Sql, actor: Member, filters: AuditFilters) {
  return sql
    .selectFrom('audit_entries as e')
    .select(['e.id', fragment<string>`${fragment.raw(entryJson)}`.as('entry')])
    .where('e.tenant_id', '=', db.tenantId)
    .where(isWanted(actor, filters))
}
