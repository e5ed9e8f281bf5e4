import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { findEdges } from './edge-queries.ts'

/** The edges that work, in the environments the caller works in, newest first. */
export async function listEdges(ctx: Ctx<Member>, { limit, offset }: { limit: number; offset: number }) {
  const { edges, total } = await findEdges(ctx.sql, ctx.actor, limit, offset)
  return { data: edges, total, limit, offset }
}
