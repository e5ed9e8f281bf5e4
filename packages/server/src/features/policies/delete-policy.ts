import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import { requireAuthority } from '../../authz/can.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { conflict } from '../../refusal.ts'
import { requireMatch } from './if-match.ts'
import { deletePolicyRow, isPolicyInUse, lockPolicy, releaseArchivedAgents } from './queries.ts'
import { requireReach } from './require-policy.ts'

/**
 * Deletes a policy with its rules and versions. Archived agents that have this policy are left without a policy.
 * @throws 404, 403, 412 if `ifMatch` is not the current version, 409 while an agent that is not archived uses it
 */
export async function deletePolicy(ctx: Ctx<Member>, policyId: string, ifMatch?: string): Promise<void> {
  requireAuthority(ctx.actor, 'member')
  await ctx.inTenant(async (tx) => {
    const { name, version, environment_id } = requireReach(await lockPolicy(tx, ctx.actor, policyId))
    requireMatch(ifMatch, version)
    if (await isPolicyInUse(tx, policyId)) {
      throw conflict('agents use this policy; assign another policy to them first')
    }
    await releaseArchivedAgents(tx, policyId)
    await deletePolicyRow(tx, policyId)
    await recordAudit(tx, ctx, 'policy.deleted', {
      resource: { type: 'policy', id: policyId, name },
      details: { version },
      environmentId: environment_id,
    })
  })
}
