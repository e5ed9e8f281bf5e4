import { type FindingType, findingTypes } from '@mandate/contract/agents'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { readRecords } from '../../caller/read-records.ts'
import { countOpen } from './queries.ts'

/**
 * Counts the open findings of each type on agents that the caller sees and that are not archived. Each count stops at 10,000. Types
 * without an open finding are left out.
 */
export async function countOpenFindings(ctx: Ctx<Member>): Promise<Partial<Record<FindingType, number>>> {
  return await readRecords(ctx, async (sql) => {
    const counts = await Promise.all(
      findingTypes.map(async (type) => [type, await countOpen(sql, ctx.actor, type)] as const),
    )
    return Object.fromEntries(counts.filter(([, open]) => open > 0))
  })
}
