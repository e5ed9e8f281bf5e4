import type { EnvironmentAccess } from '@mandate/contract/users'
import type { z } from 'zod'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { newId } from '../../db/ids/new-id.ts'
import { notFound } from '../../refusal.ts'
import {
  deleteEntry,
  findEntries,
  findEntry,
  findEntryOn,
  findVisibleEnvironmentHeld,
  insertEntry,
} from './environment-access-queries.ts'
import { lockChangeableAccess, requireReadableAccess, userResource } from './may-change-access.ts'

type Entry = z.output<typeof EnvironmentAccess>

/** Returns the environments that a user has access to, as far as the caller can see them. */
export async function listEnvironmentAccess(
  ctx: Ctx<Member>,
  userId: string,
): Promise<{ environment_access: Entry[] }> {
  await requireReadableAccess(ctx, userId)
  return { environment_access: await findEntries(ctx.sql, ctx.actor, userId) }
}

/**
 * Gives a user access to an environment that the caller can see. This access does not show the user the environment's agents; a
 * grant is needed for each agent. If the user already has access, nothing is written.
 */
export async function createEnvironmentAccess(ctx: Ctx<Member>, userId: string, environmentId: string) {
  return await ctx.inTenant(async (tx) => {
    const user = await lockChangeableAccess(tx, ctx, userId)
    const environment = await findVisibleEnvironmentHeld(tx, ctx.actor, environmentId)
    if (!environment) throw notFound('environment')
    const held = await findEntryOn(tx, ctx.actor, userId, environmentId)
    if (held) return { created: false, entry: held satisfies Entry }
    const id = newId()
    await insertEntry(tx, { id, userId, environmentId, createdAt: ctx.now })
    const { name: environment_name, slug: environment_slug } = environment
    await recordAudit(tx, ctx, 'user.environment_access_created', {
      resource: userResource(user),
      details: { access_id: id, environment_id: environmentId, environment_name },
      environmentId,
    })
    const entry: Entry = { id, environment_id: environmentId, environment_name, environment_slug, created_at: ctx.now }
    return { created: true, entry }
  })
}

/** Removes a user's access to an environment that the caller can see. */
export async function revokeEnvironmentAccess(ctx: Ctx<Member>, userId: string, accessId: string): Promise<void> {
  await ctx.inTenant(async (tx) => {
    const user = await lockChangeableAccess(tx, ctx, userId)
    const entry = await findEntry(tx, ctx.actor, userId, accessId)
    if (!entry) throw notFound('environment access')
    await deleteEntry(tx, accessId)
    const { environment_id, environment_name } = entry
    await recordAudit(tx, ctx, 'user.environment_access_revoked', {
      resource: userResource(user),
      details: { access_id: accessId, environment_id, environment_name },
      environmentId: environment_id,
    })
  })
}
