import { uuid } from '@mandate/contract/fields/fields'
import type { ReportSnapshot } from '@mandate/contract/reports/report-snapshot'
import type { NewReport, Report } from '@mandate/contract/reports/reports'
import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import { requireAuthority } from '../../../authz/can.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { lockEnvironmentForKeyShare } from '../../../caller/working-environment.ts'
import type { Tx } from '../../../db/database.ts'
import { newId } from '../../../db/ids/new-id.ts'
import { Reply } from '../../../http/routes/route.ts'
import { conflict, invalid, throwIfRefused } from '../../../refusal.ts'
import { findOrganizationName, insertReport, lockUserForKeyShare, type NewReportRow } from '../queries.ts'
import { placementRefusal, placeOfNewReport } from '../rules.ts'
import { periodOf } from '../snapshot/period.ts'
import { gatherSnapshot, isSmall, type Named } from '../snapshot/snapshot-queries.ts'
import { countRunning, enqueueReport } from './job-queries.ts'
import { requestOf } from './report-request.ts'

const runningAtMost = 5

/**
 * Creates a report of what the caller sees in an environment, or in the organization. A small report is made within the request.
 * A large report is made later by a job, and the response is 202.
 * @throws the 403 of `placementRefusal`; 400 for an environment that is unknown or that a scoped caller has no access to; 409 while
 * too many reports of the organization are in progress; the 400 of `periodOf`
 */
export async function createReport(ctx: Ctx<Member>, asked: NewReport): Promise<Reply<Report>> {
  const { actor, now } = ctx
  requireAuthority(actor, 'member')
  const environmentId = placeOfNewReport(actor, asked.environment_id)
  throwIfRefused(placementRefusal(actor, environmentId))
  const period = periodOf(asked, now)
  return await ctx.inTenant(async (tx) => {
    const scoped = await nameScope(tx, actor, environmentId)
    const named: Named = { ...scoped, made_by: personOf(actor), period }
    if (!(await lockUserForKeyShare(tx, actor.userId)))
      throw conflict('another request is changing the same data; try again')
    const row: NewReportRow = {
      id: newId(),
      environment_id: environmentId,
      title: asked.title ?? `Compliance report: ${named.environment?.name ?? named.organization}`,
      generated_by: actor.userId,
      created_at: now,
    }
    const scope = { actor, environmentId, now, period }
    const whole = { ...row, tenant_id: tx.tenantId, share_links: [] }
    if (!(await isSmall(tx, scope))) {
      await enqueue(tx, ctx, row, named)
      return new Reply({ ...whole, status: 'running' as const, progress: 0, snapshot: null }, { status: 202 })
    }
    const snapshot: ReportSnapshot = { ...named, ...(await gatherSnapshot(tx, scope)) }
    await insertReport(tx, row, snapshot)
    await recordCreation(tx, ctx, row, { counts: snapshot.counts })
    return new Reply({ ...whole, status: 'ready' as const, progress: 1, snapshot }, { status: 201 })
  })
}

/**
 * Checks the placement of a report whose body is invalid, because a 403 takes precedence over the 400 for the body. Throws the 403 of
 * `placementRefusal`. Does nothing if `environment_id` itself is invalid.
 */
export function refuseBadPlacement(actor: Member, rawBody: unknown): void {
  if (typeof rawBody !== 'object' || rawBody === null) return
  const sent = (rawBody as { environment_id?: unknown }).environment_id
  const named = uuid.nullable().optional().safeParse(sent)
  if (named.success) throwIfRefused(placementRefusal(actor, placeOfNewReport(actor, named.data)))
}

const personOf = ({ userId, displayName, email }: Member): NonNullable<Named['made_by']> => ({
  user_id: userId,
  display_name: displayName,
  email,
})

async function enqueue(tx: Tx, ctx: Ctx<Member>, row: NewReportRow, named: Named): Promise<void> {
  if ((await countRunning(tx)) >= runningAtMost) {
    throw conflict(
      `the organization already has ${runningAtMost} reports in progress; try again when one of them is ready`,
    )
  }
  await enqueueReport(tx, row, requestOf(ctx.actor, row.environment_id, named))
  await recordCreation(tx, ctx, row, { status: 'running' })
}

function recordCreation(tx: Tx, ctx: Ctx<Member>, row: NewReportRow, details: Record<string, unknown>) {
  return recordAudit(tx, ctx, 'report.created', {
    resource: { type: 'report', id: row.id, name: row.title },
    details: { environment_id: row.environment_id, ...details },
    environmentId: row.environment_id,
  })
}

async function nameScope(
  tx: Tx,
  actor: Member,
  environmentId: string | null,
): Promise<Pick<Named, 'organization' | 'environment'>> {
  const { name: organization } = await findOrganizationName(tx)
  if (environmentId === null) return { organization, environment: null }
  const locked = await lockEnvironmentForKeyShare(tx, actor, environmentId)
  if (!locked) throw invalid('environment_id: environment not found')
  // Copies only these columns, because the row also has internal columns that a report must not show.
  const { id, name, slug, is_production } = locked
  return { organization, environment: { id, name, slug, is_production } }
}
