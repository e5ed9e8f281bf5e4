import { longestRetentionDays } from '@mandate/contract/tenants'
import type { Tx } from '../../db/database.ts'
import { raw } from '../../db/statement.ts'

// The key of each table, and when its rows have expired. `$2` is the time of the run.
const expiring = [
  {
    table: 'decision_ids',
    key: 'decision_id',
    expired: 'r.filed_at < $2::timestamptz - make_interval(days => r.retention_days)',
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

/** Deletes at most `most` expired rows of each table. Returns how many rows were deleted. */
export async function deleteExpired(tx: Tx, now: string, most: number): Promise<number> {
  const counts = await Promise.all(
    deletes.map((text) => tx.one(raw<{ deleted: number }>(text, [tx.tenantId, now, most]))),
  )
  return counts.reduce((sum, { deleted }) => sum + deleted, 0)
}
