import { longestRetentionDays } from '@mandate/contract/tenants'
import type { Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'

// The tenant's longest retention. Decisions may be filed a day ahead, and the times of requests differ from the time of the run.
const longestKept = `(select make_interval(days => 2 + greatest(t.decision_retention_days, (select max(d) from unnest(t.earlier_retention_days) d)))
    from tenants t where t.id = $1)`

// Steps from environment to environment in the index. `select distinct` would read all of it.
const environmentsWithArguments = `with recursive present (id) as (
    (select d.environment_id from decision_arguments d where d.tenant_id = $1 order by d.environment_id limit 1)
    union all select (select d.environment_id from decision_arguments d
      where d.tenant_id = $1 and d.environment_id > p.id order by d.environment_id limit 1) from present p where p.id is not null)
  select p.id from present p where p.id is not null`

// The key of each table, and when its rows have expired. `$2` is the time of the run.
const expiring = [
  {
    table: 'decision_ids',
    key: 'decision_id',
    expired: 'r.filed_at < $2::timestamptz - make_interval(days => r.retention_days)',
  },
  {
    table: 'decision_arguments',
    key: 'decision_id',
    expired: 'r.filed_at < $2::timestamptz - make_interval(days => r.retention_days)',
  },
  // Those of environments that keep no arguments any more.
  {
    table: 'decision_arguments',
    key: 'decision_id',
    expired: `r.filed_at < $2::timestamptz + interval '2 days' and r.environment_id = any(array(${environmentsWithArguments}
      except select e.id from environments e where e.tenant_id = $1 and e.keep_arguments_for_replay))`,
  },
  {
    table: 'decision_waiting_results',
    key: 'result_of, decision_id',
    expired: 'r.received_at < $2::timestamptz - make_interval(days => r.retention_days)',
  },
  {
    table: 'decision_spans',
    key: 'retention_days, day',
    expired: 'r.day < $2::timestamptz - make_interval(days => r.retention_days + 1)',
  },
  {
    table: 'decision_links',
    key: 'kid, seq, record_hash',
    expired: `r.received_at < $2::timestamptz - interval '${longestRetentionDays} days'`,
  },
  {
    table: 'decision_anchors',
    key: 'kid, seq',
    expired: `r.day < $2::timestamptz - interval '${longestRetentionDays} days'`,
  },
  // The first gap of a key stays, because all later records are broken.
  {
    table: 'decision_gaps',
    key: 'kid, from_seq, kind',
    expired: `r.opened_at < $2::timestamptz - ${longestKept} and exists (
      select from decision_gaps o where o.tenant_id = $1 and o.kid = r.kid and o.from_seq < r.from_seq)`,
  },
  { table: 'decision_new_names', key: 'day', expired: `r.day < $2::timestamptz - interval '2 days'` },
] as const

const deletes = expiring.map(({ table, key, expired }) => {
  const columns = `tenant_id, ${key}`
  return `with gone as (
      delete from ${table} where (${columns}) in (
        select ${columns} from ${table} r where r.tenant_id = $1 and ${expired} limit $3)
      and tenant_id = $1 returning 1)
    select count(*) as deleted from gone`
})

// Skips a key whose batch is being stored, and a key that has gaps which must be deleted first.
const deleteKeys = `
  with gone as (
    delete from edge_keys where tenant_id = $1 and kid in (
      select k.kid from edge_keys k where k.tenant_id = $1 and k.used_at < $2::timestamptz - ${longestKept}
        and not exists (select from decision_gaps g where g.tenant_id = $1 and g.kid = k.kid offset 2)
      limit $3 for update skip locked)
    returning kid
  ), gaps as (
    delete from decision_gaps where tenant_id = $1 and kid in (select kid from gone))
  select count(*) as deleted from gone`

/** Deletes at most `most` expired rows of each table. Returns how many rows were deleted. */
export async function deleteExpired(tx: Tx, now: string, most: number): Promise<number> {
  const counts = await Promise.all(
    [...deletes, deleteKeys].map((text) => tx.one(raw<{ deleted: number }>(text, [tx.tenantId, now, most]))),
  )
  return counts.reduce((sum, { deleted }) => sum + deleted, 0)
}
