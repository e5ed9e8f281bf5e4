import type { Approval, Consumption } from '@mandate/contract/approvals'
import { holdOffFreezes } from '../../../agent-state/frozen.ts'
import { recordAudit } from '../../../audit/record-audit.ts'
import type { EdgeActor } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { conflict, notFound, throwIfRefused } from '../../../refusal.ts'
import { found, requireApproval } from '../list/read-approvals.ts'
import { actingRefusal } from '../rules.ts'
import { type AskingAgent, lockAskingAgentForShare, lockPolicyInForceForShare } from '../stored/agent-queries.ts'
import { heldBy, lockApproval, storeConsumption } from '../stored/queries.ts'

const notUsable = {
  pending: 'this approval is still pending',
  rejected: 'this approval was rejected',
  expired: 'this approval has expired',
  consumed: 'this approval was already consumed',
} as const

/**
 * Consumes an approval. If several requests consume the same approval, exactly one succeeds. The edge that sent this request
 * then lets the call pass.
 * @throws 404 if the agent key or edge key of the request is not valid for the approval's agent; 409 in these cases:
 * - The status of the approval is not `approved`.
 * - The arguments or the policy version in `use` are not those of the approval.
 * - The current policy version of the agent is not the policy version of the approval.
 * - The agent is not allowed to act, for example because it is suspended or frozen.
 */
export function consumeApproval(ctx: Ctx<EdgeActor>, id: string, use: Consumption): Promise<Approval> {
  const reach = heldBy(ctx.actor)
  return ctx.inTenant(async (tx) => {
    const [{ agent_id: agentId }] = await Promise.all([requireApproval(tx, reach, id, ctx.now), holdOffFreezes(tx)])
    // Locks the agent first and then the approval. Functions that stop an agent lock in the same order. So a function that
    // stops this agent either waits for this transaction, or has already set the status of the approval to `expired`.
    const agent = await lockAskingAgentForShare(tx, agentId)
    if (!agent) throw notFound('approval')
    throwIfRefused(actingRefusal(agent))
    const isInForce = await lockInForceForShare(tx, agent)
    const approval = found(await lockApproval(tx, reach, id, ctx.now))
    if (approval.status !== 'approved') throw conflict(notUsable[approval.status])
    if (use.args_digest !== approval.args_digest)
      throw conflict('the arguments differ from the approved arguments; request a new approval')
    if (use.policy_version !== approval.policy_version || use.policy_hash !== approval.policy_hash) {
      throw conflict('the policy version in the request is not the version of this approval; request a new approval')
    }
    if (!isInForce(approval))
      throw conflict(
        'the current policy version of the agent is not the version of this approval; request a new approval',
      )
    await storeConsumption(tx, id, ctx.now)
    await recordAudit(tx, ctx, 'approval.consumed', {
      resource: { type: 'approval', id, name: approval.tool },
      details: {
        agent_name: approval.agent_name,
        args_digest: approval.args_digest,
        resolved_by: approval.resolved_by,
      },
      agentId: approval.agent_id,
      environmentId: approval.environment_id,
      source: 'edge',
    })
    return await requireApproval(tx, reach, id, ctx.now)
  })
}

/**
 * Returns a function that returns true if an approval was requested with the agent's current policy version. Locks the policy:
 * other transactions cannot save it until this transaction ends.
 */
async function lockInForceForShare(tx: Tx, { policy_id }: AskingAgent): Promise<(approval: Approval) => boolean> {
  if (policy_id === null) return () => false
  const { version, hash } = await lockPolicyInForceForShare(tx, policy_id)
  return (approval) =>
    approval.policy_id === policy_id && approval.policy_version === version && approval.policy_hash === hash
}
