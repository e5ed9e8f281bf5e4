import type { ConnectedPlatform, NewPlatform } from '@mandate/contract/platforms'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { newId } from '../../db/ids/new-id.ts'
import { insertPlatform } from './queries.ts'
import { requirePlan } from './require-plan.ts'
import { checkConfig, secretContext } from './rules.ts'

/**
 * Stores a connection with its sealed secret. Makes no network call.
 * @throws 400 for a configuration that its kind does not accept, 402 for a plan below Pro
 */
export async function connectPlatform(ctx: Ctx<Member>, input: NewPlatform): Promise<ConnectedPlatform> {
  const { kind, name, auth_secret: secret } = input
  const config = checkConfig(input, ctx.services.config.privatePlatforms)
  const id = newId()
  return await ctx.inTenant(async (tx) => {
    await requirePlan(tx)
    const sealedSecret = secret === undefined ? null : ctx.services.vault.seal(secret, secretContext(tx.tenantId, id))
    const values = { id, kind, name, config, sealedSecret, createdBy: ctx.actor.userId }
    const platform = await insertPlatform(tx, values, ctx.now)
    await recordAudit(tx, ctx, 'platform.connected', {
      resource: { type: 'platform', id, name },
      details: { kind, config, has_auth_secret: platform.has_auth_secret },
    })
    return platform
  })
}
