import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { throwIfRefused } from '../../../refusal.ts'
import { resumptionRefusal, suspensionRefusal } from '../rules.ts'
import { changeAgent } from './change-agent.ts'

interface Why {
  /** What the person wrote. The audit entry records it. */
  reason?: string | undefined
}

/** Suspends an agent: its edge denies everything until the agent is resumed. @throws 404; 409 for an archived agent */
export function suspendAgent(ctx: Ctx<Member>, id: string, { reason }: Why): Promise<string> {
  return changeAgent(ctx, id, (agent) => {
    throwIfRefused(suspensionRefusal(agent))
    const { status } = agent
    if (status === 'suspended') return null
    return {
      set: { status: 'suspended' },
      event: 'agent.suspended',
      details: { previous_state: status, ...(reason && { reason }) },
    }
  })
}

/** Makes a suspended agent active again. Agents that are not suspended do not change. @throws 404; 409 for an archived agent */
export function resumeAgent(ctx: Ctx<Member>, id: string, { reason }: Why): Promise<string> {
  return changeAgent(ctx, id, (agent) => {
    throwIfRefused(resumptionRefusal(agent))
    const { status } = agent
    if (status !== 'suspended') return null
    return {
      set: { status: 'active' },
      event: 'agent.resumed',
      details: { previous_state: status, ...(reason && { reason }) },
    }
  })
}
