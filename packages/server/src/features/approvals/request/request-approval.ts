import type { Approval, ApprovalRequest } from '@mandate/contract/approvals'
import { contentHash } from '@mandate/proofs/canonical'
import { holdOffFreezes } from '../../../agent-state/frozen.ts'
import { recordAudit } from '../../../audit/record-audit.ts'
import type { EdgeActor } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { conflict, notFound, throwIfRefused } from '../../../refusal.ts'
import { requireServed } from '../../edge/reach/served.ts'
import { requireApproval } from '../list/read-approvals.ts'
import { mailResolvers } from '../mail/mail-resolvers.ts'
import { actingRefusal } from '../rules.ts'
import { countPending, holdOffEnvironmentChange, lockAskingAgent } from '../stored/agent-queries.ts'
import { findRequestHash, heldBy, insertApproval } from '../stored/queries.ts'

/**
 * Maximum number of pending approvals per agent. The limit is per agent, so that an agent that sends requests in a loop blocks
 * only itself.
 */
export const mostPending = 100

/**
 * Creates an approval for a pending call and mails the users who may resolve it. If the same request is sent again, returns the
 * existing approval in its current state.
 * @throws 404 if the agent key or edge key of the request is not valid for the agent; 409 if a different request already used
 * the approval's id, if the agent is not allowed to act, or if the agent has `mostPending` pending approvals
 */
export function requestApproval(
  ctx: Ctx<EdgeActor>,
  request: ApprovalRequest,
): Promise<{ approval: Approval; isNew: boolean }> {
  const { approval_id: id, agent_id: agentId } = request
  return ctx.inTenant(async (tx) => {
    // The wait for the environment comes first. Otherwise a freeze would wait for it too.
    await Promise.all([requireServed(tx, ctx.actor, [agentId]), holdOffEnvironmentChange(tx, agentId)])
    await holdOffFreezes(tx)
    const agent = await lockAskingAgent(tx, agentId)
    if (!agent) throw notFound('agent')
    const requestHash = contentHash(request)
    const earlier = await findRequestHash(tx, id)
    const read = () => requireApproval(tx, heldBy(ctx.actor), id, ctx.now)
    if (earlier) {
      if (earlier.hash !== requestHash) throw conflict('this approval_id was used for another request')
      return { approval: await read(), isNew: false }
    }
    throwIfRefused(actingRefusal(agent))
    const pending = await countPending(tx, agentId, ctx.now)
    if (pending >= mostPending)
      throw conflict(
        `the agent already has ${mostPending} pending approvals, which is the maximum; resolve some of them first`,
      )
    const assignedRole = agent.is_production ? 'owner' : 'manager'
    const expiresAt = new Date(Date.parse(ctx.now) + ctx.services.config.approvalSeconds * 1000).toISOString()
    await insertApproval(tx, {
      ...request,
      request_hash: requestHash,
      edge_id: ctx.actor.kind === 'edge' ? ctx.actor.credentialId : null,
      arguments_exact: showsAll(request),
      assigned_role: assignedRole,
      requested_at: ctx.now,
      expires_at: expiresAt,
    })
    const { tool, args_digest, policy_id, policy_version, rule_id = null } = request
    const details = {
      agent_name: agent.name,
      args_digest,
      policy_id,
      policy_version,
      rule_id,
      assigned_role: assignedRole,
      expires_at: expiresAt,
    }
    await recordAudit(tx, ctx, 'approval.requested', {
      resource: { type: 'approval', id, name: tool },
      details,
      agentId,
      environmentId: agent.environment_id,
      source: 'edge',
    })
    const approval = await read()
    await mailResolvers(tx, ctx, { approval, ownerId: agent.owner_user_id, pending })
    return { approval, isNew: true }
  })
}

/**
 * True if the digest is that of the tool and the shown arguments. Otherwise the edge shortened or redacted the arguments, or shows
 * none.
 */
const showsAll = ({ tool, arguments: args, args_digest }: ApprovalRequest): boolean =>
  args !== undefined && contentHash({ tool, args }) === args_digest
