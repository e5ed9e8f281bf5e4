import type { Edge } from '@mandate/contract/edge'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Include } from '../../../caller/may-part.ts'
import { notFound } from '../../../refusal.ts'
import { findEdge } from '../reach/edge-list-queries.ts'
import { quietAt } from '../reach/quiet.ts'
import { edgeMay } from './may.ts'

/** @throws 404 for an edge that is revoked or in an environment that the caller does not see */
export async function getEdge(ctx: Ctx<Member>, id: string, include?: Include): Promise<Edge> {
  const edge = await findEdge(ctx.sql, ctx.actor, id, quietAt(ctx))
  if (!edge) throw notFound('edge')
  return await edgeMay.addTo(ctx, include, edge)
}
