import type { ReportSummary } from '@mandate/contract/reports/reports'
import type { Member } from '../../authz/actor.ts'
import { seesWholeTenant } from '../../authz/can.ts'
import type { Rules } from '../../authz/may.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { type Include, mayPart } from '../../caller/may-part.ts'
import { contentRefusal, keeperRefusal, readinessRefusal } from './rules.ts'

/** A report, and whether the caller sees all entries of its snapshot. Null if that was not read. */
interface Standing extends Pick<ReportSummary, 'generated_by' | 'status'> {
  seesAllEntries: boolean | null
}

const reportRules: Rules<Standing> = {
  deleteReport: keeperRefusal,
  shareReport: (actor, report) =>
    keeperRefusal(actor, report) ?? contentRefusal(report.seesAllEntries ?? true) ?? readinessRefusal(report),
  revokeShareLink: keeperRefusal,
}

/** What the caller may do with a report whose snapshot was read. */
export const reportMay = mayPart(reportRules, () => (report: Standing) => report)

/**
 * What the caller may do with the reports of a list. Snapshots can be large, so a list does not read them. For a caller who sees only
 * part of the organization, `shareReport` can then depend on entries that were not read. In this case it is neither in `may` nor in
 * `may_not`; the single report has it.
 */
export async function addMayToList(ctx: Ctx<Member>, include: Include, reports: readonly ReportSummary[]) {
  const rows = reports.map((report) => ({ report, ...report, seesAllEntries: seesWholeTenant(ctx.actor) || null }))
  return (await reportMay.addToAll(ctx, include, rows)).map(({ report, seesAllEntries, may, may_not }) => ({
    ...report,
    ...(may && { may: seesAllEntries ? may : may.filter((action) => action !== 'shareReport'), may_not }),
  }))
}
