import { isDeepStrictEqual } from 'node:util'
import { maxContentMatches } from '@mandate/contract/edge'
import type { Tx } from '../../../db/database.ts'
import { type FiledRecord, timeFiled } from '../records/filed-record.ts'
import {
  type FirstRecord,
  findFirstRecords,
  findLeftBehind,
  insertWaiting,
  type ResultDetails,
  storeResultDetails,
  takeWaiting,
  type WaitingResult,
} from './result-queries.ts'
import { findRetention, findStored } from './store-queries.ts'

/** `mergeLeftBehind` looks at results of this time. It runs once a day. */
const leftBehindMs = 2 * 24 * 60 * 60_000

interface Arrived {
  /** Result records that were just stored, in the order of their batch. */
  results: readonly FiledRecord[]
  /** Ids of decisions that were just stored, and whose results arrived before. */
  awaited: readonly string[]
  /** Retentions under which decisions of the tenant may be stored. */
  retentions: readonly number[]
  now: string
}

/**
 * Copies what results showed into the decisions that they belong to. A result whose decision has not arrived waits for it. A result of
 * another agent, credential or key changes nothing.
 */
export async function mergeResults(tx: Tx, { results, awaited, retentions, now }: Arrived): Promise<void> {
  const waiting = awaited.length > 0 ? await takeWaiting(tx, awaited) : []
  const all = [...waiting, ...results.flatMap((result) => waitingOf(result) ?? [])]
  if (all.length === 0) return
  const byFirst = Map.groupBy(all, ({ of }) => of)
  const ids = [...byFirst.keys()].map((id) => ({ id, filedAt: timeFiled(id, now) }))
  const firsts = await findFirstRecords(tx, [...new Set(retentions)], ids)
  const found = new Set(firsts.map(({ decisionId }) => decisionId))
  const changed = firsts.flatMap((first) => {
    const merged = withResults(first, byFirst.get(first.decisionId) ?? [])
    return isDeepStrictEqual(merged, first.resultDetails ?? {}) ? [] : { ...first, resultDetails: merged }
  })
  const early = all.filter(({ of }) => !found.has(of))
  await Promise.all([
    changed.length > 0 && storeResultDetails(tx, changed),
    early.length > 0 && insertWaiting(tx, early, { retentionDays: Math.max(...retentions), now }),
  ])
}

/**
 * Merges results that still wait although their decision is stored. Two transactions that stored the result and the decision at the same time
 * did not see each other. Reads one page, after the id `after`. Returns the last id of the page, or null after the last page.
 */
export async function mergeLeftBehind(tx: Tx, now: string, after: string | null): Promise<string | null> {
  const since = new Date(Date.parse(now) - leftBehindMs).toISOString()
  const ids = await findLeftBehind(tx, { since, after })
  if (ids.length === 0) return null
  const { days, earlier } = await findRetention(tx)
  const retentions = [days, ...earlier]
  const named = ids.map((id) => ({ id, filedAt: timeFiled(id, now) }))
  const stored = await findStored(tx, retentions, named)
  await mergeResults(tx, { results: [], awaited: [...stored.keys()], retentions, now })
  return ids.at(-1) ?? null
}

/** Returns null for a record that shows nothing. */
function waitingOf({ record, edgeId, link }: FiledRecord): WaitingResult | null {
  const { decision_id: decisionId, of, agent_id: agentId, content, threat, labels } = record
  if (of === undefined || (!content && !threat && !labels)) return null
  return { of, decisionId, agentId, edgeId, kid: link?.kid ?? null, details: { content, threat, labels } }
}

function withResults(first: FirstRecord, results: readonly WaitingResult[]): ResultDetails {
  const own = results.filter((result) => isOwnResult(first, result)).map(({ details }) => details)
  const before = first.resultDetails?.content ?? first.content ?? []
  const content = [...before, ...own.flatMap(({ content }) => content ?? [])].slice(0, maxContentMatches)
  const threat = own.findLast(({ threat }) => threat)?.threat
  const labels = own.findLast(({ labels }) => labels)?.labels
  return {
    ...first.resultDetails,
    ...(own.some((one) => one.content?.length) && { content }),
    ...(threat && { threat }),
    ...(labels && { labels }),
  }
}

/** Only the sender of a decision may add to it, and only to a decision that is not a result itself. */
function isOwnResult(first: FirstRecord, { agentId, edgeId, kid }: WaitingResult): boolean {
  const isSameSender = first.agentId === agentId && first.edgeId === edgeId
  return first.resultOf === null && isSameSender && (first.kid === null || first.kid === kid)
}
