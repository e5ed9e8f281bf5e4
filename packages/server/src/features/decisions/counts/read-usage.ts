import { maxUsageDays, maxUsageRows, type UsageQuery } from '@mandate/contract/decisions'
import { timeInRange } from '@mandate/contract/fields/time-range'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Sql } from '../../../db/database.ts'
import { planForValues } from '../../../db/plan-once.ts'
import { invalid } from '../../../refusal.ts'
import { tenantSubjects } from '../records/count-decisions.ts'
import { requireOrder } from '../records/require-order.ts'
import { findBusiestAgents } from './busiest-agents.ts'
import { countFilterOf } from './count-filter.ts'
import { nameKeys, restOf } from './read-timeline.ts'
import { type CountFilter, type CountRow, findCounts } from './timeline-queries.ts'

interface EffectCounts {
  allow: number
  deny: number
  require_approval: number
}

export interface Usage {
  from: string
  to: string
  total: EffectCounts
  data: ({ key: string; name: string | null } & EffectCounts)[]
}

const byEffect = { grain: 'day', key: 'effect', byBucket: false, mostKeys: maxUsageRows } as const
const dayMs = 24 * 60 * 60_000
const daysByDefault = 30
const none = (): EffectCounts => ({ allow: 0, deny: 0, require_approval: 0 })

/**
 * Counts the governed calls that the caller sees.
 * @throws 400 for a reversed span or more than 800 days
 */
export async function readUsage(ctx: Ctx<Member>, query: UsageQuery): Promise<Usage> {
  const { group_by: group } = query
  const to = query.to ?? ctx.now.slice(0, 10)
  const from = query.from ?? dateOf(startOf(to) - (daysByDefault - 1) * dayMs)
  requireOrder(from, to)
  const days = (startOf(to) - startOf(from)) / dayMs + 1
  if (days > maxUsageDays) throw invalid(`the span has ${days} days; at most ${maxUsageDays} are possible`)
  const span = { from: timeInRange(startOf(from)), to: timeInRange(startOf(to) + dayMs) }
  return await ctx.services.db.transaction(ctx.actor.tenantId, async (tx) => {
    const [, filter] = await Promise.all([planForValues(tx), countFilterOf(tx, ctx.actor, {}, span)])
    const all = await findCounts(tx, filter, { ...byEffect, byBucket: group === 'day' })
    const total = none()
    for (const { effect, calls } of all) total[effect] += calls
    const data = group === 'day' ? byDay(all, from, days) : await byKey(tx, ctx.actor, filter, group, all)
    return { from, to, total, data }
  })
}

const startOf = (date: string) => Date.parse(`${date}T00:00:00.000Z`)
const dateOf = (ms: number) => timeInRange(ms).slice(0, 10)

function byDay(rows: readonly CountRow[], from: string, days: number): Usage['data'] {
  const counts = new Map(
    Array.from({ length: days }, (_, n) => dateOf(startOf(from) + n * dayMs)).map((date) => [date, none()]),
  )
  for (const { bucket, effect, calls } of rows) {
    const day = counts.get(bucket.slice(0, 10))
    if (day) day[effect] += calls
  }
  return [...counts].map(([key, counts]) => ({ key, name: key, ...counts }))
}

/** Calls that are in no other row are in the last row, `other`. */
async function byKey(
  db: Sql,
  actor: Member,
  filter: CountFilter,
  group: Exclude<UsageQuery['group_by'], 'day'>,
  all: readonly CountRow[],
): Promise<Usage['data']> {
  const own = await countBy(db, filter, group)
  const counts = new Map<string, EffectCounts>()
  for (const { key, effect, calls } of [...own, ...restOf(all, own)]) {
    const sums = counts.get(key) ?? none()
    sums[effect] += calls
    counts.set(key, sums)
  }
  const names = await nameKeys(db, actor, group, [...counts.keys()])
  return [...counts].map(([key, sums]) => ({ key, name: names(key), ...sums }))
}

async function countBy(
  db: Sql,
  filter: CountFilter,
  group: 'agent' | 'policy' | 'tool' | 'environment',
): Promise<CountRow[]> {
  const grouping = { ...byEffect, key: group }
  if (group === 'agent') {
    const agents = await findBusiestAgents(db, filter, maxUsageRows)
    return await findCounts(db, { ...filter, subjects: agents ?? filter.subjects }, grouping)
  }
  const subjects = filter.of === 'tenant' && group !== 'environment' ? tenantSubjects : filter.subjects
  return await findCounts(db, { ...filter, subjects }, grouping)
}
