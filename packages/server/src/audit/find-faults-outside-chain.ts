import type { AuditFault } from '@mandate/contract/audit/audit'
import type { Database } from '../db/database.ts'
import { findRefused } from './refused-queries.ts'
import { findStray } from './verify-queries.ts'

/**
 * Finds faults of a tenant's audit trail that a check of the chain of seals cannot find. Always looks for an entry that the
 * sealer refused to seal. If `isWhole` is true, reads the whole trail and also looks for two other faults:
 * - an entry that is neither sealed, nor in the sealing queue, nor refused,
 * - a row of the sealing queue whose entry was deleted.
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
