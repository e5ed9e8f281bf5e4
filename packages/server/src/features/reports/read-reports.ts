import type { Report, ReportSnapshot } from '@mandate/contract/reports'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Sql } from '../../db/database.ts'
import { notFound } from '../../refusal.ts'
import { narrowSnapshot } from './narrow-snapshot.ts'
import { findGrantedAgents, findReport, findReports, findShareLinks, toSummary } from './queries.ts'

/**
 * Returns the reports of the environments that the caller has access to. Reports that were removed from the list are left out.
 * Callers who see the whole organization also get the organization's reports.
 */
export async function listReports(ctx: Ctx<Member>, { limit, offset }: { limit: number; offset: number }) {
  const { reports, total } = await findReports(ctx.sql, ctx.actor, limit, offset)
  return { data: reports, total, limit, offset }
}

/**
 * Returns a report, even if it was removed from the list. Entries that the caller may not see are left out. @throws 404 for a
 * report that the caller does not see
 */
export async function getReport(ctx: Ctx<Member>, id: string): Promise<Report> {
  const row = await findReport(ctx.sql, ctx.actor, id)
  if (!row) throw notFound('report')
  const { deleted_at, snapshot, ...report } = row
  const [share_links, seen] = await Promise.all([
    findShareLinks(ctx.sql, id),
    snapshot && snapshotAsSeen(ctx.sql, ctx.actor, snapshot),
  ])
  return { ...toSummary(report), ...(deleted_at !== null && { deleted_at }), share_links, snapshot: seen }
}

/** Applies `narrowSnapshot` with the actor's current grants. */
export async function snapshotAsSeen(db: Sql, actor: Member, snapshot: ReportSnapshot): Promise<ReportSnapshot> {
  const granted = actor.accessScope === 'scoped' ? await findGrantedAgents(db, actor.userId) : new Set<string>()
  return narrowSnapshot(actor, snapshot, granted)
}
