import type { Sql, Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import type { DecisionGap } from '../../findings/cases/case-items.ts'
import type { Break, ChainHead, Gap } from './follow-chain.ts'

export interface EdgeKey extends ChainHead {
  kid: string
  /** The edge credential that registered the key. Null for an agent key. */
  edgeId: string | null
  publicKeyPem: string
  attestation: string
  brokenFrom: number | null
  /** The last day, in UTC, on which the audit trail got a hash of the chain. Start of the day, ISO 8601. */
  anchoredDay: string | null
}

const columns = `kid, edge_id as "edgeId", public_key_pem as "publicKeyPem", attestation, head_seq as seq, encode(head_hash, 'hex') as hash,
  highest_seq as "highestSeq", broken_from as "brokenFrom", anchored_day as "anchoredDay"`

export function findEdgeKey(db: Sql, kid: string): Promise<EdgeKey | undefined> {
  const text = `select ${columns} from edge_keys where tenant_id = $1 and kid = $2`
  return db.maybe(raw<EdgeKey>(text, [db.tenantId, kid]))
}

/** Locks the key until the transaction ends, so that the batches of a key are stored one after another. */
export function lockEdgeKey(tx: Tx, kid: string): Promise<EdgeKey | undefined> {
  const text = `select ${columns} from edge_keys where tenant_id = $1 and kid = $2 for no key update`
  return tx.maybe(raw<EdgeKey>(text, [tx.tenantId, kid]))
}

export interface NewEdgeKey {
  kid: string
  credentialId: string
  edgeId: string | null
  agentId: string | null
  publicKeyPem: string
  attestation: string
}

/** Inserts a key, unless the credential registered `most` keys within 24 hours. Returns whether it was inserted. The key must not exist. */
export async function insertEdgeKey(tx: Tx, key: NewEdgeKey, most: number, now: string): Promise<boolean> {
  const text = `
    insert into edge_keys as k (tenant_id, kid, credential_id, edge_id, agent_id, public_key_pem, attestation, created_at, used_at)
    select $1, $2, $3, $4, $5, $6, $7, $8, $8
    where (select count(*) from edge_keys o where o.tenant_id = $1 and o.credential_id = $3
      and o.created_at > $8::timestamptz - interval '24 hours') < $9
    on conflict (tenant_id, kid) do nothing
    returning k.kid`
  const { kid, credentialId, edgeId, agentId, publicKeyPem, attestation } = key
  const values = [kid, credentialId, edgeId, agentId, publicKeyPem, attestation, now, most]
  return (await tx.all(raw(text, [tx.tenantId, ...values]))).length > 0
}

/** Stores that a key is used. Writes at most once in 24 hours. */
export async function storeUse(tx: Tx, kid: string, now: string): Promise<void> {
  const text = `update edge_keys set used_at = $3
    where tenant_id = $1 and kid = $2 and used_at < $3::timestamptz - interval '24 hours'`
  await tx.all(raw(text, [tx.tenantId, kid, now]))
}

export async function storeHead(tx: Tx, kid: string, { seq, hash, highestSeq }: ChainHead, now: string): Promise<void> {
  const text = `update edge_keys set head_seq = $3, head_hash = decode($4, 'hex'), highest_seq = $5, used_at = $6
    where tenant_id = $1 and kid = $2`
  await tx.all(raw(text, [tx.tenantId, kid, seq, hash, highestSeq, now]))
}

export interface StoredGap extends Gap {
  /** The agent with the finding. Null if the batch named no agent that the credential serves. */
  agentId: string | null
  openedAt: string
}

/** Returns the gaps of a key, without its forks. */
export function findGaps(tx: Tx, kid: string): Promise<StoredGap[]> {
  const text = `select from_seq as "from", to_seq as "to", agent_id as "agentId", encode(first_prev, 'hex') as "firstPrev",
      encode(last_hash, 'hex') as "lastHash", opened_at as "openedAt"
    from decision_gaps where tenant_id = $1 and kid = $2 and kind = 'gap' order by from_seq limit $3`
  return tx.all(raw<StoredGap>(text, [tx.tenantId, kid, mostGaps]))
}

/** At most this many gaps of a key are known by themselves. Records in further gaps count as forks when they arrive. */
export const mostGaps = 1_000

export async function insertGaps(tx: Tx, kid: string, gaps: readonly (Break & { openedAt: string })[]): Promise<void> {
  const text = `
    insert into decision_gaps (tenant_id, kid, from_seq, to_seq, kind, agent_id, first_prev, last_hash, opened_at)
    select $1, $2, g.from_seq, g.to_seq, g.kind, g.agent_id, decode(g.first_prev, 'hex'), decode(g.last_hash, 'hex'), g.opened_at
    from unnest($3::bigint[], $4::bigint[], $5::text[], $6::uuid[], $7::text[], $8::text[], $9::timestamptz[])
      as g (from_seq, to_seq, kind, agent_id, first_prev, last_hash, opened_at)
    on conflict (tenant_id, kid, from_seq, kind) do nothing`
  const column = (name: string) => gaps.map((gap) => (gap as unknown as Record<string, unknown>)[name] ?? null)
  const names = ['from', 'to', 'kind', 'agentId', 'firstPrev', 'lastHash', 'openedAt']
  await tx.all(raw(text, [tx.tenantId, kid, ...names.map(column)]))
}

export interface Broken {
  from: number
  to: number
  agentId: string | null
}

/** Gives the gaps and forks of a key that have no agent to an agent: at most `mostGaps` of them, which it returns. */
export function adoptBreaks(tx: Tx, kid: string, agentId: string, now: string): Promise<Broken[]> {
  const text = `
    with adopted as (
      update decision_gaps set agent_id = $3, opened_at = $4
      where tenant_id = $1 and kid = $2 and agent_id is null and (from_seq, kind) in (
        select from_seq, kind from decision_gaps where tenant_id = $1 and kid = $2 and agent_id is null order by from_seq limit $5)
      returning from_seq, to_seq, agent_id)
    select from_seq as "from", to_seq as "to", agent_id as "agentId" from adopted order by from_seq`
  return tx.all(raw<Broken>(text, [tx.tenantId, kid, agentId, now, mostGaps]))
}

/** Returns the newest gaps and forks of an agent that were opened since a time, at most `mostGaps`, the newest last. */
export function findBreaks(tx: Tx, agentId: string, since: string): Promise<DecisionGap[]> {
  const text = `
    select * from (
      select k.edge_id, g.kid, g.from_seq as "from", g.to_seq as "to", g.opened_at
      from decision_gaps g left join edge_keys k on k.tenant_id = $1 and k.kid = g.kid
      where g.tenant_id = $1 and g.agent_id = $2 and g.opened_at >= $3
      order by g.opened_at desc, g.from_seq desc limit $4) newest
    order by opened_at, "from"`
  const found = tx.all(raw<DecisionGap>(text, [tx.tenantId, agentId, since, mostGaps]))
  return found.then((rows) => rows.map(({ edge_id, kid, from, to }) => ({ edge_id, kid, from, to })))
}

export async function deleteGaps(tx: Tx, kid: string, from: readonly number[]): Promise<void> {
  const text = `delete from decision_gaps where tenant_id = $1 and kid = $2 and kind = 'gap' and from_seq = any($3::bigint[])`
  await tx.all(raw(text, [tx.tenantId, kid, from]))
}

/** Stores from which number on the records of a key come after a gap or a fork. */
export async function storeBrokenFrom(tx: Tx, kid: string): Promise<void> {
  const text = `update edge_keys set broken_from =
      (select min(g.from_seq) from decision_gaps g where g.tenant_id = $1 and g.kid = $2)
    where tenant_id = $1 and kid = $2`
  await tx.all(raw(text, [tx.tenantId, kid]))
}

export interface UnstoredLink {
  seq: number
  hash: string
  prev: string
  digest: string
  batchSignature: string | null
}

/** Stores the hashes of records that are not stored as decisions. */
export async function insertLinks(tx: Tx, kid: string, links: readonly UnstoredLink[], now: string): Promise<void> {
  const text = `
    insert into decision_links (tenant_id, kid, seq, record_hash, prev_hash, record_digest, batch_signature, received_at)
    select $1, $2, l.seq, decode(l.hash, 'hex'), decode(l.prev, 'hex'), decode(l.digest, 'hex'), l.signature, $3
    from unnest($4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[]) as l (seq, hash, prev, digest, signature)
    on conflict (tenant_id, kid, seq, record_hash) do nothing`
  const column = <K extends keyof UnstoredLink>(name: K) => links.map((link) => link[name])
  const values = [column('seq'), column('hash'), column('prev'), column('digest'), column('batchSignature')]
  await tx.all(raw(text, [tx.tenantId, kid, now, ...values]))
}

/** Returns the hashes of those records that `insertLinks` stored before. */
export async function findLinks(tx: Tx, kid: string, records: readonly { seq: number; hash: string }[]) {
  const text = `select encode(l.record_hash, 'hex') as hash from decision_links l
    join unnest($3::bigint[], $4::text[]) as g (seq, hash) on l.seq = g.seq and l.record_hash = decode(g.hash, 'hex')
    where l.tenant_id = $1 and l.kid = $2`
  const values = [records.map(({ seq }) => seq), records.map(({ hash }) => hash)]
  const rows = await tx.all(raw<{ hash: string }>(text, [tx.tenantId, kid, ...values]))
  return new Set(rows.map(({ hash }) => hash))
}

/** Returns keys whose last record has no anchor and that got none on `day`, each with the edge or agent that it belongs to. */
export function findUnanchored(tx: Tx, day: string, most: number) {
  const text = `
    select k.kid, case when k.agent_id is null then 'edge' else 'agent' end as type, k.credential_id as id, coalesce(a.name, e.name, '') as name
    from edge_keys k
    left join agents a on a.tenant_id = $1 and a.id = k.agent_id
    left join edges e on e.tenant_id = $1 and e.id = k.edge_id
    where k.tenant_id = $1 and k.head_hash <> k.anchored_hash and (k.anchored_day is null or k.anchored_day < $2::timestamptz)
    order by k.kid limit $3`
  return tx.all(raw<{ kid: string; type: 'edge' | 'agent'; id: string; name: string }>(text, [tx.tenantId, day, most]))
}

export async function storeAnchor(
  tx: Tx,
  { kid, seq, hash, day, entryId }: { kid: string; seq: number; hash: string; day: string; entryId: string },
): Promise<void> {
  const insert = `insert into decision_anchors (tenant_id, kid, seq, hash, day, entry_id)
    values ($1, $2, $3, decode($4, 'hex'), $5, $6) on conflict (tenant_id, kid, seq, hash) do nothing`
  const update = `update edge_keys set anchored_day = greatest(anchored_day, $3), anchored_hash = decode($4, 'hex')
    where tenant_id = $1 and kid = $2`
  await Promise.all([
    tx.all(raw(insert, [tx.tenantId, kid, seq, hash, day, entryId])),
    tx.all(raw(update, [tx.tenantId, kid, day, hash])),
  ])
}
