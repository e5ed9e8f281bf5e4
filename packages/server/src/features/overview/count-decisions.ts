import type { Overview } from '@mandate/contract/overview'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { readTimeline } from '../decisions/counts/read-timeline.ts'

const hourMs = 60 * 60_000

/** Counts the decisions of the last 24 hours that the caller sees, by effect. The first of the minutes counts as a whole. */
export async function countDecisions24h(ctx: Ctx<Member>): Promise<Overview['decisions_24h']> {
  const begin = Date.parse(ctx.now) - 24 * hourMs
  // The first hour is counted by minutes, because only a part of it is within the last 24 hours.
  const from = new Date(begin).toISOString()
  const nextHour = new Date((Math.floor(begin / hourMs) + 1) * hourMs).toISOString()
  const timelines = await Promise.all([
    readTimeline(ctx, { bucket: 'minute', group_by: 'effect', from, to: nextHour }),
    readTimeline(ctx, { bucket: 'hour', group_by: 'effect', from: nextHour }),
  ])
  const totals = timelines.flatMap(({ keys }) => keys)
  const totalOf = (effect: keyof Overview['decisions_24h']) =>
    totals.filter(({ key }) => key === effect).reduce((sum, { total }) => sum + total, 0)
  return { allow: totalOf('allow'), deny: totalOf('deny'), require_approval: totalOf('require_approval') }
}
