import type { FindingFilters } from '@mandate/contract/reviews'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Include } from '../../../caller/may-part.ts'
import { readRecords } from '../../../caller/read-records.ts'
import { findFindings } from '../queries.ts'
import { findingMay } from './may.ts'

/**
 * Returns the findings on agents that the caller sees, newest first. If the filter `agent_id` names an agent that the caller
 * does not see, the list is empty.
 */
export async function listFindings(ctx: Ctx<Member>, { include, ...filters }: FindingFilters & { include?: Include }) {
  const { data, total } = await readRecords(ctx, (sql) => findFindings(sql, ctx.actor, filters))
  return { data: await findingMay.addToAll(ctx, include, data), total, limit: filters.limit, offset: filters.offset }
}
