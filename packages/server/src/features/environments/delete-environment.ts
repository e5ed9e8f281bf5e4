import type { EnvironmentDeletionPreview } from '@mandate/contract/environments'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Tx } from '../../db/database.ts'
import { countInWords } from '../../db/lists/bounded-count.ts'
import { conflict } from '../../refusal.ts'
import { revokeBoundKeys } from '../api-keys/revoke-key.ts'
import { deleteCredentialsIn } from '../credentials/delete-credential.ts'
import { deleteDelegationsIn } from '../delegations/delete-expired.ts'
import { deleteToolsIn } from '../tools/change/delete-tools.ts'
import {
  countAffected,
  countInUse,
  countKept,
  deleteEdges,
  deleteEnvironmentRow,
  findEnvironment,
  lockEnvironment,
} from './queries.ts'
import { requireDeletable } from './require-environment.ts'

/**
 * Counts what would be kept and revoked if the environment were deleted, and the agents that prevent it. Changes nothing.
 * @throws the 404, 403 and 400 of `requireDeletable`
 */
export async function previewEnvironmentDeletion(ctx: Ctx<Member>, id: string): Promise<EnvironmentDeletionPreview> {
  await requireDeletable(ctx.sql, ctx.actor, id, findEnvironment)
  const [kept, affected] = await Promise.all([countKept(ctx.sql, id, ctx.now), countAffected(ctx.sql, id)])
  return { ...kept, ...affected }
}

/**
 * Deletes an environment. Its keys and edges are revoked, its credentials are deleted and the users' access to it is removed. Its reports are kept with their
 * share links and become reports of the organization.
 * @throws the 404, 403 and 400 of `requireDeletable`; 409 with the number of agents or policies that are still in the environment
 */
export async function deleteEnvironment(ctx: Ctx<Member>, id: string): Promise<void> {
  await ctx.inTenant(async (tx) => {
    const environment = await requireDeletable(tx, ctx.actor, id, lockEnvironment)
    await requireEmpty(tx, id)
    const kept = await countKept(tx, id, ctx.now)
    const keysRevoked = await revokeBoundKeys(tx, ctx, id)
    const edgesRevoked = await revokeEdges(tx, ctx, id)
    await deleteCredentialsIn(tx, ctx, id)
    await deleteToolsIn(tx, id)
    await deleteEnvironmentRow(tx, id)
    // After the agents, as requests that delegate lock them.
    await deleteDelegationsIn(tx, id)
    await recordAudit(tx, ctx, 'environment.deleted', {
      resource: { type: 'environment', id, name: environment.name },
      details: { slug: environment.slug, ...kept, keys_revoked: keysRevoked, edges_revoked: edgesRevoked },
      environmentId: id,
    })
  })
}

async function requireEmpty(tx: Tx, id: string): Promise<void> {
  const { agents, policies } = await countInUse(tx, id)
  if (agents > 0)
    throw conflict(
      `the environment still has ${countInWords(agents, 'live agent', 'live agents')}; archive all its agents first`,
    )
  if (policies > 0)
    throw conflict(
      `the environment still has ${countInWords(policies, 'policy', 'policies')}; move or delete its policies first`,
    )
}

async function revokeEdges(tx: Tx, ctx: Ctx<Member>, environmentId: string): Promise<number> {
  const edges = await deleteEdges(tx, environmentId)
  for (const { id, name, key_prefix } of edges) {
    const details = { key_prefix, environment_id: environmentId, because: 'environment_deleted' }
    await recordAudit(tx, ctx, 'edge.revoked', { resource: { type: 'edge', id, name }, details, environmentId })
  }
  return edges.length
}
