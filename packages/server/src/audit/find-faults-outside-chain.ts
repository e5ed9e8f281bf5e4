import type { AuditFault } from '@mandate/contract/audit'
import type { Database } from '../db/database.ts'
import { findRefused } from './refused-queries.ts'
import { findStray } from './verify-queries.ts'

/**
 * Finds faults of a tenant's trail outside its chain: an entry that the sealer refused. With `isWhole` also an entry that was inserted
 * without a queue row, and a queue row whose entry is gone. `isWhole` reads the whole trail.
 */
export async function findFaultsOutsideChain(db: Database, tenantId: string, isWhole: boolean): Promise<AuditFault[]> {
  const faults: AuditFault[] = []
  const refused = await findRefused(db.reader(tenantId))
  if (refused) {
    const reason = refused.reason === 'entry_missing' ? 'entry_missing' : 'entry_unauthenticated'
    faults.push({ reason, entry_id: refused.entry_id })
  }
  if (!isWhole) return faults
  // This statement can run for a long time, so it gets a connection of its own instead of one that all reads share.
  const { unsealed, gone } = await db.transaction(tenantId, findStray)
  if (unsealed) faults.push({ reason: 'entry_unsealed', entry_id: unsealed })
  if (gone) faults.push({ reason: 'entry_missing', entry_id: gone })
  return faults
}
