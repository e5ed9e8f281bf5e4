import type { Member } from '../../../authz/actor.ts'
import { seesWholeTenant } from '../../../authz/can.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { notFound } from '../../../refusal.ts'
import { closedByArchiving } from '../../findings/rules.ts'
import { lockAgent } from '../queries.ts'
import { applyChange } from './change-agent.ts'

/**
 * Takes an agent out of the discovery queue (the list of discovered agents). A repeated request succeeds and changes nothing. A
 * caller who sees the whole tenant also gets a success if the agent does not exist.
 * @throws 404 for an agent that a scoped caller or an environment-bound key cannot see
 */
export async function suppressAgent(ctx: Ctx<Member>, id: string): Promise<void> {
  await ctx.inTenant(async (tx) => {
    const agent = await lockAgent(tx, ctx.actor, id)
    if (!agent && !seesWholeTenant(ctx.actor)) throw notFound('agent')
    if (!agent || agent.governance_state === 'suppressed') return
    await applyChange(tx, ctx, agent, {
      set: { governance_state: 'suppressed' },
      event: 'agent.suppressed',
      details: { previous_state: agent.governance_state },
      ends: closedByArchiving,
    })
  })
}
