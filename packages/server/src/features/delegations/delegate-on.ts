import type { CreatedDelegation, NewChildDelegation } from '@mandate/contract/delegations'
import { compilePattern } from '@mandate/policy/pattern'
import { holdOffFreezes } from '../../agent-state/frozen.ts'
import type { EdgeActor } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { conflict, invalid, notFound, throwIfRefused } from '../../refusal.ts'
import { servedBy } from '../edge/reach/served.ts'
import { keepTenant } from '../tenants/lock-tenant.ts'
import { findChain, findHeld, type HeldRow, lockAgentsIn, lockList } from './queries.ts'
import { expiryRefusal, parentRefusal, readTools, receiverRefusal, widerToolsRefusal } from './rules.ts'
import { stateOf } from './state.ts'
import { storeDelegation } from './store-delegation.ts'

/**
 * Passes a part of a delegation on to another agent of the environment.
 * @throws 404 for a parent that no agent of the credential holds, and for the receiver; 400 for a wider delegation, and for an agent that is in
 * the chain; 409 if the parent has ended or expired, if an agent may not act, and if there is no room
 */
export async function delegateOn(ctx: Ctx<EdgeActor>, input: NewChildDelegation): Promise<CreatedDelegation> {
  const { parent: parentId, agent_id: agentId, expires_at: expiresAt } = input
  return await ctx.inTenant(async (tx) => {
    const reach = servedBy(ctx.actor)
    // See `createDelegation` for the order of locks.
    const [, , seen] = await Promise.all([keepTenant(tx), holdOffFreezes(tx), findHeld(tx, reach, parentId)])
    if (!seen) throw notFound('delegation')
    const { environment_id: environmentId } = seen
    const agents = await lockAgentsIn(tx, environmentId, [seen.agent_id, agentId])
    const { isFirst } = await lockList(tx, environmentId)
    // Read after the lock, so that the parent does not end before the child is stored.
    const parent = await findHeld(tx, reach, parentId)
    const agent = agents.find(({ id }) => id === agentId)
    const holder = agents.find(({ id }) => id === seen.agent_id)
    if (!parent || !holder) throw notFound('delegation')
    if (!agent) throw notFound('agent')
    const tools = checked(parent, input, ctx.now)
    throwIfRefused(parentRefusal({ ...parent, state: stateOf(parent, ctx.now) }))
    if (receiverRefusal({ ...holder, hasEnvironment: true }) || holder.frozen)
      throw conflict('the agent that holds the parent may not act')
    throwIfRefused(receiverRefusal({ ...agent, hasEnvironment: true }))
    return await storeDelegation(tx, ctx, {
      above: await findChain(tx, [...parent.ancestors, parent.id]),
      environmentId,
      agent,
      subjectId: parent.subject_user_id,
      chain: [...parent.chain, { type: 'agent', id: agent.id, name: agent.name }],
      tools,
      expiresAt,
      createdBy: null,
      isFirst,
    })
  })
}

/** Returns the tools. @throws 400 if the delegation would have more tools or more time than its parent, or an agent twice */
function checked(parent: HeldRow, { agent_id, tools, expires_at }: NewChildDelegation, now: string): string[] {
  const patterns = readTools(tools)
  throwIfRefused(widerToolsRefusal(patterns, parent.tools.map(compilePattern)))
  throwIfRefused(expiryRefusal(expires_at, now))
  if (expires_at > parent.expires_at) throw invalid('expires_at must not be after that of the parent')
  if (parent.chain.some(({ id }) => id === agent_id)) throw invalid('agent_id: this agent is in the chain already')
  return patterns.map(({ text }) => text)
}
