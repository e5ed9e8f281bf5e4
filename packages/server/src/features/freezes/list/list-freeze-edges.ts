import type { FreezeEdge, freezeEdgeStates } from '@mandate/contract/freezes'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { openPlace, sealPlace } from '../../../paging/page-tokens.ts'
import { quietAt } from '../../edge/reach/quiet.ts'
import { instancesOf } from '../reach.ts'
import { inSnapshot, requireFreeze } from '../read-freezes.ts'
import { findFreezeEdges, type InstancePlace } from './edge-page-queries.ts'

interface EdgesQuery {
  state?: (typeof freezeEdgeStates)[number] | undefined
  page_size: number
  page_token?: string | undefined
}

/**
 * Returns a page of the instances that a freeze concerns and that the caller sees.
 * @throws 404; 400 for a page token that this list did not return
 */
export async function listFreezeEdges(
  ctx: Ctx<Member>,
  id: string,
  { state, page_size: size, page_token: token }: EdgesQuery,
): Promise<{ data: FreezeEdge[]; next_page_token?: string }> {
  const { actor, services } = ctx
  const context = `edges of freeze ${id} page_token ${actor.tenantId}`
  const after = token === undefined ? undefined : openPlace<InstancePlace>(services.vault, context, token)
  const { data, next } = await inSnapshot(ctx, async (sql) => {
    const freeze = await requireFreeze(sql, actor, id)
    const page = { instances: instancesOf(freeze), isOpen: freeze.is_open, state, after, size }
    return await findFreezeEdges(sql, actor, page, quietAt(ctx))
  })
  return { data, ...(next && { next_page_token: sealPlace(services.vault, context, next) }) }
}
