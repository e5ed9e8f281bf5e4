import { findingTypes } from '@mandate/contract/words/agent-words'
import type { Sql } from '../../db/database.ts'
import { noTenant } from '../../db/database.ts'
import { countedAtMost } from '../../db/lists/bounded-count.ts'
import { raw } from '../../db/statements/statement.ts'
import { findTenantIds } from '../../db/tenants/find-tenant-ids.ts'
import type { CountedGauge, CountedValue } from '../../metrics/counted-gauges.ts'
import type { Services } from '../../services.ts'
import { totalSubjects } from '../decisions/records/count-decisions.ts'
import { countMissingInstances } from '../edge/instances/count-missing-instances.ts'

/** Number of tenants that have a series of their own. */
const namedTenants = 100

export interface WaitingJobs {
  task: string
  waiting: number
  /** The time since which the first of them waits, in seconds since 1970. */
  oldest: number
}

/**
 * SQL that counts the jobs that should have run, by task: jobs that are due, and jobs that failed and wait for their next try. The age of a
 * failed job begins when it was created, because a retry moves `run_at`. Only the role that owns the tables may read the queue.
 */
export const waitingJobsText = `select j.task_identifier as task, count(*)::int as waiting,
    floor(extract(epoch from min(case when j.attempts > 0 then least(j.created_at, j.run_at) else j.run_at end)))::int as oldest
  from (select * from graphile_worker.jobs where locked_at is null and attempts < max_attempts and (attempts > 0 or run_at <= now())
    limit 100000) j
  group by j.task_identifier`

const isPending = `p.tenant_id = $1 and p.status = 'pending' and p.expires_at > $2::timestamptz`

const ofTenant = `
  select (select count(*) from (select from edges e
      where e.tenant_id = $1 and e.revoked_at is null and e.silent_since is not null limit ${countedAtMost}) e) as silent,
    (select count(*) from (select from approvals p where ${isPending} limit ${countedAtMost}) p) as pending,
    (select floor(extract(epoch from p.requested_at))::bigint from approvals p where ${isPending}
      order by p.requested_at limit 1) as oldest,
    (select coalesce(sum(c.calls), 0)::bigint from decision_minutes c
      join decision_kinds k on k.tenant_id = $1 and k.id = c.kind_id and k.effect = 'deny' and k.mode = 'enforce'
      where c.tenant_id = $1 and c.subject_id = any($4::uuid[]) and c.bucket > $2::timestamptz - interval '10 minutes') as denied,
    (select coalesce(json_object_agg(t.type, f.open) filter (where f.open > 0), '{}') from unnest($3::text[]) t (type)
      cross join lateral (select count(*) as open from (select from findings f
        where f.tenant_id = $1 and f.status = 'open' and f.type = t.type limit ${countedAtMost}) f) f) as findings`

interface OfTenant {
  silent: number
  pending: number
  oldest: number | null
  denied: number
  findings: Record<string, number>
}

const countIn = (db: Sql, now: string) =>
  db.one(raw<OfTenant>(ofTenant, [db.tenantId, now, findingTypes, totalSubjects]))

const insertAll = `insert into counted_gauges (name, tenant, label, value)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[])`

/**
 * Counts what operators want to be alerted on, in all tenants, and stores it for `/metrics`. Each count of a tenant stops at 10,000. A
 * failure in one tenant does not stop the others.
 */
export async function countForMetrics(services: Services, jobs: readonly WaitingJobs[]): Promise<void> {
  const now = new Date().toISOString()
  const counted = new Totals()
  for (const tenantId of await findTenantIds(services.db.global)) {
    try {
      const [{ silent, pending, oldest, denied, findings }, silentInstances] = await Promise.all([
        countIn(services.db.reader(tenantId), now),
        countMissingInstances(services, tenantId, now),
      ])
      counted.add('mandate_edges_silent', tenantId, '', silent)
      counted.add('mandate_edge_instances_silent', tenantId, '', silentInstances)
      counted.add('mandate_calls_denied_10m', tenantId, '', denied)
      counted.add('mandate_approvals_pending', tenantId, '', pending)
      counted.add('mandate_approvals_oldest_pending_seconds', tenantId, '', oldest ?? 0)
      for (const [type, open] of Object.entries(findings)) counted.add('mandate_findings_open', tenantId, type, open)
    } catch (error) {
      services.log.warn({ err: error, tenant_id: tenantId }, 'could not count what /metrics shows of the tenant')
    }
  }
  const rows: CountedValue[] = [
    { name: 'mandate_counts_age_seconds', tenant: '', label: '', value: Math.floor(Date.parse(now) / 1000) },
    ...jobs.flatMap(({ task, waiting, oldest }): CountedValue[] => [
      { name: 'mandate_jobs_waiting', tenant: '', label: task, value: waiting },
      { name: 'mandate_jobs_oldest_waiting_seconds', tenant: '', label: task, value: oldest },
    ]),
    ...counted.series(),
  ]
  const column = (of: keyof CountedValue) => rows.map((row) => row[of])
  await services.db.transaction(noTenant, async (tx) => {
    await tx.all(raw('delete from counted_gauges', []))
    await tx.all(raw(insertAll, [column('name'), column('tenant'), column('label'), column('value')]))
  })
}

type TenantCount = Omit<CountedValue, 'name'>

/** The values of all tenants. Keeps the number of series bounded. */
class Totals {
  private readonly values = new Map<CountedGauge, TenantCount[]>()

  /** Leaves out a value of zero. */
  add(name: CountedGauge, tenant: string, label: string, value: number): void {
    if (value === 0) return
    const values = this.values.get(name) ?? []
    this.values.set(name, values)
    values.push({ tenant, label, value })
  }

  series(): CountedValue[] {
    return [...this.values].flatMap(([name, values]) => boundedSeries(name, values))
  }
}

/** The series of one metric: those of the tenants with the highest values, and one of the other tenants for each label. */
export function boundedSeries(name: CountedGauge, values: readonly TenantCount[]): CountedValue[] {
  const isTime = name === 'mandate_approvals_oldest_pending_seconds'
  // Of times, the earliest comes first, because it has the greatest age.
  const order = isTime ? -1 : 1
  const highest = new Map<string, number>()
  for (const { tenant, value } of values)
    highest.set(tenant, Math.max(highest.get(tenant) ?? Number.NEGATIVE_INFINITY, value * order))
  const named = new Set(
    [...highest]
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
      .slice(0, namedTenants)
      .map(([tenant]) => tenant),
  )
  const others = new Map<string, number>()
  for (const { tenant, label, value } of values) {
    if (named.has(tenant)) continue
    const before = others.get(label)
    others.set(label, before === undefined ? value : isTime ? Math.min(before, value) : before + value)
  }
  return [
    ...values.filter(({ tenant }) => named.has(tenant)).map((value) => ({ name, ...value })),
    ...[...others].map(([label, value]) => ({ name, tenant: 'other', label, value })),
  ]
}
