import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Include } from '../../caller/may-part.ts'
import { countVisibleEdges, findEdges } from './edge-list-queries.ts'
import { edgeMay } from './may.ts'
import { quietAt } from './quiet.ts'

interface EdgeListQuery {
  silent?: boolean | undefined
  environment_id?: string | undefined
  include?: Include
  limit: number
  offset: number
}

/** Returns the edges that are not revoked, in the environments that the caller has access to: silent edges first, then the newest. */
export async function listEdges(ctx: Ctx<Member>, { silent, environment_id, include, limit, offset }: EdgeListQuery) {
  const filters = { silent, environmentId: environment_id }
  const { edges, total } = await findEdges(ctx.sql, ctx.actor, filters, quietAt(ctx), { limit, offset })
  return { data: await edgeMay.addToAll(ctx, include, edges), total, limit, offset }
}

/** Counts the edges that the caller sees, and how many of them are silent. Each count stops at 10,000. */
export function countEdges(ctx: Ctx<Member>): Promise<{ total: number; silent: number }> {
  return countVisibleEdges(ctx.sql, ctx.actor, quietAt(ctx))
}
