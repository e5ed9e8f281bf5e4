import { atLeast, type Role } from '@mandate/contract/roles'
import type { User } from '@mandate/contract/users'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import { requireAuthority, requireOwner, seesWholeTenant } from '../../authz/can.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { sendMail } from '../../mail/send-mail.ts'
import { coded, conflict, invalid, notFound } from '../../refusal.ts'
import { endRenewalOfSessions } from '../../sessions/revoke-sessions.ts'
import { lockTenant } from '../tenants/lock-tenant.ts'
import { requireFreeSeat } from '../tenants/seats.ts'
import { toWireUser } from '../users/wire-user.ts'
import { requireUser, userResource } from './may-change-access.ts'
import { findUserAndOwnersLocked, type StoredUser, updateLearner } from './queries.ts'
import { welcomeMail } from './welcome-mail.ts'

/**
 * Throws the errors of `grantPlatformAccess` that do not depend on the body. Runs only if the body is invalid. These errors
 * take precedence over the 400 for the body.
 */
export async function requireGrantablePlatformAccess(ctx: Ctx<Member>, userId: string): Promise<void> {
  requirePlatformAuthority(ctx.actor)
  const user = await requireUser(ctx.sql, userId)
  if (isAcceptedLearner(user)) requireAuthorityOverHeldRole(ctx.actor, user)
}

/** Gives a seat and `role` to a learner (a user of the training product only) who has accepted their invitation. */
export async function grantPlatformAccess(ctx: Ctx<Member>, userId: string, role: Role): Promise<User> {
  requirePlatformAuthority(ctx.actor)
  return await ctx.inTenant(async (tx) => {
    const tenant = await lockTenant(tx)
    const locked = await findUserAndOwnersLocked(tx, userId)
    const learner = locked.find((user) => user.id === userId)
    if (!learner) throw notFound('user')
    requireAcceptedLearner(learner)
    requireAuthorityOverHeldRole(ctx.actor, learner)
    if (learner.role === 'owner') requireAnotherOwner(locked, learner)
    await requireFreeSeat(tx, () => coded('seat_limit_reached'))
    const accessScope = seesWholeTenant(ctx.actor) ? learner.access_scope : 'scoped'
    const user = await updateLearner(tx, userId, { role, accessScope })
    if (!atLeast(role, learner.role) && learner.account_id) {
      await endRenewalOfSessions(tx, learner.account_id, ctx.now)
    }
    await recordAudit(tx, ctx, 'user.platform_access_granted', {
      resource: userResource(learner),
      details: { role_held: learner.role, role_given: role, access_scope: accessScope },
    })
    await sendMail(tx, ctx.services, welcomeMail(learner, tenant.name, role, ctx.services.config.publicUrl))
    return toWireUser(user)
  })
}

function requirePlatformAuthority(actor: Member): void {
  requireAuthority(actor, 'manager', 'only a manager or an owner may give platform access')
}

function isAcceptedLearner(user: StoredUser): boolean {
  return user.academy_only && user.status === 'active'
}

function requireAcceptedLearner(user: StoredUser): void {
  if (!user.academy_only) throw invalid('this user already has platform access')
  if (user.status === 'pending') throw invalid('this person has not accepted their invitation yet')
}

function requireAuthorityOverHeldRole(actor: Member, user: StoredUser): void {
  if (user.role === 'owner') requireOwner(actor, "only an owner may change an owner's role")
}

/**
 * The new role is never `owner`. A learner whose stored role is owner therefore loses this role. The tenant must have another
 * owner who is not a learner.
 */
function requireAnotherOwner(locked: readonly StoredUser[], learner: StoredUser): void {
  const others = locked.filter((user) => user.id !== learner.id && user.role === 'owner' && !user.academy_only)
  if (others.length === 0) throw conflict('the organization needs an owner; make another user an owner first')
}
