import { changeSummary } from '@mandate/policy/changes/diff'
import { takeSnapshot } from '@mandate/policy/snapshot'
import { contentHash } from '@mandate/proofs/canonical'
import type { Database } from '../../../db/database.ts'
import { findTenantIds } from '../../../db/tenants/find-tenant-ids.ts'
import { findRules, updatePolicyRow } from '../queries.ts'
import { findPoliciesWithoutHistory, insertVersion, lockPolicyWithoutHistory } from './version-queries.ts'

const recordedByService = { user_id: null, display_name: 'system', email: '' }

/**
 * Records version 1 of each policy that has no versions, such as a policy that is older than versioning. The version has the
 * policy's current state. Running it again, or in several instances at the same time, is safe. Returns how many versions were
 * recorded.
 */
export async function recordMissingHistories(db: Database): Promise<number> {
  let recorded = 0
  for (const tenantId of await findTenantIds(db.global)) {
    for (const { id } of await findPoliciesWithoutHistory(db.reader(tenantId))) {
      recorded += Number(await beginHistory(db, tenantId, id))
    }
  }
  return recorded
}

function beginHistory(db: Database, tenantId: string, policyId: string): Promise<boolean> {
  return db.transaction(tenantId, async (tx) => {
    const policy = await lockPolicyWithoutHistory(tx, policyId)
    if (!policy) return false
    const snapshot = takeSnapshot({ ...policy, rules: await findRules(tx, policyId) })
    const hash = contentHash(snapshot)
    const now = new Date().toISOString()
    await updatePolicyRow(tx, { ...snapshot, id: policyId, version: 1, content_hash: hash, now })
    await insertVersion(tx, {
      policyId,
      version: 1,
      producedBy: 'created',
      restoredFrom: null,
      savedBy: recordedByService,
      savedAt: now,
      changeSummary: changeSummary(null, snapshot),
      changeClass: 'neutral',
      snapshot,
      contentHash: hash,
    })
    return true
  })
}
