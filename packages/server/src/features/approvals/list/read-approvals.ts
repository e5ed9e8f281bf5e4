import type { Approval, ApprovalFilters } from '@mandate/contract/approvals'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Include } from '../../../caller/may-part.ts'
import { readRecords } from '../../../caller/read-records.ts'
import type { Sql } from '../../../db/database.ts'
import { notFound } from '../../../refusal.ts'
import { findApproval, findApprovals, type Reach, seenBy } from '../stored/queries.ts'
import { approvalMay } from './may.ts'

/** Returns the approvals of agents that the caller sees, newest first. */
export async function listApprovals(ctx: Ctx<Member>, filters: ApprovalFilters) {
  const { data, total } = await readRecords(ctx, (sql) => findApprovals(sql, ctx.actor, filters, ctx.now))
  return {
    data: await approvalMay.addToAll(ctx, filters.include, data),
    total,
    limit: filters.limit,
    offset: filters.offset,
  }
}

/** @throws 404 for an approval of an agent that the caller cannot see */
export async function getApproval(ctx: Ctx<Member>, id: string, include: Include): Promise<Approval> {
  return await approvalMay.addTo(ctx, include, await requireApproval(ctx.sql, seenBy(ctx.actor), id, ctx.now))
}

/** @throws 404 for an unknown id, and the same 404 for an approval that the caller may not see */
export async function requireApproval(db: Sql, reach: Reach, id: string, now: string): Promise<Approval> {
  return found(await findApproval(db, reach, id, now))
}

export function found(approval: Approval | undefined): Approval {
  if (!approval) throw notFound('approval')
  return approval
}
