import type { ReportSnapshot } from '@mandate/contract/reports/report-snapshot'
import type { Report } from '@mandate/contract/reports/reports'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Include } from '../../../caller/may-part.ts'
import type { Sql } from '../../../db/database.ts'
import { notFound } from '../../../refusal.ts'
import { addMayToList, reportMay } from '../may.ts'
import { findGrantedAgents, findReport, findReports, findShareLinks, toSummary } from '../queries.ts'
import { hasAllEntries, narrowSnapshot } from '../snapshot/narrow-snapshot.ts'

interface Listed {
  include?: Include
  limit: number
  offset: number
}

/**
 * Returns the reports of the environments that the caller has access to. Reports that were removed from the list are left out.
 * Callers who see the whole organization also get the organization's reports.
 */
export async function listReports(ctx: Ctx<Member>, { include, limit, offset }: Listed) {
  const { reports, total } = await findReports(ctx.sql, ctx.actor, limit, offset)
  return { data: await addMayToList(ctx, include, reports), total, limit, offset }
}

/**
 * Returns a report, even if it was removed from the list. Entries that the caller may not see are left out. @throws 404 for a
 * report that the caller does not see
 */
export async function getReport(ctx: Ctx<Member>, id: string, include?: Include): Promise<Report> {
  const row = await findReport(ctx.sql, ctx.actor, id)
  if (!row) throw notFound('report')
  const { deleted_at, snapshot, ...report } = row
  const [share_links, seen] = await Promise.all([
    findShareLinks(ctx.sql, id),
    snapshot && snapshotAsSeen(ctx.sql, ctx.actor, snapshot),
  ])
  const seesAllEntries = !snapshot || !seen || hasAllEntries(seen, snapshot)
  const { may, may_not } = await reportMay.addTo(ctx, include, { ...report, seesAllEntries })
  return {
    ...toSummary(report),
    ...(deleted_at !== null && { deleted_at }),
    share_links,
    snapshot: seen,
    ...(may && { may, may_not }),
  }
}

/** Applies `narrowSnapshot` with the actor's current grants. */
export async function snapshotAsSeen(db: Sql, actor: Member, snapshot: ReportSnapshot): Promise<ReportSnapshot> {
  const granted = actor.accessScope === 'scoped' ? await findGrantedAgents(db, actor.userId) : new Set<string>()
  return narrowSnapshot(actor, snapshot, granted)
}
