import type { AuditFault } from '@mandate/contract/audit'
import type { Database } from '../db/database.ts'
import { findRefused } from './refused-queries.ts'
import { findStray } from './verify-queries.ts'

/**
 * What is wrong with a tenant's trail outside of the chain: an entry that the sealer refused and, where `isWhole`, one that was put
 * in past the queue or that is gone from it. The second look reads the whole trail.
 */
export async function findLooseFaults(db: Database, tenantId: string, isWhole: boolean): Promise<AuditFault[]> {
  const faults: AuditFault[] = []
  const refused = await findRefused(db.reader(tenantId))
  if (refused) {
    const reason = refused.reason === 'entry_missing' ? 'entry_missing' : 'entry_unauthenticated'
    faults.push({ reason, entry_id: refused.entry_id })
  }
  if (!isWhole) return faults
  // Long on a long trail: not on the connections that all reads share.
  const { unsealed, gone } = await db.transaction(tenantId, findStray)
  if (unsealed) faults.push({ reason: 'entry_unsealed', entry_id: unsealed })
  if (gone) faults.push({ reason: 'entry_missing', entry_id: gone })
  return faults
}
