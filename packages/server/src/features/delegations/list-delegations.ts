import type { Delegation } from '@mandate/contract/delegations'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Include } from '../../caller/may-part.ts'
import { findDelegations } from './queries.ts'
import { delegationMay } from './rules.ts'
import { stateOf } from './state.ts'

interface Listed {
  agent_id?: string | undefined
  include?: Include
  limit: number
  offset: number
}

/** Returns the delegations of agents that the caller sees, newest first. */
export async function listDelegations(ctx: Ctx<Member>, { agent_id, include, limit, offset }: Listed) {
  const { delegations, total } = await findDelegations(ctx.sql, ctx.actor, agent_id, { limit, offset })
  const data = delegations.map((row): Delegation => ({ ...row, state: stateOf(row, ctx.now) }))
  return { data: await delegationMay.addToAll(ctx, include, data), total, limit, offset }
}
