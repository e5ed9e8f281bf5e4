import type { InvitationPreview } from '@mandate/contract/auth'
import type { Ctx } from '../../../caller/ctx.ts'
import { digest } from '../../../security/credentials.ts'
import { findInvitation, findTenantOfInvitation } from '../account/queries.ts'
import { invitationGone } from './accept-invitation.ts'

/**
 * Returns what an invitation offers, for the person who has its token. Contains what the mail says, and nothing about an account
 * that the invited address may have.
 * @throws 410 in the same cases as for the acceptance of the invitation
 */
export async function previewInvitation(ctx: Ctx<null>, token: string): Promise<InvitationPreview> {
  const tokenHash = digest(token)
  const found = await findTenantOfInvitation(ctx.sql, tokenHash)
  const invitation = found && (await findInvitation(ctx.services.db.reader(found.tenant_id), tokenHash))
  if (!invitation || invitation.expires_at <= ctx.now) throw invitationGone()
  const { organization, role, read_only, invited_by, email, expires_at } = invitation
  return { organization, role, read_only, invited_by: invited_by || null, email, expires_at }
}
