import type { DecisionReceipt } from '@mandate/contract/decisions'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Sql } from '../../../db/database.ts'
import { planForValues } from '../../../db/plan-once.ts'
import { conflict } from '../../../refusal.ts'
import { withDecision } from '../list/get-decision.ts'
import { oldestKept } from '../records/filed-record.ts'
import { readRetention } from '../store/store-queries.ts'
import { rebuildRecord } from './rebuild-record.ts'
import { type Anchor, BackwardWalk, type ChainRow, ForwardWalk } from './receipt-chain.ts'
import {
  type FiledBetween,
  findAnchors,
  findChainRows,
  findReceiptKey,
  findStoredRecord,
  findVersionHash,
} from './receipt-queries.ts'

/** Most records between two anchors that a receipt has. */
const mostLinks = 100_000
const firstPage = 1_000
const pageSize = 10_000
/** A batch has at most this many records, so the next signature is at most this far away. */
const longestBatch = 1_000
/** After forks, the nearest anchor may be on another branch. This many are tried. */
const mostAnchors = 50
const dayMs = 24 * 60 * 60_000
/** Records that follow each other are usually filed within this time. */
const nearMs = 2 * dayMs

/**
 * Returns the proof that an edge signed a decision.
 * @throws 404, and 409 if the decision is unsigned, or if too many records are between the anchors
 */
export function readReceipt(ctx: Ctx<Member>, id: string): Promise<DecisionReceipt> {
  return withDecision(ctx, id, async (db, key, { receipt, policy }) => {
    const stored = receipt && (await findStoredRecord(db, key))
    if (!receipt || !stored) throw conflict('this decision is unsigned')
    const { kid } = receipt
    await planForValues(db)
    const near = { kid, seq: stored.seq, most: mostAnchors }
    const [signer, before, after, { days, earlier }, contentHash] = await Promise.all([
      findReceiptKey(db, kid),
      findAnchors(db, 'before', near),
      findAnchors(db, 'from', near),
      readRetention(db),
      policy?.version && policy.name !== null ? findVersionHash(db, policy.id, policy.version) : undefined,
    ])
    const reading = new ChainReading(db, kid, [days, ...earlier], key.filedAt, ctx.now)
    const backward = await reading.walkBackward(stored, before)
    const forward = await reading.walkForward(stored, after)
    const next = forward.rows
    if (!next) throw conflict('the signature of the batch that has this decision is not stored any more')
    if (backward.rows.length + next.length > mostLinks) throw tooManyLinks()
    return {
      format: 'mandate decision receipt' as const,
      tenant_id: db.tenantId,
      key: {
        kid,
        public_key_pem: signer.publicKeyPem,
        edge_id: signer.edgeId,
        attestation: signer.attestation,
      },
      record: rebuildRecord(stored),
      policy:
        contentHash !== undefined && policy?.version
          ? { id: policy.id, version: policy.version, content_hash: contentHash }
          : null,
      previous_anchor: anchorOf(backward.anchor),
      next_anchor: anchorOf(forward.anchor),
      start: backward.start,
      links: [...backward.rows.reverse(), ...next].map(linkOf),
    }
  })
}

function anchorOf(anchor: Anchor | null): DecisionReceipt['next_anchor'] {
  return anchor && { seq: anchor.seq, hash: anchor.hash, entry_id: anchor.entryId }
}

function linkOf({ seq, digest, hash, signature }: ChainRow): DecisionReceipt['links'][number] {
  return { seq, digest, hash, ...(signature !== null && { signature }) }
}

interface Walk {
  isWhole: boolean
  isDone: boolean
  take(row: ChainRow): void
}

/** Reads the chain around a record in pages. */
class ChainReading {
  private readonly db: Sql
  private readonly kid: string
  private readonly near: FiledBetween
  private readonly wide: FiledBetween

  constructor(db: Sql, kid: string, retentions: readonly number[], filedAt: string, now: string) {
    this.db = db
    this.kid = kid
    const around = (ms: number) => new Date(Date.parse(filedAt) + ms).toISOString()
    this.near = { retentions, from: around(-nearMs), to: around(nearMs) }
    const latest = new Date(Date.parse(now) + nearMs).toISOString()
    this.wide = { retentions, from: oldestKept(now, Math.max(...retentions)), to: latest }
  }

  walkBackward(record: ChainRow, anchors: readonly Anchor[]): Promise<BackwardWalk> {
    return this.widening(() => new BackwardWalk(record, anchors), { first: 1, last: record.seq - 1, order: 'desc' })
  }

  walkForward(record: ChainRow, anchors: readonly Anchor[]): Promise<ForwardWalk> {
    const last = (anchors.at(-1)?.seq ?? record.seq) + longestBatch
    return this.widening(() => new ForwardWalk(record, anchors), { first: record.seq + 1, last, order: 'asc' })
  }

  /** Reads the records that were filed near the record. Reads the others only if the walk does not reach its end among these. */
  private async widening<W extends Walk>(start: () => W, span: Span): Promise<W> {
    const near = await this.follow(start(), this.near, span)
    return near.isWhole ? near : await this.follow(start(), this.wide, span)
  }

  private async follow<W extends Walk>(walk: W, filed: FiledBetween, { order, ...span }: Span): Promise<W> {
    let { first, last } = span
    let read = 0
    for (let most = firstPage; !walk.isDone && first <= last; most = pageSize) {
      const rows = await findChainRows(this.db, this.kid, filed, { first, last, order, most })
      for (const row of rows) walk.take(row)
      const end = rows.at(-1)
      if (!end || rows.length < most || walk.isDone) break
      read += rows.length
      // The rows of the last number may be incomplete, so they are read again. A page of one number would be read forever.
      if (read > mostLinks || rows[0]?.seq === end.seq) throw tooManyLinks()
      if (order === 'asc') first = end.seq
      else last = end.seq
    }
    return walk
  }
}

interface Span {
  first: number
  last: number
  order: 'asc' | 'desc'
}

const tooManyLinks = () =>
  conflict('a receipt has at most 100,000 records, and there are more between the anchors of this decision')
