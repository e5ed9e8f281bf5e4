import type { NewReport, Report, ReportSnapshot } from '@mandate/contract/reports'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import { requireAuthority } from '../../authz/can.ts'
import { holdEnvironment } from '../../authz/working-environment.ts'
import type { Tx } from '../../db/database.ts'
import { newId } from '../../db/new-id.ts'
import type { Ctx } from '../../http/ctx.ts'
import { conflict, invalid } from '../../refusal.ts'
import { placeReport } from './placement.ts'
import { findOrganizationName, holdUser, insertReport } from './queries.ts'
import { gatherSnapshot } from './snapshot-queries.ts'

/**
 * Makes a report of what the caller sees in an environment, or in the organization.
 * @throws 403 as `placeReport`; 400 for an environment that is unknown, or that a scoped caller has no access to
 */
export async function createReport(ctx: Ctx<Member>, { environment_id, title }: NewReport): Promise<Report> {
  const { actor, now } = ctx
  requireAuthority(actor, 'member')
  const environmentId = placeReport(actor, environment_id)
  return await ctx.inTenant(async (tx) => {
    const named = await nameScope(tx, actor, environmentId)
    if (!(await holdUser(tx, actor.userId))) throw conflict('the request met a concurrent change; try again')
    const snapshot: ReportSnapshot = { ...named, ...(await gatherSnapshot(tx, actor, environmentId, now)) }
    const report = {
      id: newId(),
      tenant_id: tx.tenantId,
      environment_id: environmentId,
      title: title ?? `Compliance report: ${named.environment?.name ?? named.organization}`,
      generated_by: actor.userId,
      created_at: now,
      snapshot,
    }
    await insertReport(tx, report)
    await recordAudit(tx, ctx, 'report.created', {
      resource: { type: 'report', id: report.id, name: report.title },
      details: { environment_id: environmentId, counts: snapshot.counts },
      environmentId,
    })
    return { ...report, share_links: [] }
  })
}

async function nameScope(tx: Tx, actor: Member, environmentId: string | null) {
  const { name: organization } = await findOrganizationName(tx)
  if (environmentId === null) return { organization, environment: null }
  const held = await holdEnvironment(tx, actor, environmentId)
  if (!held) throw invalid('environment_id names no environment')
  // The held row has columns of the server that no report may show.
  const { id, name, slug, is_production } = held
  return { organization, environment: { id, name, slug, is_production } }
}
