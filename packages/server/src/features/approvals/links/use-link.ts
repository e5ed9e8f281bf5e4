import { type Approval, type ApprovalResolution, approvalEndpoints } from '@mandate/contract/approvals'
import type { Member } from '../../../authz/actor.ts'
import { memberOf } from '../../../caller/authenticate.ts'
import { type Ctx, makeCtx } from '../../../caller/ctx.ts'
import { checkDeclaredAccess } from '../../../http/gate/gate.ts'
import { Refusal } from '../../../refusal.ts'
import { digest } from '../../../security/credentials.ts'
import { requireApproval } from '../list/read-approvals.ts'
import { requireMayResolve } from '../resolve/require-may-resolve.ts'
import { resolveApproval } from '../resolve/resolve-approval.ts'
import { findLink, findPolicyOfCall, findTenantOfLink, type PolicyOfCall } from '../stored/link-queries.ts'
import { seenBy } from '../stored/queries.ts'

/**
 * The refusal for a link that does not work. It is the same for an unknown, used or expired link, for a removed user, and for a
 * user who may not resolve the approval.
 */
export const linkGone = () =>
  new Refusal(410, 'this link was used or has expired, or you may not resolve this approval')

export interface Opened {
  approval: Approval
  policy: PolicyOfCall
  /** The user that the link was mailed to. */
  person: Pick<Member, 'displayName' | 'email'>
}

/**
 * Returns the content of the page that a mailed approval link opens. Changes nothing.
 * @throws 410 if the link does not work, for example because it was used or has expired
 */
export async function openLink(ctx: Ctx<null>, token: string): Promise<Opened> {
  return await refusingAlike(async () => {
    const { as, approvalId } = await bearerOf(ctx, token)
    const approval = await requireApproval(as.sql, seenBy(as.actor), approvalId, as.now)
    if (approval.status !== 'pending') throw linkGone()
    await requireMayResolve(as.sql, as.actor, approval)
    const policy = await findPolicyOfCall(as.sql, approval.policy_id, approval.agent_id)
    return { approval, policy, person: as.actor }
  })
}

/**
 * Resolves the approval of a mailed link. Acts as the user who received the mail, with this user's current role.
 * `resolveApproval` also deletes the links of the approval, so each link works once.
 * @throws 410 if the link does not work, for example because it was used or has expired
 */
export async function resolveByLink(ctx: Ctx<null>, token: string, resolution: ApprovalResolution): Promise<Approval> {
  return await refusingAlike(async () => {
    const { as, approvalId } = await bearerOf(ctx, token)
    // HTML forms send line breaks as CR LF. They are stored as LF.
    const comment = resolution.comment?.replaceAll('\r\n', '\n')
    return await resolveApproval(as, approvalId, { ...resolution, comment }, 'mail_link')
  })
}

async function bearerOf(ctx: Ctx<null>, token: string): Promise<{ as: Ctx<Member>; approvalId: string }> {
  const { db } = ctx.services
  const tokenHash = digest(token)
  const found = await findTenantOfLink(db.global, tokenHash)
  const link = found && (await findLink(db.reader(found.tenant_id), tokenHash))
  if (!link) throw linkGone()
  const actor = memberOf('person', found.tenant_id, link, null)
  checkDeclaredAccess(approvalEndpoints.resolveApproval, actor)
  return { as: makeCtx(ctx.services, actor, ctx.request), approvalId: link.approval_id }
}

async function refusingAlike<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Refusal ? linkGone() : error
  }
}
