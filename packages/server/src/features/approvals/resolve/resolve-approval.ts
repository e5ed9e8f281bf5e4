import type { Approval, ApprovalResolution } from '@mandate/contract/approvals'
import { holdOffFreezes } from '../../../agent-state/frozen.ts'
import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { throwIfRefused } from '../../../refusal.ts'
import { lockTenant } from '../../tenants/lock-tenant.ts'
import { found, requireApproval } from '../list/read-approvals.ts'
import { frozenRefusal, statusRefusal } from '../rules.ts'
import { findAskingAgent } from '../stored/agent-queries.ts'
import { lockApproval, seenBy, storeOutcome } from '../stored/queries.ts'
import { isOfOwner } from '../stored/resolver-queries.ts'
import { requireMayResolve } from './require-may-resolve.ts'

/**
 * Approves or rejects a pending call. An approved call may pass once.
 * @throws 404; the 403 of `requireMayResolve`; 409 if the approval is already resolved or expired, and while
 * a freeze stops the agent
 */
export function resolveApproval(
  ctx: Ctx<Member>,
  id: string,
  { outcome, comment: said }: ApprovalResolution,
  via: 'api' | 'mail_link' = 'api',
): Promise<Approval> {
  const { actor, now } = ctx
  const comment = said?.trim() || null
  return ctx.inTenant(async (tx) => {
    const [{ agent_id: agentId }] = await Promise.all([requireApproval(tx, seenBy(actor), id, now), holdOffFreezes(tx)])
    const [agent, isOwner] = await Promise.all([findAskingAgent(tx, agentId), isOfOwner(tx, actor.userId, id)])
    // The agent's owner may resolve the approval only if no other user may. The lock prevents changes of roles and seats until
    // the commit, so that no other user gets the right to resolve this approval meanwhile.
    if (isOwner) await lockTenant(tx)
    const approval = found(await lockApproval(tx, seenBy(actor), id, now))
    await requireMayResolve(tx, actor, approval)
    throwIfRefused(statusRefusal(approval) ?? frozenRefusal(agent))
    await storeOutcome(tx, id, { outcome, comment, userId: actor.userId, now })
    await recordAudit(tx, ctx, 'approval.resolved', {
      resource: { type: 'approval', id, name: approval.tool },
      details: { agent_name: agent.name, outcome, comment, via },
      agentId,
      environmentId: approval.environment_id,
    })
    return await requireApproval(tx, seenBy(actor), id, now)
  })
}

/**
 * Throws the 404 or 403 of `resolveApproval`. Runs only if the body is invalid. The 404 or 403 takes precedence over the 400
 * for the body.
 */
export async function refuseResolution({ sql, actor, now }: Ctx<Member>, id: string): Promise<void> {
  await requireMayResolve(sql, actor, await requireApproval(sql, seenBy(actor), id, now))
}
