import { type EdgeCredential, mostServersOfCredential } from '@mandate/contract/credentials'
import { recordAudit } from '../../audit/record-audit.ts'
import type { EdgeActor } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Tx } from '../../db/database.ts'
import { forbidden, notFound } from '../../refusal.ts'
import { secretContext } from './rules.ts'
import {
  countServers,
  forgetUses,
  lockForUse,
  lockToCount,
  noteLastUse,
  type SealedCredential,
  storeUse,
  type Use,
} from './use-queries.ts'

const dayMs = 86_400_000

/**
 * Returns a credential of the edge's environment with its secret, and records that the edge has it.
 * `server` is empty if the edge does not name the server.
 * @throws 404; 403 for the own key of an agent, for too many servers, and if no vault key opens the secret
 */
export async function getEdgeCredential(ctx: Ctx<EdgeActor>, name: string, server: string): Promise<EdgeCredential> {
  const { actor } = ctx
  if (actor.kind !== 'edge')
    throw forbidden("an agent's own key cannot read credentials; run the edge with an edge key")
  return await ctx.inTenant(async (tx) => {
    const found = await lockForUse(tx, actor.environmentId, name)
    if (!found) throw notFound('credential')
    const secret = opened(ctx, found)
    const use = { credentialId: found.id, edgeId: actor.credentialId, server, version: found.version }
    await recordUse(tx, ctx, found, { ...use, hour: hourOf(ctx.now), now: ctx.now }, actor.environmentId)
    const { kind, config, version } = found
    return { name, kind, config, secret, version }
  })
}

/** The start of the hour of a time, ISO 8601. */
const hourOf = (now: string) => `${now.slice(0, 13)}:00:00.000Z`

function opened({ services, actor }: Ctx<EdgeActor>, { id, sealed }: SealedCredential): string {
  try {
    return services.vault.open(sealed, secretContext(actor.tenantId, id))
  } catch {
    services.log.error({ credential_id: id }, 'no vault key opens the secret of a credential; rotate the credential')
    throw forbidden('the secret of this credential cannot be decrypted; rotate the credential')
  }
}

async function recordUse(
  tx: Tx,
  ctx: Ctx<EdgeActor>,
  { id, name }: SealedCredential,
  use: Use,
  environmentId: string,
): Promise<void> {
  const result = await storeUse(tx, use)
  const dayAgo = new Date(Date.parse(ctx.now) - dayMs).toISOString()
  if (result === 'first') {
    await lockToCount(tx, id)
    await forgetUses(tx, id, dayAgo)
    if ((await countServers(tx, use, dayAgo)) > mostServersOfCredential)
      throw forbidden(`an edge can fetch a credential for at most ${mostServersOfCredential} servers within 24 hours`)
  }
  await noteLastUse(tx, id, ctx.now)
  if (result === 'repeated') return
  await recordAudit(tx, ctx, 'credential.fetched', {
    resource: { type: 'credential', id, name },
    details: { server: use.server === '' ? null : use.server, version: use.version, edge_id: use.edgeId },
    environmentId,
  })
}
