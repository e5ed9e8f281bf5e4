import { keptUnseenDays } from '@mandate/contract/tools'
import type { Database, Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import { findTenantIds } from '../../../db/tenants/find-tenant-ids.ts'
import { lockInventory, storeSize } from '../inventory-queries.ts'

const batch = 10_000

const deleteReports = `delete from tool_reports r using (
    select tool_id, reporter_id, declared_for from tool_reports where tenant_id = $1 and reported_at < $2::timestamptz
    order by reported_at limit ${batch}) old
  where r.tenant_id = $1 and r.tool_id = old.tool_id and r.reporter_id = old.reporter_id and r.declared_for = old.declared_for
    and r.reported_at < $2::timestamptz returning 1 as deleted`

const isUntouched = `pins = '{}' and block_reason is null and not labels_by_people and last_seen_at < $3::timestamptz`
const environments = `select environment_id as id from tool_inventories i where tenant_id = $1 and exists (
  select from tools t where t.tenant_id = $1 and t.environment_id = i.environment_id and ${isUntouched.replace('$3', '$2')})`
// The tools are locked in the order of their ids, as by reports. Definitions are deleted with their tools.
const deleteTools = `with old as materialized (
    select id from tools where tenant_id = $1 and environment_id = $2 and ${isUntouched} order by id for update),
  sizes as (select coalesce(sum(octet_length(d.definition)), 0)::bigint as bytes from tool_definitions d
    where d.tenant_id = $1 and d.tool_id in (select id from old)),
  gone as (delete from tools where tenant_id = $1 and id in (select id from old) returning 1)
  select (select count(*)::int from gone) as tools, (select bytes from sizes) as bytes`

/**
 * Deletes reports that are older than 30 days, and tools that nobody pinned, blocked or labelled and that no report named in this time. So invented
 * names do not fill an inventory for ever.
 */
export async function expireTools(db: Database, now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptUnseenDays * 86_400_000).toISOString()
  for (const tenantId of await findTenantIds(db.global)) {
    let deleted = batch
    while (deleted === batch)
      deleted = await db.transaction(
        tenantId,
        async (tx) => (await tx.all(raw(deleteReports, [tenantId, before]))).length,
      )
    const found = await db.transaction(tenantId, (tx) => tx.all(raw<{ id: string }>(environments, [tenantId, before])))
    for (const { id } of found) await db.transaction(tenantId, (tx) => deleteUnseen(tx, id, before))
  }
}

async function deleteUnseen(tx: Tx, environmentId: string, before: string): Promise<void> {
  await lockInventory(tx, environmentId)
  const lost = await tx.one(raw<{ tools: number; bytes: number }>(deleteTools, [tx.tenantId, environmentId, before]))
  await storeSize(tx, environmentId, { bytes: -lost.bytes, lostTools: lost.tools })
}
