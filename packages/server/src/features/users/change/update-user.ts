import type { User } from '@mandate/contract/users'
import type { Role } from '@mandate/contract/words/roles'
import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { notFound, throwIfRefused } from '../../../refusal.ts'
import { endLostDelegations } from '../../delegations/end-delegations.ts'
import { lockTenant } from '../../tenants/lock-tenant.ts'
import { findUser, type LockedUser, lockUsers, lockUsersAndOwners, storeUser } from '../queries.ts'
import {
  changeRefusal,
  changeRequestRefusal,
  isLastOwner,
  lastOwnerChangeRefusal,
  learnerRoleRefusal,
  sameAuthorityRefusal,
  sentChange,
} from '../rules.ts'
import { endRenewals } from '../sign-in/end-sessions.ts'
import { toWireUser, type UserRow } from '../wire-user.ts'
import { readDisplayName } from './display-name.ts'

export interface UserChange {
  display_name?: string | undefined
  role?: Role | undefined
  read_only?: boolean | undefined
}

/**
 * Changes a user's display name, role and `read_only`. Fields that the request does not contain do not change. If nothing changes,
 * nothing is written. A new role revokes the user's refresh tokens, so the user must sign in again when the access token
 * expires. The stored access scope does not change. It has no effect while the user is an owner.
 * @throws 400 for a name that is too long after cleaning. This 400 takes precedence over the other errors.
 * @throws the 403 of `changeRequestRefusal` and `changeRefusal`, and 404
 * @throws 409 for the last owner, for a learner who would get another role than viewer, and if the caller's own role changed
 *   during the request
 */
export async function updateUser(ctx: Ctx<Member>, userId: string, sent: UserChange): Promise<User> {
  const { actor } = ctx
  const displayName = sent.display_name === undefined ? undefined : readDisplayName(sent.display_name)
  const change = sentChange(sent)
  const changesRights = change.sendsRole || change.sendsReadOnly
  throwIfRefused(changeRequestRefusal(actor, userId, change))
  return await ctx.inTenant(async (tx) => {
    const users = await lockForChange(tx, actor, userId, changesRights)
    if (changesRights || userId !== actor.userId) {
      throwIfRefused(sameAuthorityRefusal(actor, userOf(users, actor.userId)))
    }
    const target = userOf(users, userId)
    if (!target) throw notFound('user')
    throwIfRefused(changeRefusal(actor, target, change) ?? learnerRoleRefusal(target, sent.role))
    const {
      display_name = target.display_name,
      role = target.role,
      read_only = target.read_only,
    } = {
      ...sent,
      display_name: displayName,
    }
    const wanted = { display_name, role, read_only }
    throwIfRefused(lastOwnerChangeRefusal(target, wanted, changesRights && isLastOwner(users, target)))
    return toWireUser(await store(tx, ctx, target, wanted))
  })
}

/**
 * Throws the 400 for a name that is too long, or the 403 or 404 of `updateUser`. Runs only if the body is invalid. These errors
 * take precedence over the 400 for the rest of the body.
 */
export async function refuseUpdateFirst(ctx: Ctx<Member>, userId: string, body: unknown): Promise<void> {
  // The body is not copied, because it can be a list of 500,000 numbers.
  const sent = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  if (typeof sent.display_name === 'string') readDisplayName(sent.display_name)
  const change = sentChange(sent)
  throwIfRefused(changeRequestRefusal(ctx.actor, userId, change))
  const target = await findUser(ctx.sql, userId)
  if (!target) throw notFound('user')
  throwIfRefused(changeRefusal(ctx.actor, target, change))
}

async function lockForChange(tx: Tx, actor: Member, userId: string, ofRights: boolean): Promise<LockedUser[]> {
  if (!ofRights) return await lockUsers(tx, [actor.userId, userId])
  await lockTenant(tx)
  return await lockUsersAndOwners(tx, [actor.userId, userId])
}

const userOf = (users: readonly LockedUser[], id: string) => users.find((user) => user.id === id)

async function store(
  tx: Tx,
  ctx: Ctx<Member>,
  target: LockedUser,
  wanted: Pick<UserRow, 'display_name' | 'role' | 'read_only'>,
): Promise<UserRow> {
  const renamed = wanted.display_name !== target.display_name
  const moved = wanted.role !== target.role
  const narrowed = wanted.read_only !== target.read_only
  if (!renamed && !moved && !narrowed) return target
  const user = await storeUser(tx, target.id, wanted)
  const resource = { type: 'user', id: user.id, name: user.display_name || user.email }
  if (renamed) {
    const details = { old_display_name: target.display_name, new_display_name: user.display_name }
    await recordAudit(tx, ctx, 'user.profile_updated', { resource, details })
  }
  if (moved) {
    const details = { old_role: target.role, new_role: user.role, read_only: user.read_only }
    await recordAudit(tx, ctx, 'user.role_changed', { resource, details })
    if (target.account_id !== null) await endRenewals(tx, ctx, target.account_id)
  }
  if (narrowed) {
    const details = { old_read_only: target.read_only, new_read_only: user.read_only }
    await recordAudit(tx, ctx, 'user.read_only_changed', { resource, details })
  }
  if (moved || narrowed) await endLostDelegations(tx, ctx, user.id)
  return user
}
