import type { Database } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import { findTenantIds } from '../../../db/tenants/find-tenant-ids.ts'

const keptMs = 86_400_000

// An edge keeps the instances of its last day, because they say which agents it served. The instances of an agent's own key are only
// needed to recognise an old heartbeat.
const deleteStopped = `
  delete from edge_instances i where i.tenant_id = $1 and i.seen_at < $2::timestamptz
    and not exists (select from edges e where e.tenant_id = $1 and e.id = i.credential_id
      and e.last_heartbeat_at <= i.seen_at + interval '1 day')`

// Kept as long as the reach of a suspension is shown.
const deleteProfileConfirmations = `
  delete from profile_confirmations c where c.tenant_id = $1 and c.received_at < $2::timestamptz - interval '31 days'
    and not exists (select from edge_instances i where i.tenant_id = $1 and i.credential_id = c.credential_id
      and i.instance_id = c.instance_id)`

/**
 * Deletes the instances of edges that sent their last heartbeat more than a day ago. An edge that starts with an empty state folder
 * is a new instance, so an edge in a container would otherwise add a row with each restart.
 */
export async function sweepStoppedInstances(db: Database, now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptMs).toISOString()
  for (const tenantId of await findTenantIds(db.global)) {
    await db.transaction(tenantId, async (tx) => {
      await tx.all(raw(deleteStopped, [tenantId, before]))
      await tx.all(raw(deleteProfileConfirmations, [tenantId, before]))
    })
  }
}
