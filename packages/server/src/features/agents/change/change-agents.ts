import type { AgentsChange } from '@mandate/contract/agents'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { answerFor } from '../../../http/answers/errors.ts'
import { assignPolicy } from './assign-policy.ts'
import { suppressAgent } from './suppress-agent.ts'

interface Result {
  agent_id: string
  error?: string
}

/**
 * Changes several agents, one after the other, each in its own transaction. The result of an agent has the error that its own
 * request would have. An error that is not about the agent, such as a revoked key, ends the whole request.
 */
export async function changeAgents(ctx: Ctx<Member>, change: AgentsChange): Promise<{ data: Result[] }> {
  const data: Result[] = []
  for (const agent_id of new Set(change.agent_ids)) {
    const error = await errorOf(changeOne(ctx, agent_id, change))
    data.push({ agent_id, ...(error !== undefined && { error }) })
  }
  return { data }
}

async function changeOne(ctx: Ctx<Member>, agentId: string, change: AgentsChange): Promise<void> {
  if (change.action === 'suppress') await suppressAgent(ctx, agentId)
  else await assignPolicy(ctx, agentId, change.policy_id)
}

/** Returns the text of the response that the agent's own request would have. Throws errors that are not about the agent. */
async function errorOf(changing: Promise<void>): Promise<string | undefined> {
  try {
    await changing
    return undefined
  } catch (error) {
    const answer = answerFor(error)
    if (answer && typeof answer.body === 'object' && aboutAgent.has(answer.status)) return String(answer.body.error)
    throw error
  }
}

const aboutAgent: ReadonlySet<number> = new Set([400, 403, 404, 409])
