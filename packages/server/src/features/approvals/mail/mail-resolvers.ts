import type { Approval } from '@mandate/contract/approvals'
import type { EdgeActor } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { sendMail } from '../../../mail/send-mail.ts'
import { digest, newLinkToken } from '../../../security/credentials.ts'
import { insertLink } from '../stored/link-queries.ts'
import { findResolvers, type Resolver } from '../stored/resolver-queries.ts'
import { approvalMail } from './approval-mail.ts'

const mostPeople = 20

/**
 * If an agent already has this many pending approvals, no mail is sent about a new approval. The users who may resolve
 * approvals have mails about the earlier approvals, and would overlook them among too many mails.
 */
const mailedWhilePending = 10

interface Asked {
  approval: Approval
  ownerId: string | null
  /** Number of pending approvals that the agent has besides this approval. */
  pending: number
}

/**
 * Mails a personal link to each user who may resolve the approval. The agent's owner gets a link only if no other user may
 * resolve the approval.
 */
export async function mailResolvers(tx: Tx, ctx: Ctx<EdgeActor>, { approval, ownerId, pending }: Asked): Promise<void> {
  if (pending >= mailedWhilePending) return
  const { agent_id: agentId, assigned_role: assigned } = approval
  const able = await findResolvers(tx, { agentId, assigned, ownerId }, mostPeople)
  const others = able.filter(({ id }) => id !== ownerId)
  await Promise.all((others.length > 0 ? others : able).map((person) => mailLink(tx, ctx, approval, person)))
}

async function mailLink(tx: Tx, ctx: Ctx<EdgeActor>, approval: Approval, { id: userId, email: to }: Resolver) {
  const token = newLinkToken()
  const link = `${ctx.services.config.publicUrl}/approve?token=${token}`
  await Promise.all([
    insertLink(tx, { tokenHash: digest(token), approvalId: approval.id, userId, now: ctx.now }),
    sendMail(tx, ctx.services, approvalMail({ to, tenantId: tx.tenantId, approval, link, now: ctx.now })),
  ])
}
