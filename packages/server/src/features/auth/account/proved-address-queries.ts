import type { Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import { deleteTracesOfAccounts } from '../../../sessions/end-sessions.ts'
import { type UserRow, userColumns } from '../../users/wire-user.ts'

export type HolderOfAddress = UserRow & { account_id: string | null; email_verified: boolean }

const columns = [...userColumns, 'account_id', 'email_verified'].join(', ')

/**
 * Locks a user against all other changes. The lock also blocks the creation of an API key for this user, because a key's row refers
 * to the user's row.
 */
export function lockHolder(tx: Tx, userId: string) {
  return tx.maybe(
    raw<HolderOfAddress>(`select ${columns} from users where tenant_id = $1 and id = $2 for update`, [
      tx.tenantId,
      userId,
    ]),
  )
}

export function markAddressProved(tx: Tx, userId: string) {
  return tx.all(raw('update users set email_verified = true where tenant_id = $1 and id = $2', [tx.tenantId, userId]))
}

/** Stores that the account has no second factor. */
export function markWithoutFactors(tx: Tx, userId: string) {
  return tx.all(raw('update users set mfa_enrolled = false where tenant_id = $1 and id = $2', [tx.tenantId, userId]))
}

/** Removes the account and the address from a user. The user is then like an invited user who has not accepted. */
export async function releaseAddress(tx: Tx, userId: string, accountId: string): Promise<void> {
  const ofUser = [tx.tenantId, userId]
  await tx.all(raw('delete from email_lookup where tenant_id = $1 and user_id = $2', ofUser))
  await tx.all(
    raw('delete from account_lookup where tenant_id = $1 and user_id = $2 and account_id = $3', [...ofUser, accountId]),
  )
  await deleteTracesOfAccounts(tx, [accountId])
  await tx.all(
    raw(
      `update users set status = 'pending', account_id = null, mfa_enrolled = false, federated = false
       where tenant_id = $1 and id = $2`,
      ofUser,
    ),
  )
}
