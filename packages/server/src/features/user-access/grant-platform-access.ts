import type { User } from '@mandate/contract/users'
import { atLeast, type Role } from '@mandate/contract/words/roles'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import { seesWholeTenant } from '../../authz/can.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { sendMail } from '../../mail/send-mail.ts'
import { coded, notFound, throwIfRefused } from '../../refusal.ts'
import { endRenewalOfSessions } from '../../sessions/revoke-sessions.ts'
import { requireFreeSeat } from '../tenants/invitations/seats.ts'
import { lockTenant } from '../tenants/lock-tenant.ts'
import { heldRoleRefusal, learnerRefusal, ownerlessRefusal, platformRequestRefusal } from '../users/access-rules.ts'
import { isOwner } from '../users/rules.ts'
import { toWireUser } from '../users/wire-user.ts'
import { requireUser, userResource } from './may-change-access.ts'
import { findUserAndOwnersLocked, updateLearner } from './queries.ts'
import { welcomeMail } from './welcome-mail.ts'

/**
 * Throws the errors of `grantPlatformAccess` that do not depend on the body. Runs only if the body is invalid. These errors
 * take precedence over the 400 for the body.
 */
export async function requireGrantablePlatformAccess(ctx: Ctx<Member>, userId: string): Promise<void> {
  throwIfRefused(platformRequestRefusal(ctx.actor))
  const user = await requireUser(ctx.sql, userId)
  if (!learnerRefusal(user)) throwIfRefused(heldRoleRefusal(ctx.actor, user))
}

/** Gives a seat and `role` to a learner (a user of the training product only) who has accepted their invitation. */
export async function grantPlatformAccess(ctx: Ctx<Member>, userId: string, role: Role): Promise<User> {
  throwIfRefused(platformRequestRefusal(ctx.actor))
  return await ctx.inTenant(async (tx) => {
    const tenant = await lockTenant(tx)
    const locked = await findUserAndOwnersLocked(tx, userId)
    const learner = locked.find((user) => user.id === userId)
    if (!learner) throw notFound('user')
    const hasOwner = locked.some(isOwner)
    throwIfRefused(
      learnerRefusal(learner) ?? heldRoleRefusal(ctx.actor, learner) ?? ownerlessRefusal(learner, hasOwner),
    )
    await requireFreeSeat(tx, () => coded('seat_limit_reached'))
    const accessScope = seesWholeTenant(ctx.actor) ? learner.access_scope : 'scoped'
    const user = await updateLearner(tx, userId, { role, accessScope })
    if (!atLeast(role, learner.role) && learner.account_id) {
      await endRenewalOfSessions(tx, learner.account_id, ctx.now)
    }
    await recordAudit(tx, ctx, 'user.platform_access_granted', {
      resource: userResource(learner),
      details: { role_held: learner.role, role_given: role, access_scope: accessScope, read_only: user.read_only },
    })
    await sendMail(tx, ctx.services, welcomeMail(learner, tenant.name, role, ctx.services.config.publicUrl))
    return toWireUser(user)
  })
}
