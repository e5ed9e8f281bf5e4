import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { lockReport, storeDeletion } from './queries.ts'
import { requireKeeper } from './require-report.ts'

/**
 * Removes a report from the list. The report is kept and its share links still work. Removing it again changes nothing.
 * @throws the 404 and 403 of `requireKeeper`
 */
export async function deleteReport(ctx: Ctx<Member>, id: string): Promise<void> {
  await ctx.inTenant(async (tx) => {
    const report = await requireKeeper(tx, ctx.actor, id, lockReport)
    if (report.deleted_at !== null) return
    await storeDeletion(tx, id, ctx.now)
    await recordAudit(tx, ctx, 'report.deleted', {
      resource: { type: 'report', id, name: report.title },
      environmentId: report.environment_id,
    })
  })
}
