import { keptDays } from '../../db/partitions.ts'
import type { FiledRecord } from './filed-record.ts'
import type { Kind } from './kinds.ts'

/** Number of decisions of one kind in one bucket of time. `edgeId` is set for agents only; otherwise it is `noEdge`. */
export interface Count {
  subjectId: string
  bucket: string
  kindId: string
  edgeId: string
  calls: number
}

export const grains = ['minute', 'hour', 'day'] as const
export type Grain = (typeof grains)[number]

const minuteMs = 60_000
/** Length of a bucket, in milliseconds. */
export const lengthOfBucketMs: Record<Grain, number> = {
  minute: minuteMs,
  hour: 60 * minuteMs,
  day: 24 * 60 * minuteMs,
}

export const noEdge = '00000000-0000-0000-0000-000000000000'

/**
 * Ids that stand for the whole tenant. The counts of a tenant are spread over them by edge. Otherwise many edges that send at the same
 * time would wait for the lock of one row. Readers add up all of them.
 */
export const tenantSubjects: readonly string[] = Array.from({ length: 8 }, (_, n) => noEdge.slice(0, -1) + n)

/** Ids that stand for the whole tenant, with counts only by environment, effect and mode. */
export const totalSubjects: readonly string[] = Array.from(
  { length: 8 },
  (_, n) => noEdge.slice(0, -1) + (n + 8).toString(16),
)

/** Returns the start of the bucket that contains a time. ISO 8601, UTC. */
export function bucketOf(time: string, grain: Grain): string {
  const ms = Date.parse(time)
  return new Date(ms - (ms % lengthOfBucketMs[grain])).toISOString()
}

/** Returns the start of the oldest bucket that is kept. */
export function oldestBucket(now: string, grain: Grain): string {
  return bucketOf(new Date(Date.parse(now) - keptDays[grain] * lengthOfBucketMs.day).toISOString(), grain)
}

/**
 * Counts decisions by subject, bucket and kind. Each decision counts for its agent, for its edge and for the tenant. Leaves out decisions
 * that are older than the counts of a grain are kept. Sorted, so that transactions lock rows in the same order.
 */
export function countDecisions(
  decisions: readonly { filed: FiledRecord; kind: Kind }[],
  grain: Grain,
  now: string,
): Count[] {
  const oldest = oldestBucket(now, grain)
  const counts = new Map<string, Count>()
  for (const { filed, kind } of decisions) {
    const bucket = bucketOf(filed.record.at, grain)
    if (bucket < oldest) continue
    for (const { subjectId, kindId, edgeId } of subjectsOf(filed, kind)) {
      const key = `${subjectId} ${bucket} ${kindId} ${edgeId}`
      const count = counts.get(key)
      if (count) count.calls++
      else counts.set(key, { subjectId, bucket, kindId, edgeId, calls: 1 })
    }
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count)
}

function subjectsOf({ record, edgeId }: FiledRecord, kind: Kind): Pick<Count, 'subjectId' | 'kindId' | 'edgeId'>[] {
  const place = Number.parseInt((edgeId ?? record.agent_id).slice(-1), 16) % tenantSubjects.length
  const kindId = kind.id
  const counted = [
    { subjectId: record.agent_id, kindId, edgeId: edgeId ?? noEdge },
    { subjectId: tenantSubjects[place] as string, kindId, edgeId: noEdge },
    { subjectId: totalSubjects[place] as string, kindId: kind.totalId, edgeId: noEdge },
  ]
  return edgeId === null ? counted : [...counted, { subjectId: edgeId, kindId, edgeId: noEdge }]
}

/** Number of calls of an agent on a day. */
export interface AgentDay {
  agentId: string
  environmentId: string
  bucket: string
  calls: number
}

/** Counts decisions by agent and day. Sorted, so that transactions lock rows in the same order. */
export function countAgentDays(decisions: readonly { filed: FiledRecord }[], now: string): AgentDay[] {
  const oldest = oldestBucket(now, 'day')
  const days = new Map<string, AgentDay>()
  for (const { filed } of decisions) {
    const { record, environmentId } = filed
    const bucket = bucketOf(record.at, 'day')
    if (bucket < oldest) continue
    const key = `${record.agent_id} ${bucket}`
    const day = days.get(key)
    if (day) day.calls++
    else days.set(key, { agentId: record.agent_id, environmentId: environmentId ?? noEdge, bucket, calls: 1 })
  }
  return [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, day]) => day)
}
