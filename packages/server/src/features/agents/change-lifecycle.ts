import type { LifecycleStatus } from '@mandate/contract/agents'
import type { Member } from '../../authz/actor.ts'
import { requireOwner } from '../../authz/can.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { changeAgent } from './change-agent.ts'
import { requireAgent } from './require-agent.ts'

/**
 * Changes the lifecycle status of an agent without a review. If the agent has the requested status already, nothing changes. A
 * direct approval sets no approval of record and leaves the pending review open. The finding `approval_without_record` reports
 * this.
 * @throws 404; 403 for a change to `approved`, if the caller is not an owner or uses an environment-bound key
 */
export function changeLifecycle(
  ctx: Ctx<Member>,
  id: string,
  { lifecycle_status: wanted, reason }: { lifecycle_status: LifecycleStatus; reason: string },
): Promise<string> {
  return changeAgent(ctx, id, ({ lifecycle_status: current }) => {
    if (wanted === current) return null
    requireMayMove(ctx.actor, wanted)
    return {
      set: { lifecycle_status: wanted },
      event: 'agent.lifecycle.changed',
      details: { previous_state: current, new_state: wanted, reason },
      ends: [wanted === 'approved' ? 'unapproved_running' : 'approval_without_record'],
      approvesDirectly: wanted === 'approved',
    }
  })
}

/** Throws the 403 or 404 of `changeLifecycle`. It runs before the body is validated, because these refusals come before a 400. */
export async function refuseLifecycleChange(ctx: Ctx<Member>, id: string, wanted: unknown): Promise<void> {
  const { lifecycle_status: current } = await requireAgent(ctx.sql, ctx.actor, id)
  if (wanted !== current) requireMayMove(ctx.actor, wanted)
}

function requireMayMove(actor: Member, wanted: unknown): void {
  if (wanted === 'approved') requireOwner(actor, 'only an owner approves an agent')
}
