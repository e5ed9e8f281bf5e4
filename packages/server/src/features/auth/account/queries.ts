import { addressKey } from '@mandate/contract/fields/address-key'
import type { Role } from '@mandate/contract/words/roles'
import type { Sql, Tx } from '../../../db/database.ts'
import { raw, sql } from '../../../db/statements/statement.ts'
import { type UserRow, userColumns } from '../../users/wire-user.ts'

export type AccountUser = UserRow & { account_id: string | null }

const accountUserColumns = [...userColumns, 'account_id'] as const

/** Returns the active user who has this mail address, in any tenant. `address` is in lower case. */
export function findUserOfAddress(db: Sql, address: string) {
  return db.maybe(sql.selectFrom('email_lookup').select(['tenant_id', 'user_id']).where('address', '=', address))
}

/** Returns the tenant of an invitation token. */
export function findTenantOfInvitation(db: Sql, tokenHash: Buffer) {
  return db.maybe(
    sql
      .selectFrom('credential_lookup')
      .select('tenant_id')
      .where('hash', '=', tokenHash)
      .where('kind', '=', 'invitation'),
  )
}

export function findUser(db: Sql, userId: string) {
  return db.maybe(
    sql.selectFrom('users').select(accountUserColumns).where('tenant_id', '=', db.tenantId).where('id', '=', userId),
  )
}

/** Returns the tenant's user with an address, pending or accepted. `address` is in lower case. */
export function findUserByAddress(db: Sql, address: string) {
  return db.maybe(
    sql
      .selectFrom('users')
      .select(accountUserColumns)
      .where('tenant_id', '=', db.tenantId)
      .where('email_lower', '=', address),
  )
}

export interface InvitedRow extends UserRow {
  expires_at: string
}

const invitedColumns = `u.id, u.tenant_id, u.email, u.display_name, u.role, u.status, u.academy_only, u.mfa_enrolled,
  u.federated, u.access_scope, u.read_only, u.last_active_at, u.created_at, i.expires_at`

/**
 * Returns a pending user and their invitation, and locks both rows. Returns undefined if the invitation was used, withdrawn, or
 * renewed with another token.
 */
export function lockInvitation(tx: Tx, tokenHash: Buffer) {
  return tx.maybe(
    raw<InvitedRow>(
      `select ${invitedColumns} from users u join invitations i on i.tenant_id = u.tenant_id and i.user_id = u.id
       where u.tenant_id = $1 and i.token_hash = $2 and u.status = 'pending' for update`,
      [tx.tenantId, tokenHash],
    ),
  )
}

/** What a person learns about an invitation before they accept it. */
export interface OfferRow {
  organization: string
  role: Role
  read_only: boolean
  /** Name of the user who invites. Null if the user was removed, empty if they have no name. */
  invited_by: string | null
  email: string
  expires_at: string
}

const offer = `
  select t.name as organization, u.role, u.read_only, b.display_name as invited_by, u.email, i.expires_at
  from invitations i
  join users u on u.tenant_id = i.tenant_id and u.id = i.user_id
  join tenants t on t.id = i.tenant_id
  left join users b on b.tenant_id = i.tenant_id and b.id = i.invited_by
  where i.tenant_id = $1 and i.token_hash = $2 and u.status = 'pending'`

/** Reads the invitation with this token, without a lock. Finds the same invitations as `lockInvitation`. */
export function findInvitation(db: Sql, tokenHash: Buffer) {
  return db.maybe(raw<OfferRow>(offer, [db.tenantId, tokenHash]))
}

/** Like `lockInvitation`, but finds the invitation by the user's id. */
export function lockInvitationOfUser(tx: Tx, userId: string) {
  return tx.maybe(
    raw<InvitedRow>(
      `select ${invitedColumns} from users u join invitations i on i.tenant_id = u.tenant_id and i.user_id = u.id
       where u.tenant_id = $1 and u.id = $2 and u.status = 'pending' for update`,
      [tx.tenantId, userId],
    ),
  )
}

/** Deletes an invitation and the look-up row of its token, because an invitation works once. */
export async function deleteInvitation(tx: Tx, userId: string) {
  await tx.all(
    raw(
      `delete from credential_lookup where tenant_id = $1 and kind = 'invitation'
         and hash in (select token_hash from invitations where tenant_id = $1 and user_id = $2)`,
      [tx.tenantId, userId],
    ),
  )
  await tx.all(raw('delete from invitations where tenant_id = $1 and user_id = $2', [tx.tenantId, userId]))
}

/**
 * Makes the user the only active user with this mail address. Returns false if another active user has the address. If another
 * open transaction claims the address, waits until that transaction ends.
 */
export async function claimAddress(tx: Tx, address: string, userId: string): Promise<boolean> {
  const claimed = await tx.maybe(
    raw(
      `insert into email_lookup (address, tenant_id, user_id) values ($1, $2, $3)
       on conflict do nothing returning address`,
      [address, tx.tenantId, userId],
    ),
  )
  return claimed !== undefined
}

/** Returns false if the account already belongs to a user. */
export async function claimAccount(tx: Tx, accountId: string, userId: string): Promise<boolean> {
  const claimed = await tx.maybe(
    raw(
      `insert into account_lookup (account_id, tenant_id, user_id) values ($1, $2, $3)
       on conflict do nothing returning account_id`,
      [accountId, tx.tenantId, userId],
    ),
  )
  return claimed !== undefined
}

export interface NewUserRow {
  id: string
  email: string
  display_name: string
  role: 'owner' | 'viewer'
  access_scope: 'all' | 'scoped'
  created_at: string
}

/** Inserts a user without an account. `activateUser` sets the account. */
export function insertUser(tx: Tx, user: NewUserRow) {
  return tx.one(
    sql
      .insertInto('users')
      .values({ ...user, tenant_id: tx.tenantId, email_lower: addressKey(user.email), status: 'pending' })
      .returning(userColumns),
  )
}

export interface Activation {
  accountId: string
  displayName: string
  /** True if the address was proved by mail. */
  emailVerified: boolean
  /** True if the user can sign in with Google or with the tenant's SAML provider. */
  federated: boolean
}

export function activateUser(tx: Tx, userId: string, activation: Activation) {
  const { accountId, displayName, emailVerified, federated } = activation
  return tx.one(
    sql
      .updateTable('users')
      .set({
        status: 'active',
        account_id: accountId,
        display_name: displayName,
        email_verified: emailVerified,
        federated,
      })
      .where('tenant_id', '=', tx.tenantId)
      .where('id', '=', userId)
      .returning(userColumns),
  )
}

export function setMfaEnrolled(tx: Tx, userId: string) {
  return tx.maybe(
    sql
      .updateTable('users')
      .set({ mfa_enrolled: true })
      .where('tenant_id', '=', tx.tenantId)
      .where('id', '=', userId)
      .returning(userColumns),
  )
}

/**
 * Stores that the user can sign in with Google or with the tenant's SAML provider. Does nothing if the user no longer has this
 * account.
 */
export function markFederated(tx: Tx, userId: string, accountId: string) {
  return tx.all(
    raw('update users set federated = true where tenant_id = $1 and id = $2 and account_id = $3', [
      tx.tenantId,
      userId,
      accountId,
    ]),
  )
}
