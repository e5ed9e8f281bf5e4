import type { FindingFilters } from '@mandate/contract/reviews'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { readRecords } from '../../caller/read-records.ts'
import { findFindings } from './queries.ts'

/**
 * Returns the findings on agents that the caller sees, newest first. If the filter `agent_id` names an agent that the caller
 * does not see, the list is empty.
 */
export async function listFindings(ctx: Ctx<Member>, filters: FindingFilters) {
  const { data, total } = await readRecords(ctx, (sql) => findFindings(sql, ctx.actor, filters))
  return { data, total, limit: filters.limit, offset: filters.offset }
}
