import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { requireAssignablePolicy } from './assignable-policy.ts'
import { changeAgent } from './change-agent.ts'

/**
 * Assigns a policy to an agent. The agent becomes `governed`, even if it was discovered or suppressed. An agent of a connected
 * platform has no environment, so a policy of any environment is accepted.
 * @throws 404 for an unknown agent or policy, 400 for a policy of another environment
 */
export function assignPolicy(ctx: Ctx<Member>, id: string, policyId: string): Promise<string> {
  return changeAgent(ctx, id, async (agent, tx) => {
    const target = agent.source === 'runtime' ? agent.environment_id : null
    const policy = await requireAssignablePolicy(tx, ctx.actor, policyId, target)
    if (agent.policy_id === policyId && agent.governance_state === 'governed') return null
    return {
      set: { policy_id: policyId, governance_state: 'governed' },
      event: 'agent.policy_assigned',
      details: {
        old_policy_id: agent.policy_id,
        new_policy_id: policyId,
        policy_name: policy.name,
        policy_version: policy.version,
        previous_state: agent.governance_state,
      },
    }
  })
}
