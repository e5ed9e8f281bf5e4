import { takeSnapshot } from '@mandate/policy/snapshot'
import type { Member } from '../../authz/actor.ts'
import { requireAuthority } from '../../authz/can.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { notFound } from '../../refusal.ts'
import { type SavedPolicy, savePolicy } from './save-policy.ts'
import { findVersion } from './version-queries.ts'

/**
 * Replaces a policy's document by one of its versions, as a new version. The rules keep the ids that they had. The document is
 * checked like any save: the refusals are those of `savePolicy`.
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
