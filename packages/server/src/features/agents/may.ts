import type { Agent } from '@mandate/contract/agents'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { asksForMay, type Include, mayPart } from '../../caller/may-part.ts'
import { findObstacles } from './queries.ts'
import { agentRules } from './rules.ts'

const agentMay = mayPart(agentRules, async ({ sql }, agents: readonly Agent[]) => {
  const ids = agents.map(({ id }) => id)
  const { attested, frozen } = await findObstacles(sql, ids)
  return (agent) => ({
    ...agent,
    attestation_is_pending: attested.has(agent.id),
    has_own_freeze: frozen.has(agent.id),
  })
})

/**
 * Adds `may` and `may_not` to the JSON text of agents, joined by commas. PostgreSQL wrote this text. It is parsed and written again
 * only for a request with `include=may`.
 */
export async function addMayToJson(ctx: Ctx<Member>, include: Include, items: string): Promise<string> {
  if (!asksForMay(include)) return items
  const agents = await agentMay.addToAll(ctx, include, JSON.parse(`[${items}]`) as Agent[])
  return agents.map((agent) => JSON.stringify(agent)).join(',')
}
