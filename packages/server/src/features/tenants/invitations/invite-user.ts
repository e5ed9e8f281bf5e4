import { addressKey } from '@mandate/contract/fields/address-key'
import type { Role } from '@mandate/contract/words/roles'
import type { Member } from '../../../authz/actor.ts'
import { requireOwner } from '../../../authz/can.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { coded, invalid, throwIfRefused } from '../../../refusal.ts'
import { lockTenant } from '../lock-tenant.ts'
import { invitationRefusal, otherTenantRefusal } from '../rules.ts'
import { findByAddressLocked } from './invitation-queries.ts'
import { createInvitation, renewInvitation } from './issue-invitation.ts'
import { requireFreeSeat } from './seats.ts'

const pendingLearnerText =
  'This person already has a pending Academy invitation in your organization. Once they accept it, use Give platform access on the Team page.'

const userLimitReached =
  "the plan's user limit is reached; remove a user or an invitation, or ask who operates the server to raise it (mandate operator set-plan)"

/** @throws 403 if the caller may not invite into the tenant; only an owner may invite an owner, and send `read_only` */
export function requireMayInvite(ctx: Ctx<Member>, tenantId: string, sent: { role?: unknown; read_only?: unknown }) {
  const refusal = invitationRefusal(ctx.actor, sent.role, sent.read_only !== undefined)
  throwIfRefused(otherTenantRefusal(ctx.actor, tenantId) ?? refusal)
}

export interface Invitation {
  email: string
  role: Role
  /** If this is missing, a renewed invitation keeps what is stored. */
  read_only?: boolean | undefined
}

/**
 * Invites an address, or renews its pending invitation. The response does not reveal whether the address has a user in another
 * tenant. A successful response means that the invitation is stored, not that the mail has arrived.
 */
export async function inviteUser(ctx: Ctx<Member>, tenantId: string, input: Invitation) {
  requireMayInvite(ctx, tenantId, input)
  return await ctx.inTenant(async (tx) => {
    const tenant = await lockTenant(tx)
    const held = await findByAddressLocked(tx, addressKey(input.email))
    if (held?.academy_only) {
      throw coded('academy_learner_exists', held.status === 'pending' ? { text: pendingLearnerText } : {})
    }
    if (held?.status === 'active') throw coded('already_member')
    const { email, role, read_only: readOnly = held?.read_only ?? false } = input
    const wanted = { email, role, readOnly, academyOnly: false }
    if (held) {
      if (held.role === 'owner') requireOwner(ctx.actor, 'only an owner may renew the invitation of an owner')
      return await renewInvitation(tx, ctx, tenant, held, wanted)
    }
    await requireFreeSeat(tx, () => invalid(userLimitReached))
    return await createInvitation(tx, ctx, tenant, wanted)
  })
}
