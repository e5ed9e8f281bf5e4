import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { findEdges } from './edge-queries.ts'

/** Returns the edges that are not revoked, in the environments that the caller has access to, newest first. */
export async function listEdges(ctx: Ctx<Member>, { limit, offset }: { limit: number; offset: number }) {
  const { edges, total } = await findEdges(ctx.sql, ctx.actor, limit, offset)
  return { data: edges, total, limit, offset }
}
