import type { Tx } from '../../../db/database.ts'
import { storeAssignedToOwners } from '../stored/resolver-queries.ts'

/**
 * Assigns pending approvals to owners, because their environment becomes a production environment. Returns how many it assigned. Lock the row of
 * the environment before: then a request for an approval either is assigned here, or waits and sees the production environment.
 */
export function assignToOwners(tx: Tx, environmentId: string, now: string): Promise<number> {
  return storeAssignedToOwners(tx, environmentId, now)
}
