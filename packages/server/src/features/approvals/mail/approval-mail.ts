import type { Approval } from '@mandate/contract/approvals'
import { nameInMail } from '../../../mail/name-in-mail.ts'
import type { Mail } from '../../../mail/send-mail.ts'
import { readableDeadline } from '../../../text/readable-time.ts'
import { shownLine } from '../../../text/shown-text.ts'

export interface ApprovalMail {
  to: string
  tenantId: string
  approval: Pick<Approval, 'agent_name' | 'tool' | 'expires_at'>
  link: string
  /** ISO 8601. */
  now: string
}

/** The mail that asks one person to resolve an approval. It does not contain the call; the linked page shows it. */
export function approvalMail({ to, tenantId, approval, link, now }: ApprovalMail): Mail {
  const agent = nameInMail(shownLine(approval.agent_name), 'an agent')
  const tool = nameInMail(shownLine(approval.tool), 'a tool')
  return {
    to,
    tenantId,
    kind: 'approval',
    subject: `Approval needed: ${agent} wants to call ${tool}`,
    text: [
      `The agent ${agent} wants to call ${tool}. The call is held until someone decides.`,
      `To see what it would do, and to approve or reject it, open this link before ${readableDeadline(approval.expires_at, now)}:`,
      link,
      'The link is yours alone and works once: anyone who has it can decide in your name. Do not forward this mail.',
    ].join('\n\n'),
    link,
  }
}
