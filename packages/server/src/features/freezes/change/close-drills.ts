import type { Member } from '../../../authz/actor.ts'
import { findTenantIds } from '../../../db/tenants/find-tenant-ids.ts'
import type { Services } from '../../../services.ts'
import { quietAt } from '../../edge/reach/quiet.ts'
import { findOpenDrills, storeFinalReach } from '../freeze-queries.ts'
import { readReach } from '../reach.ts'

const measuredMs = 24 * 60 * 60_000
/** Maximum number of drills of a tenant that one run closes. */
const mostDrills = 100

/** Closes drills that started more than a day ago, and stores how far they reached. */
export async function closeDrills(services: Services, now: string): Promise<void> {
  const before = new Date(Date.parse(now) - measuredMs).toISOString()
  for (const tenantId of await findTenantIds(services.db.global)) {
    await services.db.transaction(tenantId, async (tx) => {
      for (const drill of await findOpenDrills(tx, before, mostDrills)) {
        await storeFinalReach(tx, drill.id, await readReach(tx, seesAll(tenantId), drill, quietAt({ now, services })))
      }
    })
  }
}

/** An actor who sees every instance of the tenant. */
const seesAll = (tenantId: string): Member => ({
  kind: 'person',
  tenantId,
  userId: tenantId,
  accountId: null,
  email: '',
  displayName: '',
  role: 'owner',
  accessScope: 'all',
  academyOnly: false,
  readOnly: false,
  key: null,
})
