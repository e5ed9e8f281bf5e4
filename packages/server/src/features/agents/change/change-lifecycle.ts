import type { LifecycleStatus } from '@mandate/contract/agents'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { throwIfRefused } from '../../../refusal.ts'
import { requireAgent } from '../require-agent.ts'
import { lifecycleRefusal } from '../rules.ts'
import { changeAgent } from './change-agent.ts'

/**
 * Changes the lifecycle status of an agent without a review. Changes nothing if the agent already has the requested status. An
 * approval without a review sets no approval of record (the policy version that a review approved) and leaves the agent's
 * pending review open. If the agent then has no approval of record, the finding `approval_without_record` is opened.
 * @throws 404; 403 for a change to `approved`, if the caller is not an owner or uses an environment-bound key
 */
export function changeLifecycle(
  ctx: Ctx<Member>,
  id: string,
  { lifecycle_status: wanted, reason }: { lifecycle_status: LifecycleStatus; reason: string },
): Promise<string> {
  return changeAgent(ctx, id, (agent) => {
    const { lifecycle_status: current } = agent
    if (wanted === current) return null
    throwIfRefused(lifecycleRefusal(ctx.actor, agent, wanted))
    return {
      set: { lifecycle_status: wanted },
      event: 'agent.lifecycle.changed',
      details: { previous_state: current, new_state: wanted, reason },
      ends: [wanted === 'approved' ? 'unapproved_running' : 'approval_without_record'],
      approvesDirectly: wanted === 'approved',
    }
  })
}

/**
 * Throws the 403 or 404 of `changeLifecycle`. Runs only if the body is invalid. The 403 or 404 takes precedence over the 400
 * for the body.
 */
export async function refuseLifecycleChange(ctx: Ctx<Member>, id: string, wanted: unknown): Promise<void> {
  throwIfRefused(lifecycleRefusal(ctx.actor, await requireAgent(ctx.sql, ctx.actor, id), wanted))
}
