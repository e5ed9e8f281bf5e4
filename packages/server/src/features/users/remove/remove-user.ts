import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { IdentityFailure } from '../../../identity/failure.ts'
import { conflict, notFound, throwIfRefused } from '../../../refusal.ts'
import { revokeKeysOfUser } from '../../api-keys/revoke-key.ts'
import { forgetAgentOwner } from '../../approvals/stored/agent-owner.ts'
import { endLostDelegations } from '../../delegations/end-delegations.ts'
import { identityOfTenant } from '../../tenants/deletion/identity-of-tenant.ts'
import { lockTenant } from '../../tenants/lock-tenant.ts'
import { type LockedUser, lockUsersAndOwners } from '../queries.ts'
import { isLastOwner, lastOwnerRemovalRefusal, removalRequestRefusal, sameAuthorityRefusal } from '../rules.ts'
import { deleteUserRows, disownAgents, limitLockWaits } from './removal-queries.ts'

/**
 * Removes a user with their keys, grants, access and sign-in account, or withdraws an invitation. This frees the seat and disables
 * the invitation's link. The user's agents and reports are kept without an owner or a creator. Reviews keep the ids of the requester
 * and the resolver.
 * @throws 403 for a caller who is not an owner; 400 for the caller's own id and for the last owner; 404; 409 if the sign-in account
 *   cannot be deleted or a concurrent change holds a lock; then nothing is removed and the caller may try again
 */
export async function removeUser(ctx: Ctx<Member>, userId: string): Promise<void> {
  const { actor } = ctx
  throwIfRefused(removalRequestRefusal(actor, userId))
  await ctx.inTenant(async (tx) => {
    await limitLockWaits(tx)
    await lockTenant(tx)
    const users = await lockUsersAndOwners(tx, [actor.userId, userId])
    const target = users.find((user) => user.id === userId)
    throwIfRefused(lastOwnerRemovalRefusal(target !== undefined && isLastOwner(users, target)))
    const self = users.find((user) => user.id === actor.userId)
    throwIfRefused(sameAuthorityRefusal(actor, self))
    if (!target) throw notFound('user')
    await removeLocked(tx, ctx, target)
  })
}

/** Removes a user. The user's row and the tenant's row must be locked. The sign-in account is deleted last. */
export async function removeLocked(tx: Tx, ctx: Ctx<Member>, user: LockedUser): Promise<void> {
  const event = user.status === 'pending' ? 'user.invitation.revoked' : 'user.removed'
  const { id, email, role, academy_only, read_only } = user
  const name = user.display_name || email
  // The keys are deleted with the user. Later, only the audit trail says that they existed and when they ended.
  const keys = await revokeKeysOfUser(tx, ctx, id, { because: 'user_removed', created_by_name: name })
  const { agents_owned, named } = await disownAgents(tx, id)
  await recordAudit(tx, ctx, event, {
    resource: { type: 'user', id, name },
    details: { email, role, academy_only, read_only, api_keys_revoked: keys, agents_owned, agents: named },
  })
  await deleteUserRows(tx, user)
  await endLostDelegations(tx, ctx, user.id)
  await forgetAgentOwner(tx, user.id)
  if (user.account_id === null) return
  try {
    await identityOfTenant(ctx).deleteAccount(tx, user.account_id)
  } catch (error) {
    if (!(error instanceof IdentityFailure)) throw error
    ctx.services.log.warn({ err: error, request_id: ctx.request.id }, 'a sign-in account could not be deleted')
    throw conflict('the sign-in account could not be deleted; nothing was removed, try again')
  }
}
