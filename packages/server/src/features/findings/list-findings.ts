import type { FindingFilters } from '@mandate/contract/reviews'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { readRecords } from '../../caller/read-records.ts'
import { findFindings } from './queries.ts'

/** Findings on the agents the caller sees, newest first; another agent's id finds none. */
export async function listFindings(ctx: Ctx<Member>, filters: FindingFilters) {
  const { data, total } = await readRecords(ctx, (sql) => findFindings(sql, ctx.actor, filters))
  return { data, total, limit: filters.limit, offset: filters.offset }
}
