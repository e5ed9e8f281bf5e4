import type { User } from '@mandate/contract/users'
import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { IdentityFailure } from '../../../identity/failure.ts'
import { sendMail } from '../../../mail/send-mail.ts'
import { Refusal, throwIfRefused } from '../../../refusal.ts'
import { identityOfTenant } from '../../tenants/deletion/identity-of-tenant.ts'
import { storeMfaCleared } from '../queries.ts'
import { mfaReset, signInRefusal, signInRequestRefusal } from '../rules.ts'
import { toWireUser } from '../wire-user.ts'
import { endSessions } from './end-sessions.ts'
import { lockTarget } from './lock-target.ts'

/**
 * Deletes a user's second factors at the identity provider, ends the user's sessions and sends the user a mail about it. A user
 * with a pending invitation has no factors. The function then returns the user and changes nothing.
 * @throws 403 for the caller's own id, for members and viewers, and for a manager if the user is a manager or an owner; 404; 502 if
 *   the provider did not delete the factors. After a 502 nothing has changed, and the caller may try again.
 */
export async function resetMfa(ctx: Ctx<Member>, userId: string): Promise<User> {
  const { actor } = ctx
  throwIfRefused(signInRequestRefusal(actor, userId, mfaReset))
  return await ctx.inTenant(async (tx) => {
    const target = await lockTarget(tx, actor, userId)
    throwIfRefused(signInRefusal(actor, target, mfaReset))
    if (target.account_id === null) return toWireUser(target)
    const user = await storeMfaCleared(tx, target.id)
    const resource = { type: 'user', id: user.id, name: user.display_name || user.email }
    await recordAudit(tx, ctx, 'user.mfa_reset', { resource })
    await sendMail(tx, ctx.services, resetMail(user.email, actor.tenantId, ctx.services.config.publicUrl))
    await clearFactors(tx, ctx, target.account_id)
    await endSessions(tx, ctx, target.account_id)
    return toWireUser(user)
  })
}

// Deletes the second factors before the sessions end. A change at a remote identity provider cannot be rolled back. So if the
// deletion fails there, no session may have ended yet.
async function clearFactors(tx: Tx, ctx: Ctx<Member>, accountId: string): Promise<void> {
  try {
    await identityOfTenant(ctx).clearFactors(tx, accountId)
  } catch (error) {
    if (!(error instanceof IdentityFailure)) throw error
    ctx.services.log.warn(
      { err: error, request_id: ctx.request.id },
      "the identity provider could not delete a user's second factors; the MFA reset was rolled back",
    )
    throw new Refusal(502, 'the identity provider did not clear the second factors; nothing changed, try again')
  }
}

function resetMail(to: string, tenantId: string, publicUrl: string) {
  return {
    to,
    tenantId,
    kind: 'notice' as const,
    subject: 'Your two-step sign-in was reset',
    text: `An administrator of your organization has reset the second step of your sign-in, and you have been signed out.

Sign in with your password and set up a new second factor:

${publicUrl}

If you did not expect this, tell an owner of your organization.`,
  }
}
