import type { ConnectedPlatform } from '@mandate/contract/platforms'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Tx } from '../../db/database.ts'
import { notFound, throwIfRefused } from '../../refusal.ts'
import { SyncFailure } from './github/describe-failure.ts'
import { type Discovered, discoverInstallations } from './github/discover-installations.ts'
import { findConnection, insertDiscovered, lockPlatform, storeSync } from './queries.ts'
import { requirePlan } from './require-plan.ts'
import { secretContext, syncRefusal } from './rules.ts'

type Connection = NonNullable<Awaited<ReturnType<typeof findConnection>>>

/**
 * Discovers a platform's agents. A failure at the platform is stored and returned, not thrown.
 * @throws 404, also if the platform is disconnected during the synchronization; 402 for a plan below Pro; 409 for a kind without a
 *   connector
 */
export async function syncPlatform(ctx: Ctx<Member>, id: string): Promise<ConnectedPlatform> {
  const connection = await findConnection(ctx.sql, id)
  if (!connection) throw notFound('platform')
  await requirePlan(ctx.sql)
  throwIfRefused(syncRefusal(connection))
  // No transaction is open during the requests to the platform.
  const outcome = await discover(ctx, connection)
  return await ctx.inTenant(async (tx) => {
    const platform = await lockPlatform(tx, id)
    if (!platform) throw notFound('platform')
    const found = 'found' in outcome ? outcome.found : []
    const made = found.length > 0 ? await insertDiscovered(tx, platform, found, ctx.now) : []
    for (const agent of made) await recordDiscovery(tx, ctx, platform, agent)
    const error = 'error' in outcome ? outcome.error : null
    const stored = await storeSync(tx, id, error, ctx.now)
    const counts = error === null ? { found: found.length, discovered: made.length } : { error }
    await recordAudit(tx, ctx, 'platform.synced', {
      resource: { type: 'platform', id, name: platform.name },
      details: { kind: platform.kind, status: stored.last_sync_status, ...counts },
    })
    return stored
  })
}

async function discover(
  ctx: Ctx<Member>,
  connection: Connection,
): Promise<{ found: Discovered[] } | { error: string }> {
  const { services, actor } = ctx
  const { config, auth_secret_sealed: sealed } = connection
  if (sealed === null) return { error: 'no auth secret is stored for the platform' }
  let token: string
  try {
    token = services.vault.open(sealed, secretContext(actor.tenantId, connection.id))
  } catch {
    return { error: 'the stored auth secret cannot be decrypted; connect the platform again' }
  }
  const { organization = '', base_url: baseUrl } = config
  try {
    const privateAllowed = services.config.privatePlatforms
    return { found: await discoverInstallations({ organization, baseUrl, token, privateAllowed }) }
  } catch (error) {
    if (error instanceof SyncFailure) return { error: error.message }
    throw error
  }
}

async function recordDiscovery(
  tx: Tx,
  ctx: Ctx<Member>,
  platform: { id: string; kind: string },
  agent: { id: string; name: string; external_id: string },
) {
  await recordAudit(tx, ctx, 'agent.discovered', {
    resource: { type: 'agent', id: agent.id, name: agent.name },
    agentId: agent.id,
    details: { source: platform.kind, platform_id: platform.id, external_id: agent.external_id },
  })
}
