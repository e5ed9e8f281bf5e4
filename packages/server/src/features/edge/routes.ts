import { edgeEndpoints as endpoints } from '@mandate/contract/edge'
import { uuid } from '@mandate/contract/fields/fields'
import type { EdgeActor } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { refuseBadPlacement } from '../../caller/place-in-environment.ts'
import { NotModified, on, Reply } from '../../http/routes/route.ts'
import { publishedKeys } from '../../security/signing-key.ts'
import { confirm } from './confirmations/confirm.ts'
import { createEdge } from './credentials/create-edge.ts'
import { getEdge } from './credentials/get-edge.ts'
import { getEdgeSession } from './credentials/get-edge-session.ts'
import { listEdgeInstances, listEdges } from './credentials/list-edges.ts'
import { revokeEdge } from './credentials/revoke-edge.ts'
import { matchesEtag } from './profiles/etag.ts'
import { getMissionProfile } from './profiles/get-mission-profile.ts'
import { attest, reportExecutionStats } from './reach/report-evidence.ts'
import { requireServed } from './reach/served.ts'

/** A field of a body that is not validated yet. */
const fieldOf = (body: unknown, name: string) => (body as Record<string, unknown> | null | undefined)?.[name]

const mustServe = async (ctx: Ctx<EdgeActor>, _params: undefined, rawBody: unknown) => {
  const named = uuid.safeParse(fieldOf(rawBody, 'agent_id'))
  if (named.success) await requireServed(ctx.sql, ctx.actor, [named.data])
}

export const edgeRoutes = [
  on(endpoints.createEdge, (ctx, { body }) => createEdge(ctx, body), {
    beforeBadBody: (ctx, _params, rawBody) => refuseBadPlacement(ctx, rawBody),
  }),
  on(endpoints.listEdges, (ctx, { query }) => listEdges(ctx, query)),
  on(endpoints.listEdgeInstances, (ctx, { query }) => listEdgeInstances(ctx, query)),
  on(endpoints.getEdge, (ctx, { params, query }) => getEdge(ctx, params.edge_id, query.include)),
  on(endpoints.revokeEdge, (ctx, { params }) => revokeEdge(ctx, params.edge_id)),
  on(endpoints.getEdgeSession, (ctx) => getEdgeSession(ctx)),
  on(endpoints.getMissionProfile, async (ctx, { params, headers }) => {
    const profile = await getMissionProfile(ctx, params.agent_id)
    const etag = `"${profile.profile_hash}"`
    if (matchesEtag(headers['if-none-match'], etag)) return new NotModified(etag)
    return new Reply(profile, { headers: { etag } })
  }),
  on(endpoints.getSigningKey, async ({ services }) => publishedKeys(services.signingKey)),
  on(endpoints.confirm, async (ctx, { body }) => new Reply(await confirm(ctx, body), { status: 202 })),
  on(endpoints.attest, (ctx, { body }) => attest(ctx, body), { beforeBadBody: mustServe }),
  on(endpoints.reportExecutionStats, (ctx, { body }) => reportExecutionStats(ctx, body), { beforeBadBody: mustServe }),
]
