import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Sql } from '../../../db/database.ts'
import { newId } from '../../../db/ids/new-id.ts'
import { invalid, notFound, throwIfRefused } from '../../../refusal.ts'
import { digest, newLinkToken } from '../../../security/credentials.ts'
import { insertShareLink, lockReport, storeRevocation } from '../queries.ts'
import { requireKeeper } from '../require-report.ts'
import { contentRefusal, readinessRefusal } from '../rules.ts'
import { hasAllEntries } from '../snapshot/narrow-snapshot.ts'
import { snapshotAsSeen } from './read-reports.ts'

/**
 * Like `requireKeeper`.
 * @throws 403 also for a report with entries that the caller may not see, because a share link would show these entries
 */
export async function requireSharable(db: Sql, actor: Member, id: string, find: typeof lockReport) {
  const report = await requireKeeper(db, actor, id, find)
  const { snapshot } = report
  throwIfRefused(contentRefusal(!snapshot || hasAllEntries(await snapshotAsSeen(db, actor, snapshot), snapshot)))
  return report
}

/**
 * Creates a link. The response contains its token; only the token's digest is stored. @throws 400 for a time in the past; 409 until
 * the report is ready
 */
export async function shareReport(ctx: Ctx<Member>, id: string, { expires_at }: { expires_at?: string | undefined }) {
  const token = newLinkToken()
  const linkId = newId()
  await ctx.inTenant(async (tx) => {
    const report = await requireSharable(tx, ctx.actor, id, lockReport)
    if (expires_at !== undefined && expires_at <= ctx.now) throw invalid('expires_at must be in the future')
    throwIfRefused(readinessRefusal(report))
    const expiresAt = expires_at ?? null
    const link = { id: linkId, reportId: id, tokenHash: digest(token), createdBy: ctx.actor.userId, expiresAt }
    await insertShareLink(tx, { ...link, now: ctx.now })
    await recordAudit(tx, ctx, 'report.shared', {
      resource: { type: 'report', id, name: report.title },
      details: { link_id: linkId, expires_at: expiresAt },
      environmentId: report.environment_id,
    })
  })
  return { id: linkId, url: `${ctx.services.config.publicUrl}/api/v1/shared/reports/${token}` }
}

/**
 * Revokes a share link at once.
 * @throws the 404 and 403 of `requireKeeper`; also 404 for an unknown link and for a link that is already revoked
 */
export async function revokeShareLink(ctx: Ctx<Member>, id: string, linkId: string): Promise<void> {
  await ctx.inTenant(async (tx) => {
    const report = await requireKeeper(tx, ctx.actor, id, lockReport)
    if (!(await storeRevocation(tx, id, linkId, ctx.now))) throw notFound('share link')
    await recordAudit(tx, ctx, 'report.share_revoked', {
      resource: { type: 'report', id, name: report.title },
      details: { link_id: linkId },
      environmentId: report.environment_id,
    })
  })
}
