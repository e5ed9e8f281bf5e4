import type { Sql, Tx } from '../../../db/database.ts'
import { countedAtMost } from '../../../db/lists/bounded-count.ts'
import { raw } from '../../../db/statements/statement.ts'

/** Most instances that one statement changes. Heartbeats of these instances wait for it. */
const atOnce = 2_000

/** True if the tenant has so many instances that its late ones are marked. */
export async function hasManyInstances(db: Sql): Promise<boolean> {
  const text = `select exists (select from edge_instances i where i.tenant_id = $1 offset ${countedAtMost}) as many`
  return (await db.one(raw<{ many: boolean }>(text, [db.tenantId]))).many
}

// It locks the rows in the order in which heartbeats lock them, so that they cannot deadlock.
const changeMarks = `
  with wrong as materialized (
    select i.credential_id, i.instance_id from edge_instances i where i.tenant_id = $1 and i.is_late <> (i.seen_at < $2::timestamptz)
    order by i.credential_id, i.instance_id limit ${atOnce} for no key update
  ), changed as (
    update edge_instances i set is_late = i.seen_at < $2::timestamptz from wrong w
    where i.tenant_id = $1 and i.credential_id = w.credential_id and i.instance_id = w.instance_id
  )
  select count(*) as wrong from wrong`

/** Marks instances whose last heartbeat was before a time, and removes the marks of others. Returns true if none is left to change. */
export async function changeLateMarks(tx: Tx, before: string): Promise<boolean> {
  const { wrong } = await tx.one(raw<{ wrong: number }>(changeMarks, [tx.tenantId, before]))
  return wrong < atOnce
}

/** Notes that every instance without a heartbeat since a time is marked. */
export async function storeMarkedBefore(tx: Tx, before: string): Promise<void> {
  const text = `insert into late_marks as l (tenant_id, marked_before) values ($1, $2)
    on conflict (tenant_id) do update set marked_before = excluded.marked_before where l.marked_before < excluded.marked_before`
  await tx.all(raw(text, [tx.tenantId, before]))
}
