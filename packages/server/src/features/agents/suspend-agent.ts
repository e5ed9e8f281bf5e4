import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { conflict } from '../../refusal.ts'
import { changeAgent } from './change-agent.ts'

/** Suspends an agent: its edge denies everything until the agent is resumed. @throws 404; 409 for an archived agent */
export function suspendAgent(ctx: Ctx<Member>, id: string): Promise<string> {
  return changeAgent(ctx, id, ({ status }) => {
    if (status === 'archived') throw conflict('an archived agent cannot be suspended')
    if (status === 'suspended') return null
    return { set: { status: 'suspended' }, event: 'agent.suspended', details: { previous_state: status } }
  })
}

/** Makes a suspended agent active again. Agents that are not suspended do not change. @throws 404; 409 for an archived agent */
export function resumeAgent(ctx: Ctx<Member>, id: string): Promise<string> {
  return changeAgent(ctx, id, ({ status }) => {
    if (status === 'archived') throw conflict('an archived agent cannot be resumed')
    if (status !== 'suspended') return null
    return { set: { status: 'active' }, event: 'agent.resumed', details: { previous_state: status } }
  })
}
