import type { DecisionRecord } from '@mandate/contract/edge'
import type { Sql } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import type { Anchor, ChainRow } from './receipt-chain.ts'

export interface ReceiptKey {
  publicKeyPem: string
  edgeId: string | null
  attestation: string
}

export function findReceiptKey(db: Sql, kid: string): Promise<ReceiptKey> {
  const text = `select public_key_pem as "publicKeyPem", edge_id as "edgeId", attestation from edge_keys where tenant_id = $1 and kid = $2`
  return db.one(raw<ReceiptKey>(text, [db.tenantId, kid]))
}

const anchorColumns = `seq, encode(hash, 'hex') as hash, entry_id as "entryId"`
const anchorTexts = {
  before: `select ${anchorColumns} from decision_anchors where tenant_id = $1 and kid = $2 and seq < $3 order by seq desc limit $4`,
  from: `select ${anchorColumns} from decision_anchors where tenant_id = $1 and kid = $2 and seq >= $3 order by seq limit $4`,
}

/** Returns anchors before a number, or from a number on, the nearest first. */
export function findAnchors(
  db: Sql,
  which: keyof typeof anchorTexts,
  { kid, seq, most }: { kid: string; seq: number; most: number },
): Promise<Anchor[]> {
  return db.all(raw<Anchor>(anchorTexts[which], [db.tenantId, kid, seq, most]))
}

const rowColumns = (alias: string) =>
  `${alias}.seq, encode(${alias}.prev_hash, 'hex') as prev, encode(${alias}.record_hash, 'hex') as hash,
    encode(${alias}.record_digest, 'hex') as digest, ${alias}.batch_signature as signature`

const storedText = (order: 'asc' | 'desc') => `
  select ${rowColumns('r')} from decision_records r
  where r.tenant_id = $1 and r.kid = $2 and r.seq >= $3::bigint and r.seq <= $4::bigint
    and r.retention_days = $6 and r.filed_at >= $7::timestamptz and r.filed_at < $8::timestamptz
  order by r.seq ${order} limit $5`
const unstoredText = (order: 'asc' | 'desc') => `
  select ${rowColumns('l')} from decision_links l
  where l.tenant_id = $1 and l.kid = $2 and l.seq >= $3::bigint and l.seq <= $4::bigint
  order by l.seq ${order} limit $5`
const rowsTexts = {
  asc: { stored: storedText('asc'), unstored: unstoredText('asc') },
  desc: { stored: storedText('desc'), unstored: unstoredText('desc') },
}

/** Records that were filed from `from` on and before `to`. ISO 8601. */
export interface FiledBetween {
  retentions: readonly number[]
  from: string
  to: string
}

interface NumberSpan {
  /** Both numbers are included. */
  first: number
  last: number
  order: 'asc' | 'desc'
  most: number
}

/**
 * Returns rows of a chain in the order of their numbers. Run it with `planForValues`. There is one statement for each retention: PostgreSQL then
 * plans only the partitions of the span.
 */
export async function findChainRows(
  db: Sql,
  kid: string,
  { retentions, from, to }: FiledBetween,
  { first, last, order, most }: NumberSpan,
): Promise<ChainRow[]> {
  const { stored, unstored } = rowsTexts[order]
  const values = [db.tenantId, kid, first, last, most]
  const found = await Promise.all([
    db.all(raw<ChainRow>(unstored, values)),
    ...retentions.map((retention) => db.all(raw<ChainRow>(stored, [...values, retention, from, to]))),
  ])
  const sign = order === 'asc' ? 1 : -1
  return found
    .flat()
    .sort((a, b) => sign * (a.seq - b.seq))
    .slice(0, most)
}

export interface StoredRecord extends ChainRow {
  sentRecord: string | null
  columns: StoredColumns
}

export interface StoredColumns {
  decision_id: string
  agent_id: string
  tool: string
  effect: DecisionRecord['effect']
  mode: DecisionRecord['mode']
  at: string
  args_digest: string
  rule_id: string | null
  policy_id: string | null
  policy_version: number | null
  policy_hash: string | null
  approval_id: string | null
  session_id: string | null
  on_behalf_of: string | null
  duration_us: number | null
  result_of: string | null
  details: Partial<DecisionRecord> | null
}

/** Returns a signed decision as it is stored, or undefined if it is unsigned. */
export async function findStoredRecord(
  db: Sql,
  { decisionId, retentionDays, filedAt }: { decisionId: string; retentionDays: number; filedAt: string },
): Promise<StoredRecord | undefined> {
  const text = `
    select ${rowColumns('r')}, r.sent_record, r.decision_id, r.agent_id, r.tool, r.effect, r.mode, r.at, r.args_digest, r.rule_id, r.policy_id,
      r.policy_version, r.policy_hash, r.approval_id, r.session_id, r.on_behalf_of, r.duration_us, r.result_of, r.details
    from decision_records r
    where r.tenant_id = $1 and r.decision_id = $2 and r.retention_days = $3 and r.filed_at = $4::timestamptz and r.kid is not null`
  const row = await db.maybe(
    raw<ChainRow & { sent_record: string | null } & StoredColumns>(text, [
      db.tenantId,
      decisionId,
      retentionDays,
      filedAt,
    ]),
  )
  if (!row) return undefined
  const { seq, prev, hash, digest, signature, sent_record: sentRecord, ...columns } = row
  return { seq, prev, hash, digest, signature, sentRecord, columns }
}

export async function findVersionHash(db: Sql, policyId: string, version: number): Promise<string | undefined> {
  const text = 'select content_hash from policy_versions where tenant_id = $1 and policy_id = $2 and version = $3'
  return (await db.maybe(raw<{ content_hash: string }>(text, [db.tenantId, policyId, version])))?.content_hash
}
