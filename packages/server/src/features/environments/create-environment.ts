import type { Environment, NewEnvironment } from '@mandate/contract/environments'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { newId } from '../../db/ids/new-id.ts'
import { conflict, throwIfRefused } from '../../refusal.ts'
import { raisePinsVersion } from '../tools/raise-version.ts'
import { insertEnvironment } from './queries.ts'
import { changeRefusal } from './rules.ts'

export const slugTakenText = 'another environment has this slug'

/** @throws the 403 of `changeRefusal`; 409 if an environment of the tenant has the slug */
export async function createEnvironment(ctx: Ctx<Member>, input: NewEnvironment): Promise<Environment> {
  throwIfRefused(changeRefusal(ctx.actor))
  return await ctx.inTenant(async (tx) => {
    const environment = await insertEnvironment(tx, newId(), input, ctx.now)
    if (!environment) throw conflict(slugTakenText)
    const { id, name, slug, is_production, governance_mode, tool_pinning, keep_arguments_for_replay } = environment
    await recordAudit(tx, ctx, 'environment.created', {
      resource: { type: 'environment', id, name },
      details: { slug, is_production, governance_mode, tool_pinning, keep_arguments_for_replay },
      environmentId: id,
    })
    // Edges must learn the setting before the environment has tools.
    if (tool_pinning !== 'alert') await raisePinsVersion(tx, id, ctx.now)
    return environment
  })
}
