import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import { requireAuthority } from '../../../authz/can.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { throwIfRefused } from '../../../refusal.ts'
import { requireMatch } from '../if-match.ts'
import { deletePolicyRow, isPolicyInUse, lockPolicy, releaseArchivedAgents } from '../queries.ts'
import { requireReach } from '../require-policy.ts'
import { inUseRefusal } from '../rules.ts'

/**
 * Deletes a policy with its rules and versions. Archived agents that have this policy are left without a policy.
 * @throws 404, 403, 412 if `ifMatch` is not the current version, 409 while an agent that is not archived uses it
 */
export async function deletePolicy(ctx: Ctx<Member>, policyId: string, ifMatch?: string): Promise<void> {
  requireAuthority(ctx.actor, 'member')
  await ctx.inTenant(async (tx) => {
    const { name, version, environment_id } = requireReach(await lockPolicy(tx, ctx.actor, policyId))
    requireMatch(ifMatch, version)
    throwIfRefused(inUseRefusal(await isPolicyInUse(tx, policyId)))
    await releaseArchivedAgents(tx, policyId)
    await deletePolicyRow(tx, policyId)
    await recordAudit(tx, ctx, 'policy.deleted', {
      resource: { type: 'policy', id: policyId, name },
      details: { version },
      environmentId: environment_id,
    })
  })
}
