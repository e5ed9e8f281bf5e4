import { randomBytes } from 'node:crypto'
import type { ContentKey } from '@mandate/contract/content'
import type { EdgeActor } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { forbidden, notFound } from '../../refusal.ts'
import { findContentKey, findEnvironmentOf, insertContentKey } from './key-queries.ts'
import { keyContext } from './reseal-content-keys.ts'

const keyBytes = 32

/**
 * Returns the key of the environment for digests of arguments. The first request creates it.
 * @throws 404 for an agent without an environment; 403 if no vault key opens the key
 */
export async function getContentKey(ctx: Ctx<EdgeActor>): Promise<ContentKey> {
  const { actor, sql } = ctx
  const environmentId =
    actor.kind === 'edge' ? actor.environmentId : ((await findEnvironmentOf(sql, actor.agentId)) ?? null)
  if (environmentId === null) throw notFound('environment')
  const context = keyContext(sql.tenantId, environmentId)
  const sealed = (await findContentKey(sql, environmentId)) ?? (await createKey(ctx, environmentId, context))
  return { environment_id: environmentId, key: opened(ctx, environmentId, { sealed, context }) }
}

function opened({ services }: Ctx<EdgeActor>, environmentId: string, key: { sealed: string; context: string }): string {
  try {
    return services.vault.open(key.sealed, key.context)
  } catch {
    services.log.error({ environment_id: environmentId }, 'no vault key opens the key for digests of an environment')
    throw forbidden('the key for digests of this environment cannot be decrypted; restore the vault key')
  }
}

/** Two requests may create the key at the same time. Then both answer the one that was stored. */
async function createKey(ctx: Ctx<EdgeActor>, environmentId: string, context: string): Promise<string> {
  const sealed = ctx.services.vault.seal(randomBytes(keyBytes).toString('base64'), context)
  const stored = await ctx.inTenant((tx) => insertContentKey(tx, environmentId, sealed, ctx.now))
  if (stored === undefined) throw notFound('environment')
  return stored
}
