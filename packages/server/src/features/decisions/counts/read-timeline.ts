import { maxTimelineBuckets, maxTimelineKeys, type TimelineQuery } from '@mandate/contract/decisions'
import { timeInRange } from '@mandate/contract/fields/time-range'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Sql } from '../../../db/database.ts'
import { planForValues } from '../../../db/plan-once.ts'
import { keptDays } from '../../../db/schema/partitions.ts'
import { invalid } from '../../../refusal.ts'
import { bucketOf, type Grain, lengthOfBucketMs, oldestBucket, tenantSubjects } from '../records/count-decisions.ts'
import { requireOrder } from '../records/require-order.ts'
import { findBusiestAgents } from './busiest-agents.ts'
import { countFilterOf } from './count-filter.ts'
import { type CountFilter, type CountRow, findCounts, findNames, noneKey, otherKey } from './timeline-queries.ts'

export interface Timeline {
  buckets: { start: string; counts: Record<string, number> }[]
  keys: { key: string; name: string | null; total: number }[]
}

const dayMs = 24 * 60 * 60_000

/**
 * Counts the decisions that the caller sees, by bucket of time and by key.
 * @throws 400 for a reversed span, too many buckets, buckets that are not kept that long, or a tool pattern that needs `agent_id`
 */
export async function readTimeline(ctx: Ctx<Member>, query: TimelineQuery): Promise<Timeline> {
  const { bucket: grain, group_by: group } = query
  if (query.tool?.includes('*') && query.tool !== '*' && query.agent_id === undefined) {
    throw invalid('tool with * needs agent_id')
  }
  const starts = startsOf(query, ctx.now)
  const [first, last] = [starts[0], starts.at(-1)]
  if (first === undefined || last === undefined) return { buckets: [], keys: [] }
  const span = { from: first, to: timeInRange(Date.parse(last) + lengthOfBucketMs[grain]) }
  return await ctx.services.db.transaction(ctx.actor.tenantId, async (tx) => {
    const [, filter] = await Promise.all([planForValues(tx), countFilterOf(tx, ctx.actor, query, span)])
    const rows = await countBy(tx, filter, grain, group)
    return await timelineOf(tx, ctx.actor, rows, starts, group)
  })
}

/** The starts of the buckets of a span, oldest first. */
function startsOf({ from, to, bucket: grain }: TimelineQuery, now: string): string[] {
  requireOrder(from, to)
  const end = to ?? now
  const begin = from ?? timeInRange(Date.parse(end) - dayMs)
  requireOrder(begin, end)
  const lengthMs = lengthOfBucketMs[grain]
  const firstMs = Date.parse(bucketOf(begin, grain))
  const number = Math.ceil((Date.parse(end) - firstMs) / lengthMs)
  if (number > maxTimelineBuckets) {
    throw invalid(`the span has more than ${maxTimelineBuckets} buckets: choose a longer bucket or a shorter span`)
  }
  if (number > 0 && new Date(firstMs).toISOString() < oldestBucket(now, grain)) {
    throw invalid(`counts by ${grain} are kept for ${keptDays[grain]} days: choose a longer bucket or a later from`)
  }
  return Array.from({ length: number }, (_, n) => new Date(firstMs + n * lengthMs).toISOString())
}

/** Counts by agent are those of the busiest agents. The tenant's counts give what is left. */
async function countBy(
  db: Sql,
  filter: CountFilter,
  grain: Grain,
  group: TimelineQuery['group_by'],
): Promise<CountRow[]> {
  const byKey = { grain, key: group, byBucket: true, mostKeys: maxTimelineKeys }
  if (group !== 'agent') {
    const subjects = filter.of === 'tenant' && group !== 'effect' ? tenantSubjects : filter.subjects
    return await findCounts(db, { ...filter, subjects }, byKey)
  }
  const agents = await findBusiestAgents(db, filter, maxTimelineKeys)
  if (agents === null) return await findCounts(db, filter, byKey)
  const edgeId = filter.of === 'edge' ? (filter.subjects[0] as string) : filter.edgeId
  const [all, own] = await Promise.all([
    findCounts(db, filter, { ...byKey, key: 'effect' }),
    findCounts(db, { ...filter, subjects: agents, edgeId }, byKey),
  ])
  return [...own, ...restOf(all, own)]
}

/** Returns what is left of all counts after the counts of single keys, by bucket and effect. */
export function restOf(all: readonly CountRow[], own: readonly CountRow[]): CountRow[] {
  const left = new Map(all.map((row) => [`${row.bucket} ${row.effect}`, { ...row, key: otherKey }]))
  for (const { bucket, effect, calls } of own) {
    const row = left.get(`${bucket} ${effect}`)
    if (row) row.calls = Math.max(0, row.calls - calls)
  }
  return [...left.values()].filter(({ calls }) => calls > 0)
}

async function timelineOf(
  db: Sql,
  actor: Member,
  rows: readonly CountRow[],
  starts: readonly string[],
  group: TimelineQuery['group_by'],
): Promise<Timeline> {
  const counts = new Map(starts.map((start) => [start, new Map<string, number>()]))
  const totals = new Map<string, number>()
  for (const { bucket, key, calls } of rows) {
    for (const sums of [counts.get(bucket), totals]) sums?.set(key, (sums.get(key) ?? 0) + calls)
  }
  const names = await nameKeys(db, actor, group, [...totals.keys()])
  return {
    buckets: [...counts].map(([start, sums]) => ({ start, counts: Object.fromEntries(sums) })),
    keys: [...totals].map(([key, total]) => ({ key, name: names(key), total })),
  }
}

/** Returns a function that gives the name of a key. The name is null for a deleted object, and for a policy or rule that may not be named. */
export async function nameKeys(
  db: Sql,
  actor: Member,
  group: TimelineQuery['group_by'] | 'environment',
  keys: readonly string[],
): Promise<(key: string) => string | null> {
  if (group === 'effect' || group === 'tool') return (key) => key
  const ids = keys.filter((key) => key !== otherKey && key !== noneKey)
  const names = await findNames(db, actor, group, ids)
  return (key) => (key === otherKey || key === noneKey ? key : (names.get(key) ?? null))
}
