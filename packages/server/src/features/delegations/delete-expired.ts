import { keptDays } from '@mandate/contract/delegations'
import type { Database, Tx } from '../../db/database.ts'
import { raw } from '../../db/statements/statement.ts'
import { findTenantIds } from '../../db/tenants/find-tenant-ids.ts'

const keptMs = keptDays * 86_400_000
const batch = 10_000

const deleteSome = `delete from delegations where tenant_id = $1 and id in (
  select id from delegations where tenant_id = $1 and expires_at < $2::timestamptz limit ${batch}) returning id`

/** Deletes the delegations that expired more than `keptDays` ago. */
export async function deleteExpiredDelegations(db: Database, now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptMs).toISOString()
  for (const tenantId of await findTenantIds(db.global)) {
    let deleted = batch
    while (deleted === batch)
      deleted = await db.transaction(tenantId, async (tx) => (await tx.all(raw(deleteSome, [tenantId, before]))).length)
  }
}

/** Deletes the delegations of an environment that is deleted. Its agents are archived, so they have all ended. */
export async function deleteDelegationsIn(tx: Tx, environmentId: string): Promise<void> {
  const values = [tx.tenantId, environmentId]
  await tx.all(raw('delete from delegation_lists where tenant_id = $1 and environment_id = $2', values))
  await tx.all(raw('delete from delegations where tenant_id = $1 and environment_id = $2', values))
}
