import type { FindingFilters } from '@mandate/contract/reviews'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { findFindings } from './queries.ts'

/** Findings on the agents the caller sees, newest first; another agent's id finds none. */
export async function listFindings(ctx: Ctx<Member>, filters: FindingFilters) {
  const { data, total } = await findFindings(ctx.sql, ctx.actor, filters)
  return { data, total, limit: filters.limit, offset: filters.offset }
}
