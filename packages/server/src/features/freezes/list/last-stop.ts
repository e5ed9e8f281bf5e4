import type { Overview } from '@mandate/contract/overview'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Sql } from '../../../db/database.ts'
import { quietAt } from '../../edge/reach/quiet.ts'
import { edgesOf } from '../reach.ts'
import { inSnapshot, requireFreeze } from '../read-freezes.ts'
import { findDelays, findLastFreeze, findLastSuspension, findSuspensionReach } from './stop-queries.ts'

const shownMs = 30 * 24 * 60 * 60_000

/**
 * Returns the reach of the last suspension, freeze or drill of 30 days that the caller sees. Null if there was none, and for a freeze
 * that is over and covers more than the caller sees.
 */
export async function readLastStop(ctx: Ctx<Member>): Promise<Overview['stop_reach']> {
  const since = new Date(Date.parse(ctx.now) - shownMs).toISOString()
  return await inSnapshot(ctx, (sql) => readStop(sql, ctx, since))
}

async function readStop(sql: Sql, ctx: Ctx<Member>, since: string): Promise<Overview['stop_reach']> {
  const { actor } = ctx
  const [freeze, suspension] = await Promise.all([
    findLastFreeze(sql, actor, since),
    findLastSuspension(sql, actor, since),
  ])
  if (suspension && (!freeze || suspension.at > freeze.at)) {
    return await findSuspensionReach(sql, suspension.agent_id, suspension.at, quietAt(ctx).seconds)
  }
  if (!freeze) return null
  const row = await requireFreeze(sql, actor, freeze.id)
  const [{ edges }, delays] = await Promise.all([
    edgesOf(sql, actor, row, quietAt(ctx)),
    findDelays(sql, actor, row.id),
  ])
  return edges && { edges: edges.total, confirmed: edges.confirmed, ...delays }
}
