import type { Approval } from '@mandate/contract/approvals'
import type { Rules } from '../../../authz/may.ts'
import { mayPart } from '../../../caller/may-part.ts'
import { type ApprovalStake, resolutionRefusal } from '../rules.ts'
import { findLeftToOthers } from '../stored/resolver-queries.ts'

type Standing = Pick<Approval, 'assigned_role' | 'status'> & ApprovalStake

const approvalRules: Rules<Standing> = {
  resolveApproval: (actor, approval) => resolutionRefusal(actor, approval, approval),
}

export const approvalMay = mayPart(approvalRules, async ({ sql, actor }, approvals: readonly Approval[]) => {
  const ids = approvals.map(({ id }) => id)
  const leftToOthers = await findLeftToOthers(sql, actor.userId, ids)
  return (approval): Standing => ({ ...approval, isLeftToOthers: leftToOthers.has(approval.id) })
})
