import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { notFound } from '../../refusal.ts'
import { deletePlatform, lockPlatform } from './queries.ts'

/**
 * Deletes a connection and its secret. Its discovered agents stay. It is allowed on every plan, so that a secret can always be
 * removed.
 * @throws 404
 */
export async function disconnectPlatform(ctx: Ctx<Member>, id: string): Promise<void> {
  await ctx.inTenant(async (tx) => {
    const platform = await lockPlatform(tx, id)
    if (!platform) throw notFound('platform')
    await deletePlatform(tx, id)
    await recordAudit(tx, ctx, 'platform.disconnected', {
      resource: { type: 'platform', id, name: platform.name },
      details: { kind: platform.kind },
    })
  })
}
