import type { AuditFault } from '@mandate/contract/audit'
import type { Database } from '../db/database.ts'
import { findRefused } from './refused-queries.ts'
import { findStray } from './verify-queries.ts'

/**
 * Finds faults of a tenant's trail that are not in its chain. It always looks for an entry that the sealer refused. With
 * `isWhole`, it reads the whole trail, and also looks for an entry that was inserted without a row of the queue and for a row
 * of the queue whose entry is gone.
 */
export async function findFaultsOutsideChain(db: Database, tenantId: string, isWhole: boolean): Promise<AuditFault[]> {
  const faults: AuditFault[] = []
  const refused = await findRefused(db.reader(tenantId))
  if (refused) {
    const reason = refused.reason === 'entry_missing' ? 'entry_missing' : 'entry_unauthenticated'
    faults.push({ reason, entry_id: refused.entry_id })
  }
  if (!isWhole) return faults
  // This statement can run for a long time. It therefore runs in a transaction of its own and not on a connection that other
  // reads share.
  const { unsealed, gone } = await db.transaction(tenantId, findStray)
  if (unsealed) faults.push({ reason: 'entry_unsealed', entry_id: unsealed })
  if (gone) faults.push({ reason: 'entry_missing', entry_id: gone })
  return faults
}
