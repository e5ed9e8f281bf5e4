import { takeSnapshot } from '@mandate/policy/snapshot'
import type { Member } from '../../../authz/actor.ts'
import { requireAuthority } from '../../../authz/can.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { notFound } from '../../../refusal.ts'
import { findVersion } from '../versions/version-queries.ts'
import { type SavedPolicy, savePolicy } from './save-policy.ts'

/**
 * Saves the document of an earlier version of a policy as a new version. The rules get the ids that they had in the earlier
 * version. The document is checked as in every save. Throws the same errors as `savePolicy`.
 * @throws 404 also for an unknown version
 */
export async function restoreVersion(
  ctx: Ctx<Member>,
  policyId: string,
  version: number,
  ifMatch?: string,
): Promise<SavedPolicy> {
  requireAuthority(ctx.actor, 'manager')
  return await savePolicy(
    ctx,
    policyId,
    {
      producedBy: 'restored',
      restoredFrom: version,
      apply: async (_current, tx) => {
        const found = await findVersion(tx, policyId, version)
        if (!found) throw notFound('policy version')
        return takeSnapshot(found.snapshot)
      },
      details: { restored_from: version },
    },
    ifMatch,
  )
}
