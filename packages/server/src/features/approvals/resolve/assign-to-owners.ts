import type { Tx } from '../../../db/database.ts'
import { storeAssignedToOwners } from '../stored/resolver-queries.ts'

/**
 * Assigns the pending approvals of an environment that becomes a production environment to owners. Returns their number. The environment's
 * row must be locked, so that a new approval is either assigned to owners, or is one of these.
 */
export function assignToOwners(tx: Tx, environmentId: string, now: string): Promise<number> {
  return storeAssignedToOwners(tx, environmentId, now)
}
