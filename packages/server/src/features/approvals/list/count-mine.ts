import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { readRecords } from '../../../caller/read-records.ts'
import { countToDecide } from '../stored/queries.ts'

/** Counting stops here: 1,000 means "1,000 or more". */
export const mineAtMost = 1000

/** Counts the approvals that the caller could decide now, up to `mineAtMost`. */
export function countMine(ctx: Ctx<Member>): Promise<number> {
  return readRecords(ctx, (sql) => countToDecide(sql, ctx.actor, ctx.now, mineAtMost))
}
