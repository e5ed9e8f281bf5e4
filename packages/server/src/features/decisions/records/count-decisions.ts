import { keptDays } from '../../../db/schema/partitions.ts'
import type { FiledRecord } from './filed-record.ts'
import type { Kind } from './kinds.ts'

/**
 * Number of decisions of one kind in one bucket of time. For an agent, `edgeId` is the edge that sent the decisions, or `noEdge`. For an
 * edge, it is the place of the count. For the tenant, it is `noEdge`.
 */
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
 * Ids that stand for the whole tenant. The counts of a tenant are spread over them, by edge and by the place of the batch. Otherwise
 * batches that arrive at the same time would wait for the lock of one row. Readers add up all of them.
 */
export const tenantSubjects: readonly string[] = Array.from({ length: 8 }, (_, n) => noEdge.slice(0, -1) + n)

/** Ids that stand for the whole tenant, with counts only by environment, effect and mode. */
export const totalSubjects: readonly string[] = Array.from(
  { length: 8 },
  (_, n) => noEdge.slice(0, -1) + (n + 8).toString(16),
)

/** Returns the start of the bucket that contains a time. ISO 8601, UTC. */
export function bucketOf(time: string, grain: Grain): string {
  return new Date(startOfBucket(time, grain)).toISOString()
}

function startOfBucket(time: string, grain: Grain): number {
  const ms = Date.parse(time)
  return ms - (ms % lengthOfBucketMs[grain])
}

/** Returns the start of the oldest bucket that is kept. */
export function oldestBucket(now: string, grain: Grain): string {
  return bucketOf(new Date(Date.parse(now) - keptDays[grain] * lengthOfBucketMs.day).toISOString(), grain)
}

/** The decisions with the same agent, sender, bucket and kind. */
interface SameDecisions {
  filed: FiledRecord
  kind: Kind
  bucket: string
  calls: number
}

/** Groups decisions. Leaves out decisions that are older than the counts of a grain are kept. */
function groupDecisions(
  decisions: readonly { filed: FiledRecord; kind: Kind }[],
  grain: Grain,
  now: string,
): SameDecisions[] {
  const oldest = oldestBucket(now, grain)
  const groups = new Map<string, SameDecisions>()
  for (const { filed, kind } of decisions) {
    const start = startOfBucket(filed.record.at, grain)
    const key = `${filed.record.agent_id} ${filed.edgeId} ${start} ${kind.id}`
    const group = groups.get(key)
    if (group) group.calls++
    else groups.set(key, { filed, kind, bucket: new Date(start).toISOString(), calls: 1 })
  }
  return [...groups.values()].filter(({ bucket }) => bucket >= oldest)
}

/**
 * Counts decisions by subject, bucket and kind. Each decision counts for its agent, for its edge and for the tenant. Leaves out decisions
 * that are older than the counts of a grain are kept. Sorted, so that transactions lock rows in the same order.
 * @param place the place of the batch, from 0; batches that are stored at the same time should have different ones
 */
export function countDecisions(
  decisions: readonly { filed: FiledRecord; kind: Kind }[],
  grain: Grain,
  now: string,
  place: number,
): Count[] {
  const counts = new Map<string, Count>()
  for (const { filed, kind, bucket, calls } of groupDecisions(decisions, grain, now)) {
    for (const { subjectId, kindId, edgeId } of subjectsOf(filed, kind, place)) {
      const key = `${subjectId} ${bucket} ${kindId} ${edgeId}`
      const count = counts.get(key)
      if (count) count.calls += calls
      else counts.set(key, { subjectId, bucket, kindId, edgeId, calls })
    }
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count)
}

function subjectsOf(
  { record, edgeId }: FiledRecord,
  kind: Kind,
  place: number,
): Pick<Count, 'subjectId' | 'kindId' | 'edgeId'>[] {
  const ofSender = Number.parseInt((edgeId ?? record.agent_id).slice(-1), 16)
  const at = (ofSender + place) % tenantSubjects.length
  const kindId = kind.id
  const counted = [
    { subjectId: record.agent_id, kindId, edgeId: edgeId ?? noEdge },
    { subjectId: tenantSubjects[at] as string, kindId, edgeId: noEdge },
    { subjectId: totalSubjects[at] as string, kindId: kind.totalId, edgeId: noEdge },
  ]
  if (edgeId === null) return counted
  return [...counted, { subjectId: edgeId, kindId, edgeId: tenantSubjects[place % tenantSubjects.length] as string }]
}

/** Number of calls of an agent on a day. */
export interface AgentDay {
  agentId: string
  environmentId: string
  bucket: string
  calls: number
}

/** Counts decisions by agent and day. Sorted, so that transactions lock rows in the same order. */
export function countAgentDays(decisions: readonly { filed: FiledRecord; kind: Kind }[], now: string): AgentDay[] {
  const days = new Map<string, AgentDay>()
  for (const { filed, bucket, calls } of groupDecisions(decisions, 'day', now)) {
    const { record, environmentId } = filed
    const key = `${record.agent_id} ${bucket}`
    const day = days.get(key)
    if (day) day.calls += calls
    else days.set(key, { agentId: record.agent_id, environmentId: environmentId ?? noEdge, bucket, calls })
  }
  return [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, day]) => day)
}
