import type { Approval, Consumption } from '@mandate/contract/approvals'
import { recordAudit } from '../../audit/record-audit.ts'
import type { EdgeActor } from '../../authz/actor.ts'
import type { Ctx } from '../../http/ctx.ts'
import { conflict } from '../../refusal.ts'
import { mayNotAct } from '../edge/profile.ts'
import { findAskingAgent } from './agent-queries.ts'
import { heldBy, lockApproval, storeConsumption } from './queries.ts'
import { found, requireApproval } from './read-approvals.ts'

const notUsable = {
  pending: 'this approval is still pending',
  rejected: 'this approval was rejected',
  expired: 'this approval has expired',
  consumed: 'this approval was already consumed',
} as const

/**
 * Uses an approval: exactly one caller gets an answer, and lets the call pass after it.
 * @throws 404 for an approval of an agent the credential does not serve; 409 when it is not approved, for other arguments or
 *   another policy version than it was asked for, and for an agent that may not act
 */
export function consumeApproval(ctx: Ctx<EdgeActor>, id: string, use: Consumption): Promise<Approval> {
  const reach = heldBy(ctx.actor)
  return ctx.inTenant(async (tx) => {
    const approval = found(await lockApproval(tx, reach, id, ctx.now))
    // Read behind the lock: whatever stops an agent ends its approvals, and so has either waited for this or is seen here.
    if (mayNotAct(await findAskingAgent(tx, approval.agent_id))) throw conflict('the agent may not act now')
    if (approval.status !== 'approved') throw conflict(notUsable[approval.status])
    if (use.args_digest !== approval.args_digest) throw conflict('the arguments are not those that were approved')
    if (use.policy_version !== approval.policy_version || use.policy_hash !== approval.policy_hash) {
      throw conflict('the policy is not the version this approval was asked under')
    }
    await storeConsumption(tx, id, ctx.now)
    await recordAudit(tx, ctx, 'approval.consumed', {
      resource: { type: 'approval', id, name: approval.tool },
      details: { args_digest: approval.args_digest, resolved_by: approval.resolved_by },
      agentId: approval.agent_id,
      environmentId: approval.environment_id,
      source: 'edge',
    })
    return await requireApproval(tx, reach, id, ctx.now)
  })
}
