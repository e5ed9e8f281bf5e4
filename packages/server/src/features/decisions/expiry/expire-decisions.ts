import { findTenantIds } from '../../../db/tenants/find-tenant-ids.ts'
import type { Services } from '../../../services.ts'
import { mergeLeftBehind } from '../store/merge-results.ts'
import { deleteExpired } from './expiry-queries.ts'

/** Rows that one statement deletes. */
const batchRows = 5_000

/**
 * Deletes what belongs to expired decisions and is not in the partitions that are dropped: look-ups of ids, spans, hashes of records that
 * were not stored, anchors, gaps, and keys that are not used any more. Also merges results that were left behind.
 */
export async function expireDecisions(services: Services, now: string): Promise<void> {
  for (const tenantId of await findTenantIds(services.db.global)) {
    let last: string | null = null
    do {
      last = await services.db.transaction(tenantId, (tx) => mergeLeftBehind(tx, now, last))
    } while (last !== null)
    let deleted: number
    do {
      deleted = await services.db.transaction(tenantId, (tx) => deleteExpired(tx, now, batchRows))
    } while (deleted > 0)
  }
}
