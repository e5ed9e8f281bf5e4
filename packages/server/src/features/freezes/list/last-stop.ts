import type { Overview } from '@mandate/contract/overview'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Sql } from '../../../db/database.ts'
import { countedAtMost } from '../../../db/lists/bounded-count.ts'
import { quietAt } from '../../edge/reach/quiet.ts'
import type { FreezeRow } from '../freeze-queries.ts'
import { seesWhole } from '../freeze-visibility.ts'
import { countInstances, type QuietTime } from '../instance-queries.ts'
import { instancesOf } from '../reach.ts'
import { inSnapshot, requireFreeze } from '../read-freezes.ts'
import {
  type Confirmations,
  countConfirmations,
  findLastFreeze,
  findLastSuspension,
  findSuspensionReach,
} from './stop-queries.ts'

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
  const quiet = quietAt(ctx)
  if (suspension && (!freeze || suspension.at > freeze.at)) {
    const { open, ...confirmed } = await findSuspensionReach(sql, suspension.agent_id, suspension.at, quiet)
    return { kind: 'suspension', ...reachOf(confirmed, open) }
  }
  if (!freeze) return null
  const row = await requireFreeze(sql, actor, freeze.id)
  const [open, confirmed] = await Promise.all([
    openOf(sql, actor, row, quiet),
    countConfirmations(sql, actor, row.id, row.created_at),
  ])
  if (open === null) return null
  const atLeast = row.drill && seesWhole(actor, row) ? row.edges_total : 0
  return { kind: row.drill ? 'drill' : 'freeze', ...reachOf(confirmed, open, atLeast) }
}

/** Number of instances that existed when the freeze started and did not confirm. Null if it is over and covers more than the actor sees. */
async function openOf(sql: Sql, actor: Member, row: FreezeRow, quiet: QuietTime): Promise<number | null> {
  if (row.is_open) {
    const { open } = await countInstances(sql, actor, { ...instancesOf(row), startedBy: row.created_at }, quiet)
    return open
  }
  return seesWhole(actor, row) ? row.edges_total - (row.edges_confirmed ?? 0) : null
}

/** The total of a drill is at least what it was at its start. */
function reachOf({ confirmed, ...delays }: Confirmations, open: number, atLeast = 0) {
  return { edges: Math.min(Math.max(confirmed + open, atLeast), countedAtMost), confirmed, ...delays }
}
