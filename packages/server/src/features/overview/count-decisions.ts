import type { Overview } from '@mandate/contract/overview'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { readTimeline } from '../decisions/read-timeline.ts'

/** Counts the decisions of the last 24 hours that the caller sees, by effect. The first of the hours counts as a whole. */
export async function countDecisions24h(ctx: Ctx<Member>): Promise<Overview['decisions_24h']> {
  const { keys } = await readTimeline(ctx, { bucket: 'hour', group_by: 'effect' })
  const totalOf = (effect: keyof Overview['decisions_24h']) => keys.find(({ key }) => key === effect)?.total ?? 0
  return { allow: totalOf('allow'), deny: totalOf('deny'), require_approval: totalOf('require_approval') }
}
