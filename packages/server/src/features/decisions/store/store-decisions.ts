import type { Tx } from '../../../db/database.ts'
import type { FeedDecision } from '../../../events/decision-feed.ts'
import type { DecisionMemory, Span } from '../../../memory/decision-memory.ts'
import type { Metrics } from '../../../metrics/metrics.ts'
import { storeAgentDays, storeCounts } from '../counts/count-queries.ts'
import { bucketOf, countAgentDays, countDecisions, grains } from '../records/count-decisions.ts'
import type { FiledRecord } from '../records/filed-record.ts'
import { storeArguments } from './kept-arguments.ts'
import { admitKinds } from './known-names.ts'
import { mergeResults } from './merge-results.ts'
import { findStored, insertDecisions, type Retention, widenSpans } from './store-queries.ts'

const hourMs = 60 * 60_000

export interface Stored {
  /** Ids of the decisions that were new. */
  accepted: Set<string>
  /** The new decisions, without records that only describe a result. */
  calls: FeedDecision[]
  /** Call this after the commit. */
  remember(): void
}

/** What storing a batch depends on. */
export interface StoreOptions {
  memory: DecisionMemory
  metrics: Pick<Metrics, 'decisionStored'>
  retention: Retention
  /** See `BatchPlaces`. */
  place: number
  now: string
}

/**
 * Stores decisions that are not stored yet, and counts them, in one transaction. Result records are stored and not counted. Signed
 * decisions must be of one key.
 */
export async function storeDecisions(
  tx: Tx,
  filed: readonly FiledRecord[],
  { memory, metrics, retention, place, now }: StoreOptions,
): Promise<Stored> {
  const { days: retentionDays, earlier } = retention
  const fresh = earlier.length > 0 ? await withoutStored(tx, firstOfEach(filed), earlier) : firstOfEach(filed)
  const { accepted, awaited } = await insertDecisions(tx, fresh, { retentionDays, now })
  const stored = fresh.filter(({ record }) => accepted.has(record.decision_id))
  const results = stored.filter(({ record }) => record.of !== undefined)
  const calls = stored.filter(({ record }) => record.of === undefined)
  const { counted, remember } = await admitKinds(tx, memory.names, calls, now)
  const spans = memory.unstored(tx.tenantId, retentionDays, spansOf(stored))
  await Promise.all([
    ...grains.map((grain) => storeCounts(tx, grain, countDecisions(counted, grain, now, place))),
    storeAgentDays(tx, countAgentDays(counted, now)),
    storeArguments(tx, memory, counted, retentionDays),
    spans.length > 0 && widenSpans(tx, retentionDays, spans),
    mergeResults(tx, { results, awaited, retentions: [retentionDays, ...earlier], now }),
  ])
  return {
    accepted,
    calls: calls.map(({ record, filedAt }) => ({
      decisionId: record.decision_id,
      agentId: record.agent_id,
      retentionDays,
      filedAt,
    })),
    remember() {
      remember()
      for (const { record } of calls) metrics.decisionStored(record)
      memory.addSpans(tx.tenantId, retentionDays, spans)
    },
  }
}

/** A decision may be in a batch twice, or in two batches. The first record counts. */
function firstOfEach(filed: readonly FiledRecord[]): FiledRecord[] {
  const ids = new Set<string>()
  return filed.filter(({ record }) => !ids.has(record.decision_id) && ids.add(record.decision_id))
}

/** Leaves out decisions that are stored under a retention that the tenant had before. */
async function withoutStored(tx: Tx, filed: FiledRecord[], earlier: readonly number[]): Promise<FiledRecord[]> {
  const ids = filed.map(({ record, filedAt }) => ({ id: record.decision_id, filedAt }))
  const stored = await findStored(tx, earlier, ids)
  return filed.filter(({ record }) => !stored.has(record.decision_id))
}

function spansOf(stored: readonly FiledRecord[]): Span[] {
  const spans = new Map<string, Span>()
  for (const { record, filedAt } of stored) {
    const day = bucketOf(filedAt, 'day')
    const firstAt = bucketOf(record.at, 'hour')
    const lastAt = new Date(Date.parse(firstAt) + hourMs).toISOString()
    const span = spans.get(day) ?? { day, firstAt, lastAt }
    if (firstAt < span.firstAt) span.firstAt = firstAt
    if (lastAt > span.lastAt) span.lastAt = lastAt
    spans.set(day, span)
  }
  return [...spans.values()]
}
