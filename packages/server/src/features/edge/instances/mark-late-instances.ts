import { findTenantIds } from '../../../db/tenants/find-tenant-ids.ts'
import type { Services } from '../../../services.ts'
import { quietAt } from '../reach/quiet.ts'
import { changeLateMarks, hasManyInstances, storeMarkedBefore } from './late-queries.ts'

// An instance is late after half of the time after which it is silent. So between two runs of the job, no instance becomes silent without a
// mark, and an instance that sends its heartbeats in time never gets one. Silent instances are then found by the marks
// (`agent-state/edge-instances.ts`).

/** Time between two runs of the job. */
export const markEveryMs = 30_000

/**
 * Marks the late instances of all tenants with many instances. Returns true if there is such a tenant. A failure in one tenant does not stop the
 * others.
 */
export async function markLateInstancesOfAll(services: Services): Promise<boolean> {
  let isNeeded = false
  for (const tenantId of await findTenantIds(services.db.global)) {
    const isMarked = await markLateInstances(services, tenantId).catch((error) => {
      services.log.warn({ err: error, tenant_id: tenantId }, 'could not mark the late edge instances of the tenant')
      return true
    })
    isNeeded ||= isMarked
  }
  return isNeeded
}

/** Marks the late instances of one tenant. Returns false if the tenant has few instances. Several processes may run it at the same time. */
export async function markLateInstances(services: Services, tenantId: string): Promise<boolean> {
  const { db } = services
  if (!(await hasManyInstances(db.reader(tenantId)))) return false
  const now = Date.now()
  const { seconds } = quietAt({ now: new Date(now).toISOString(), services })
  const before = new Date(now - (seconds * 1000) / 2).toISOString()
  for (let isDone = false; !isDone; ) {
    isDone = await db.transaction(tenantId, async (tx) => {
      const isLast = await changeLateMarks(tx, before)
      if (isLast) await storeMarkedBefore(tx, before)
      return isLast
    })
  }
  return true
}
