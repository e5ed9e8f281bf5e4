import type { CreatedDelegation, NewDelegation } from '@mandate/contract/delegations'
import { uuid } from '@mandate/contract/fields/fields'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { notFound, throwIfRefused } from '../../refusal.ts'
import { keepTenant } from '../tenants/lock-tenant.ts'
import { findReceiver, lockList, lockReceiver, lockSubject } from './queries.ts'
import { expiryRefusal, readTools, receiverRefusal, subjectRefusal, subjectStateRefusal } from './rules.ts'
import { storeDelegation } from './store-delegation.ts'

/**
 * Lets an agent that the caller sees act for a user. Only this answer contains the token.
 * @throws 403 for another user, unless the caller is a manager or an owner; 404 for the agent or the user; 400 for tools or a time that are not
 * valid; 409 if the agent or the user may not act, and if there is no room
 */
export async function createDelegation(ctx: Ctx<Member>, input: NewDelegation): Promise<CreatedDelegation> {
  const { agent_id: agentId, subject_user_id: subjectId = ctx.actor.userId, expires_at: expiresAt } = input
  throwIfRefused(subjectRefusal(ctx.actor, subjectId))
  return await ctx.inTenant(async (tx) => {
    // The tenant first, as removals of users do. Storing the delegation locks it too, so in another order both would wait for each other.
    const [, user, agent] = await Promise.all([
      keepTenant(tx),
      lockSubject(tx, subjectId, agentId),
      lockReceiver(tx, ctx.actor, agentId),
    ])
    if (!agent) throw notFound('agent')
    if (!user) throw notFound('user')
    const tools = readTools(input.tools).map(({ text }) => text)
    throwIfRefused(
      expiryRefusal(expiresAt, ctx.now) ??
        subjectStateRefusal(user) ??
        receiverRefusal({ ...agent, hasEnvironment: agent.environment_id !== null }),
    )
    const environmentId = agent.environment_id as string
    const { isFirst } = await lockList(tx, environmentId)
    const chain = [
      { type: 'user', id: user.id, name: [...user.name].slice(0, 200).join('') },
      { type: 'agent', id: agent.id, name: agent.name },
    ]
    const createdBy = ctx.actor.userId
    const values = { environmentId, agent, subjectId, chain, tools, expiresAt, createdBy, isFirst }
    return await storeDelegation(tx, ctx, { above: [], ...values })
  })
}

/** Throws the 403 of `createDelegation`, and the 404 of its agent, for a request whose body is malformed. */
export async function refuseBefore(ctx: Ctx<Member>, rawBody: unknown): Promise<void> {
  const sent = rawBody as Record<string, unknown> | null | undefined
  const subject = uuid.safeParse(sent?.subject_user_id)
  if (subject.success) throwIfRefused(subjectRefusal(ctx.actor, subject.data))
  const agent = uuid.safeParse(sent?.agent_id)
  if (agent.success && !(await findReceiver(ctx.sql, ctx.actor, agent.data))) throw notFound('agent')
}
