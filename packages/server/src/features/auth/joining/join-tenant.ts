import { addressKey } from '@mandate/contract/fields/address-key'
import type { User } from '@mandate/contract/users'
import { recordAudit } from '../../../audit/record-audit.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Database, Tx } from '../../../db/database.ts'
import { coded, type Refusal } from '../../../refusal.ts'
import { toWireUser, type UserRow } from '../../users/wire-user.ts'
import { personOf } from '../account/person-of.ts'
import {
  activateUser,
  claimAccount,
  claimAddress,
  deleteInvitation,
  findUser,
  findUserOfAddress,
} from '../account/queries.ts'
import { releaseUnprovedAddress } from '../address/release-address.ts'

export interface Joining {
  user: UserRow
  /** The cleaned display name. If it is missing, the stored name is kept. */
  displayName?: string | undefined
  /** How the person proved their identity. */
  by: 'password' | 'google' | 'saml'
  /**
   * Returns true if the person may take the address from another user who never verified it. Pass this function only if the
   * person has just proved that they own the address, for example by the link in a mailed invitation.
   */
  mayTakeAddress?: () => Promise<boolean>
  /**
   * Finds or creates the sign-in account. It is called after all rows are written, because a rollback cannot undo the creation of
   * an account at a remote identity provider.
   */
  account: () => Promise<string>
}

/**
 * Makes a pending user an active user of the tenant. An address has at most one active user, even if several pending users with
 * the same address join at the same time.
 * @throws 409 `owner_elsewhere`, `user_elsewhere`
 */
export async function joinTenant(tx: Tx, ctx: Ctx<null>, joining: Joining): Promise<{ user: User; accountId: string }> {
  const { user, by } = joining
  const address = addressKey(user.email)
  if (!(await claimAddress(tx, address, user.id))) {
    const isFree = (await joining.mayTakeAddress?.()) && (await releaseUnprovedAddress(tx, ctx, address))
    if (!isFree || !(await claimAddress(tx, address, user.id))) throw await elsewhere(ctx.services.db, user)
  }
  await deleteInvitation(tx, user.id)
  const accountId = await joining.account()
  if (!(await claimAccount(tx, accountId, user.id))) throw coded('user_elsewhere')
  const displayName = joining.displayName ?? user.display_name
  const federated = by !== 'password'
  const joined = toWireUser(await activateUser(tx, user.id, { accountId, displayName, emailVerified: true, federated }))
  await recordAudit(tx, { ...ctx, actor: personOf(joined, accountId) }, 'user.joined', {
    resource: { type: 'user', id: joined.id, name: joined.display_name || joined.email },
    details: {
      email: joined.email,
      role: joined.role,
      academy_only: joined.academy_only,
      read_only: joined.read_only,
      access_scope: joined.access_scope,
      by,
    },
  })
  return { user: joined, accountId }
}

/**
 * Returns the 409 for an address that another user has. The code is `owner_elsewhere` if the invitation is for an owner and the
 * other user is an owner. Otherwise the code is `user_elsewhere`, so that only invited owners learn that the other user is an
 * owner.
 */
async function elsewhere(db: Database, invited: UserRow): Promise<Refusal> {
  const found = await findUserOfAddress(db.global, addressKey(invited.email))
  const other = found && (await findUser(db.reader(found.tenant_id), found.user_id))
  return coded(invited.role === 'owner' && other?.role === 'owner' ? 'owner_elsewhere' : 'user_elsewhere')
}
