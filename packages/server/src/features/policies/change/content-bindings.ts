import type { ContentBindings, NewContentBindings } from '@mandate/contract/content'
import type { Member } from '../../../authz/actor.ts'
import { requireAuthority } from '../../../authz/can.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { keepPatterns } from '../../content/pattern-lock.ts'
import { listSets, readBindings, readSetVersion } from '../../content/read-sets.ts'
import { defaultBindings, saveSet } from '../../content/save-sets.ts'
import { requireMatch } from '../if-match.ts'
import { lockPolicy, type PolicyRow } from '../queries.ts'
import { requireReach, requireVisible } from '../require-policy.ts'

/** @throws 404 for a policy that the caller cannot see */
export async function getContentBindings(ctx: Ctx<Member>, policyId: string): Promise<ContentBindings> {
  await requireVisible(ctx.sql, ctx.actor, policyId)
  return await readBindings(ctx.sql, policyId)
}

/**
 * Replaces the bindings of a policy. The version of the policy stays as it is. Bindings that change nothing save nothing.
 * @throws 404, 403, 412, then 400 for a pattern or a group that does not exist
 */
export async function replaceContentBindings(
  ctx: Ctx<Member>,
  policyId: string,
  { bindings }: NewContentBindings,
  ifMatch?: string,
): Promise<ContentBindings> {
  requireAuthority(ctx.actor, 'member')
  return await ctx.inTenant(async (tx) => {
    const [, found] = await Promise.all([keepPatterns(tx), lockPolicy(tx, ctx.actor, policyId)])
    const row = requireReach(found)
    requireMatch(ifMatch, row.bindings_version, 'the content bindings are')
    const version = await saveSet(tx, ctx, row, bindings)
    return { version, bindings }
  })
}

/** Saves the first bindings of a policy whose data-loss prevention was turned on. */
export async function beginBindings(
  tx: Tx,
  ctx: Ctx<Member>,
  policy: Pick<PolicyRow, 'id' | 'name' | 'environment_id' | 'dlp_enabled'> & { bindings_version: number },
): Promise<void> {
  if (!policy.dlp_enabled || policy.bindings_version > 0) return
  await saveSet(tx, ctx, policy, defaultBindings)
}

/** @throws 404 for a policy that the caller cannot see */
export async function listContentBindingsVersions(
  ctx: Ctx<Member>,
  policyId: string,
  page: { limit: number; offset: number },
) {
  await requireVisible(ctx.sql, ctx.actor, policyId)
  return await listSets(ctx.sql, policyId, { limit: page.limit, offset: page.offset })
}

/** @throws 404 for a policy that the caller cannot see, and for a version that does not exist */
export async function getContentBindingsVersion(ctx: Ctx<Member>, policyId: string, version: number) {
  await requireVisible(ctx.sql, ctx.actor, policyId)
  return await readSetVersion(ctx.sql, policyId, version)
}
