import type { FindingType } from '@mandate/contract/agents'
import { findingTypes } from '@mandate/contract/words/agent-words'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { planForValues } from '../../../db/plan-once.ts'
import { countOpen } from '../queries.ts'

/**
 * Counts the open findings of each type on agents that the caller sees and that are not archived. Each count stops at 10,000. Types
 * without an open finding are left out.
 */
export async function countOpenFindings(ctx: Ctx<Member>): Promise<Partial<Record<FindingType, number>>> {
  const { actor, services } = ctx
  return await services.db.readSnapshot(actor.tenantId, async (tx) => {
    await planForValues(tx)
    const counts = await Promise.all(
      findingTypes.map(async (type) => [type, await countOpen(tx, actor, type)] as const),
    )
    return Object.fromEntries(counts.filter(([, open]) => open > 0))
  })
}
