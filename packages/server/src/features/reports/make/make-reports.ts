import { type AuditSource, recordAudit } from '../../../audit/record-audit.ts'
import { noTenant, type Tx } from '../../../db/database.ts'
import type { Services } from '../../../services.ts'
import { lockUserForKeyShare } from '../queries.ts'
import { periodOf } from '../snapshot/period.ts'
import { gatherInBatches } from './gather-in-batches.ts'
import {
  findNextDue,
  findRunning,
  type Lease,
  leaseNext,
  postpone,
  type RunningReport,
  release,
  storeFailed,
  storeReady,
} from './job-queries.ts'
import { askerOf, findObstacle } from './report-request.ts'
import { startLeaseRenewal } from './start-lease-renewal.ts'

type Used = Pick<Services, 'db' | 'log' | 'entryKeys'>

/** Duration of a lease. If a process dies, another process can make the report after this time. */
const leaseSeconds = 20
const renewEveryMs = 2000
/**
 * Maximum number of attempts to make a report. An attempt that failed or that crashed the process counts. After the last attempt
 * the report is marked as failed.
 */
const attemptsAtMost = 5
const retrySeconds = 10
const failure = 'the server could not make the report'

const busy = new WeakSet<object>()

/**
 * Makes the waiting reports of all tenants, one at a time. Returns the time at which the next report is due: when a lease of
 * another process ends, or when a failed report can be tried again. Returns null if no other report is queued, or if this
 * process is already making reports.
 */
export async function makeReports(services: Used): Promise<string | null> {
  if (busy.has(services.db)) return null
  busy.add(services.db)
  try {
    for (let lease = await next(services); lease; lease = await next(services)) await attempt(services, lease)
    return await services.db.transaction(noTenant, findNextDue)
  } finally {
    busy.delete(services.db)
  }
}

const next = ({ db }: Used) => db.transaction(noTenant, (tx) => leaseNext(tx, leaseSeconds))

async function attempt(services: Used, lease: Lease): Promise<void> {
  if (lease.attempts > attemptsAtMost) return await fail(services, lease, failure)
  try {
    await makeReport(services, lease)
  } catch (error) {
    const { tenant_id, report_id, attempts } = lease
    services.log.warn(
      { err: error, tenant_id, report_id, attempts },
      `could not make the report: attempt ${attempts} of ${attemptsAtMost} failed`,
    )
    if (attempts >= attemptsAtMost) await fail(services, lease, failure)
    else await services.db.transaction(tenant_id, (tx) => postpone(tx, lease, retrySeconds))
  }
}

async function makeReport(services: Used, lease: Lease): Promise<void> {
  const { tenant_id: tenantId, report_id: id } = lease
  const { db } = services
  const report = await findRunning(db.reader(tenantId), id)
  if (!report) {
    await db.transaction(tenantId, (tx) => release(tx, lease))
    return
  }
  const { request, created_at: now } = report
  const obstacle = await findObstacle(db.reader(tenantId), request)
  if (obstacle !== null) return await fail(services, lease, obstacle)
  const period = request.named.period ?? periodOf({}, now)
  const scope = { actor: askerOf(tenantId, request), environmentId: request.environment_id, now, period }
  const renewal = startLeaseRenewal(services, lease, { seconds: leaseSeconds, everyMs: renewEveryMs })
  const { text, counts } = await db
    .readSnapshot(tenantId, (sql) => gatherInBatches(sql, scope, { ...request.named, period }, renewal.advance))
    .finally(renewal.stop)
  const lateObstacle = await db.transaction(tenantId, async (tx) => {
    // Locks the user before reading the user's access. A removal of the user then waits until this transaction ends.
    await lockUserForKeyShare(tx, request.user_id)
    const found = await findObstacle(tx, request)
    if (found !== null || !(await release(tx, lease))) return found
    await storeReady(tx, id, text)
    await record(tx, services, 'report.completed', { id, report, details: { counts } })
    return null
  })
  if (lateObstacle !== null) await fail(services, lease, lateObstacle)
}

/** Marks a report as failed. A failed report has no snapshot. */
async function fail(services: Used, lease: Lease, failure: string): Promise<void> {
  const { tenant_id: tenantId, report_id: id } = lease
  await services.db.transaction(tenantId, async (tx) => {
    const report = await findRunning(tx, id)
    if (!(await release(tx, lease)) || !report) return
    await storeFailed(tx, id, failure)
    await record(tx, services, 'report.failed', { id, report, details: { failure } })
  })
}

function record(
  tx: Tx,
  services: Used,
  event: 'report.completed' | 'report.failed',
  { id, report, details }: { id: string; report: RunningReport; details: Record<string, unknown> },
): Promise<string> {
  const by: AuditSource = {
    actor: { kind: 'system', tenantId: tx.tenantId },
    request: { id: 'make_reports', ip: '', userAgent: '' },
    now: new Date().toISOString(),
    services,
  }
  const { environment_id: environmentId } = report
  const resource = { type: 'report', id, name: report.title }
  return recordAudit(tx, by, event, { resource, details: { environment_id: environmentId, ...details }, environmentId })
}
