import type { Sql, Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import type { NewReportRow } from '../queries.ts'
import type { ReportRequest } from './report-request.ts'

/** Counts the tenant's reports that are in progress. */
export async function countRunning(tx: Tx): Promise<number> {
  // Locks the tenant, because two requests that count at the same time could exceed the limit.
  await tx.all(raw('select id from tenants where id = $1 for no key update', [tx.tenantId]))
  const text = `select count(*) as count from reports where tenant_id = $1 and status = 'running'`
  return (await tx.one(raw<{ count: number }>(text, [tx.tenantId]))).count
}

/** Stores a report without its content and puts it into the queue. Starts the job that makes the report. */
export async function enqueueReport(tx: Tx, report: NewReportRow, request: ReportRequest): Promise<void> {
  const { id, environment_id, title, generated_by, created_at } = report
  await tx.all(
    raw(
      `insert into reports (tenant_id, id, environment_id, title, generated_by, created_at, status, progress_percent, request)
       values ($1, $2, $3, $4, $5, $6, 'running', 0, $7)`,
      [tx.tenantId, id, environment_id, title, generated_by, created_at, JSON.stringify(request)],
    ),
  )
  const queued = 'insert into report_queue (tenant_id, report_id, leased_until) values ($1, $2, $3)'
  await tx.all(raw(queued, [tx.tenantId, id, created_at]))
  await tx.all(raw('select enqueue_job($1, $2)', ['make_reports', '{}']))
}

/** The right of this process to make a report until the lease ends. `attempts` differs between leases of one report. */
export interface Lease {
  tenant_id: string
  report_id: string
  attempts: number
}

/**
 * Leases the report that has been waiting the longest, for `seconds`. Looks in the queue of all tenants. Returns undefined if
 * no report is waiting.
 */
export function leaseNext(tx: Tx, seconds: number): Promise<Lease | undefined> {
  return tx.maybe(
    raw<Lease>(
      `update report_queue set leased_until = now() + make_interval(secs => $1), attempts = attempts + 1
       where (tenant_id, report_id) = (select tenant_id, report_id from report_queue
         where leased_until <= now() order by leased_until limit 1 for update skip locked)
       returning tenant_id, report_id, attempts`,
      [seconds],
    ),
  )
}

/** Returns the time at which the next report of any tenant can be leased; null if the queue is empty. */
export async function findNextDue(tx: Tx): Promise<string | null> {
  const text = 'select min(leased_until) as due_at from report_queue'
  return (await tx.one(raw<{ due_at: string | null }>(text, []))).due_at
}

/** Stores the progress and extends the lease. Returns false if another process has the lease now or the report was deleted. */
export async function storeProgress(tx: Tx, lease: Lease, share: number, seconds: number): Promise<boolean> {
  const held = await tx.maybe(
    raw(
      `update report_queue set leased_until = now() + make_interval(secs => $4)
       where tenant_id = $1 and report_id = $2 and attempts = $3 returning report_id`,
      [tx.tenantId, lease.report_id, lease.attempts, seconds],
    ),
  )
  if (!held) return false
  const text = `update reports set progress_percent = $3 where tenant_id = $1 and id = $2 and status = 'running'`
  await tx.all(raw(text, [tx.tenantId, lease.report_id, Math.floor(share * 99)]))
  return true
}

/** Ends the lease and schedules another attempt in `seconds`. */
export async function postpone(tx: Tx, lease: Lease, seconds: number): Promise<void> {
  const text = `update report_queue set leased_until = now() + make_interval(secs => $4)
    where tenant_id = $1 and report_id = $2 and attempts = $3`
  await tx.all(raw(text, [tx.tenantId, lease.report_id, lease.attempts, seconds]))
}

/** Removes the report from the queue. Returns false if another process has the lease now. */
export async function release(tx: Tx, lease: Lease): Promise<boolean> {
  const text = 'delete from report_queue where tenant_id = $1 and report_id = $2 and attempts = $3 returning report_id'
  return (await tx.maybe(raw(text, [tx.tenantId, lease.report_id, lease.attempts]))) !== undefined
}

export interface RunningReport {
  title: string
  environment_id: string | null
  created_at: string
  request: ReportRequest
}

export function findRunning(db: Sql, id: string): Promise<RunningReport | undefined> {
  const text = `select title, environment_id, created_at, request from reports
    where tenant_id = $1 and id = $2 and status = 'running'`
  return db.maybe(raw<RunningReport>(text, [db.tenantId, id]))
}

/** Stores the snapshot, given as JSON text. */
export async function storeReady(tx: Tx, id: string, snapshot: string): Promise<void> {
  const text = `update reports set status = 'ready', progress_percent = 100, request = null, snapshot = $3
    where tenant_id = $1 and id = $2`
  await tx.all(raw(text, [tx.tenantId, id, snapshot]))
}

export async function storeFailed(tx: Tx, id: string, failure: string): Promise<void> {
  const text = `update reports set status = 'failed', request = null, failure = $3 where tenant_id = $1 and id = $2`
  await tx.all(raw(text, [tx.tenantId, id, failure]))
}
