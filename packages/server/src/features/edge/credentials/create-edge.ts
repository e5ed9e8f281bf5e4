import type { Edge, NewEdge } from '@mandate/contract/edge'
import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { placeInEnvironment } from '../../../caller/place-in-environment.ts'
import { newId } from '../../../db/ids/new-id.ts'
import { digest, newCredential, publicPrefix } from '../../../security/credentials.ts'
import { insertEdge } from './edge-queries.ts'

/**
 * Creates an edge key, which serves all agents of its environment. Only this response contains the key; the database stores
 * only its digest.
 * @throws 403 if the caller uses an API key that is bound to another environment; 404 for an environment that a scoped caller
 *   has no access to; 400 for an unknown environment
 */
export function createEdge(
  ctx: Ctx<Member>,
  { name, environment_id }: NewEdge,
): Promise<{ edge: Edge; edge_key: string }> {
  const edgeKey = newCredential('ek')
  return ctx.inTenant(async (tx) => {
    const environment = await placeInEnvironment(ctx, environment_id)
    const edge: Edge = {
      id: newId(),
      tenant_id: tx.tenantId,
      name,
      environment_id: environment.id,
      key_prefix: publicPrefix(edgeKey),
      created_by: ctx.actor.userId,
      created_at: ctx.now,
      last_heartbeat_at: null,
      silent: null,
      version: null,
      agents_served: null,
      closes_at: null,
      lacks: null,
    }
    await insertEdge(tx, edge, digest(edgeKey))
    await recordAudit(tx, ctx, 'edge.created', {
      resource: { type: 'edge', id: edge.id, name },
      details: { key_prefix: edge.key_prefix, environment_id: environment.id },
      environmentId: environment.id,
    })
    return { edge, edge_key: edgeKey }
  })
}
