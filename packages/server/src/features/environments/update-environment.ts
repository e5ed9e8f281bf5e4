import type { Environment, EnvironmentChange } from '@mandate/contract/environments'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { brokenConstraint } from '../../db/database.ts'
import { conflict, throwIfRefused } from '../../refusal.ts'
import { assignToOwners } from '../approvals/resolve/assign-to-owners.ts'
import { raisePinsVersion } from '../tools/raise-version.ts'
import { slugTakenText } from './create-environment.ts'
import { changeable, findEnvironment, lockEnvironment, storeEnvironment } from './queries.ts'
import { requireChangeable } from './require-environment.ts'
import { productionRefusal } from './rules.ts'

/**
 * Changes the fields of an environment that the request contains. The other fields keep their values. If it becomes a production
 * environment, only owners may resolve its pending approvals from then on.
 * @throws the 403 and 404 of `requireChangeable`; the 403 of `productionRefusal`; 409 if the slug is taken
 */
export async function updateEnvironment(ctx: Ctx<Member>, id: string, change: EnvironmentChange): Promise<Environment> {
  try {
    return await ctx.inTenant(async (tx) => {
      const before = await requireChangeable(tx, ctx.actor, id, lockEnvironment)
      throwIfRefused(productionRefusal(ctx.actor, before, change.is_production))
      const wanted = { ...before, ...change }
      const changes = changeable
        .filter((field) => wanted[field] !== before[field])
        .map((field) => ({ field, from: before[field], to: wanted[field] }))
      if (changes.length === 0) return before
      const after = await storeEnvironment(tx, id, wanted)
      if (after.tool_pinning !== before.tool_pinning) await raisePinsVersion(tx, id, ctx.now)
      const isNewProduction = after.is_production && !before.is_production
      const assigned = isNewProduction ? await assignToOwners(tx, id, ctx.now) : 0
      await recordAudit(tx, ctx, 'environment.updated', {
        resource: { type: 'environment', id, name: after.name },
        details: { changes, ...(assigned > 0 && { approvals_assigned_to_owners: assigned }) },
        environmentId: id,
      })
      return after
    })
  } catch (error) {
    throw brokenConstraint(error) ? conflict(slugTakenText) : error
  }
}

/**
 * Throws the 403 or 404 of `updateEnvironment`. Runs only if the body is invalid. The 403 or 404 takes precedence over the 400
 * for the body.
 */
export async function refuseUpdateFirst(ctx: Ctx<Member>, id: string): Promise<void> {
  await requireChangeable(ctx.sql, ctx.actor, id, findEnvironment)
}
