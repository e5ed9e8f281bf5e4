import type { Overview } from '@mandate/contract/overview'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Include } from '../../../caller/may-part.ts'
import { countVisibleInstances, findInstances } from '../instances/instance-queries.ts'
import { countVisibleEdges, findEdges } from '../reach/edge-list-queries.ts'
import { quietAt } from '../reach/quiet.ts'
import { edgeMay } from './may.ts'

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

interface InstanceListQuery {
  credential?: 'edge' | 'agent' | undefined
  silent?: boolean | undefined
  environment_id?: string | undefined
  limit: number
  offset: number
}

/** Returns the running instances that the caller sees, also those with the own key of an agent: silent ones first. */
export async function listEdgeInstances(ctx: Ctx<Member>, query: InstanceListQuery) {
  const { credential, silent, environment_id, limit, offset } = query
  const filters = { credential, silent, environmentId: environment_id }
  const { instances, total } = await findInstances(ctx.sql, ctx.actor, filters, quietAt(ctx), { limit, offset })
  return { data: instances, total, limit, offset }
}

/** Counts the edges and the running instances that the caller sees, and the silent ones of both. Each count stops at 10,000. */
export async function countEdges(ctx: Ctx<Member>): Promise<Overview['edges']> {
  const quiet = quietAt(ctx)
  const [edges, instances] = await Promise.all([
    countVisibleEdges(ctx.sql, ctx.actor, quiet),
    countVisibleInstances(ctx.sql, ctx.actor, quiet),
  ])
  return { ...edges, ...instances }
}
