import { addressKey } from '@mandate/contract/fields/address-key'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { coded, throwIfRefused } from '../../../refusal.ts'
import { lockTenant } from '../lock-tenant.ts'
import { learnerInvitationRefusal } from '../rules.ts'
import { findByAddressLocked } from './invitation-queries.ts'
import { createInvitation, renewInvitation } from './issue-invitation.ts'

export function requireMayInviteLearner(ctx: Ctx<Member>): void {
  throwIfRefused(learnerInvitationRefusal(ctx.actor))
}

/**
 * Invites a learner (a user of the training product only), or renews the learner's invitation. A learner does not count as a
 * paid seat.
 */
export async function inviteLearner(ctx: Ctx<Member>, { email }: { email: string }) {
  requireMayInviteLearner(ctx)
  return await ctx.inTenant(async (tx) => {
    const tenant = await lockTenant(tx)
    const held = await findByAddressLocked(tx, addressKey(email))
    if (held && (held.status === 'active' || !held.academy_only)) throw coded('already_member')
    const wanted = { email, role: 'viewer', academyOnly: true, readOnly: false } as const
    return held ? await renewInvitation(tx, ctx, tenant, held, wanted) : await createInvitation(tx, ctx, tenant, wanted)
  })
}
