import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { notFound } from '../../../refusal.ts'
import { lockEdge, storeRevocation } from './edge-queries.ts'

/** Revokes an edge key at once. @throws 404 for an edge that is already revoked or in an environment that the caller does not see */
export async function revokeEdge(ctx: Ctx<Member>, id: string): Promise<void> {
  await ctx.inTenant(async (tx) => {
    const edge = await lockEdge(tx, ctx.actor, id)
    if (!edge) throw notFound('edge')
    await storeRevocation(tx, id, edge.key_hash, ctx.now)
    await recordAudit(tx, ctx, 'edge.revoked', {
      resource: { type: 'edge', id, name: edge.name },
      details: { key_prefix: edge.key_prefix, environment_id: edge.environment_id },
      environmentId: edge.environment_id,
    })
  })
}
