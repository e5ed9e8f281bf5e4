import { addressKey } from '@mandate/contract/fields/address-key'
import type { AccessScope, Role } from '@mandate/contract/words/roles'
import type { Tx } from '../../../db/database.ts'
import { sql } from '../../../db/statements/statement.ts'

const invitedColumns = ['id', 'email', 'role', 'status', 'academy_only', 'read_only', 'access_scope'] as const

/**
 * Returns the tenant's user who has this email address, and locks the user's row. `addressLower` is in lower case, so the case
 * of the stored address does not matter.
 */
export function findByAddressLocked(tx: Tx, addressLower: string) {
  return tx.maybe(
    sql
      .selectFrom('users')
      .select(invitedColumns)
      .where('tenant_id', '=', tx.tenantId)
      .where('email_lower', '=', addressLower)
      .forUpdate(),
  )
}

export interface PendingUser {
  id: string
  email: string
  role: Role
  academyOnly: boolean
  readOnly: boolean
  accessScope: AccessScope
}

/** Inserts a user who has not accepted yet, without a sign-in account. */
export async function insertPendingUser(tx: Tx, user: PendingUser, now: string): Promise<void> {
  await tx.all(
    sql.insertInto('users').values({
      tenant_id: tx.tenantId,
      id: user.id,
      email: user.email,
      email_lower: addressKey(user.email),
      role: user.role,
      status: 'pending',
      academy_only: user.academyOnly,
      read_only: user.readOnly,
      access_scope: user.accessScope,
      created_at: now,
    }),
  )
}

export async function updatePendingUser(tx: Tx, { id, role, readOnly, accessScope }: PendingUser): Promise<void> {
  await tx.all(
    sql
      .updateTable('users')
      .set({ role, read_only: readOnly, access_scope: accessScope })
      .where('tenant_id', '=', tx.tenantId)
      .where('id', '=', id),
  )
}

export interface InvitationToken {
  userId: string
  tokenHash: Buffer
  invitedBy: string
  createdAt: string
  expiresAt: string
}

/** Stores the token with which a user accepts an invitation. Earlier tokens of the user stop working. */
export async function replaceInvitationToken(tx: Tx, token: InvitationToken): Promise<void> {
  const values = {
    token_hash: token.tokenHash,
    invited_by: token.invitedBy,
    created_at: token.createdAt,
    expires_at: token.expiresAt,
  }
  await tx.all(
    sql
      .deleteFrom('credential_lookup')
      .where('tenant_id', '=', tx.tenantId)
      .where('id', '=', token.userId)
      .where('kind', '=', 'invitation'),
  )
  await tx.all(
    sql
      .insertInto('invitations')
      .values({ tenant_id: tx.tenantId, user_id: token.userId, ...values })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'user_id']).doUpdateSet(values)),
  )
  await tx.all(
    sql
      .insertInto('credential_lookup')
      .values({ hash: token.tokenHash, kind: 'invitation', tenant_id: tx.tenantId, id: token.userId }),
  )
}
