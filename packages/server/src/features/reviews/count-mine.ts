import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { readRecords } from '../../caller/read-records.ts'
import { countToDecide } from './queries.ts'

/** Counting stops here: 1,000 means "1,000 or more". */
export const mineAtMost = 1000

/** Counts the reviews that the caller could resolve now with at least one outcome, up to `mineAtMost`. */
export function countMine(ctx: Ctx<Member>): Promise<number> {
  return readRecords(ctx, (sql) => countToDecide(sql, ctx.actor, mineAtMost))
}
