import type { User } from '@mandate/contract/users'
import { findUserOfAccount } from '../../../caller/caller-queries.ts'
import type { Database } from '../../../db/database.ts'
import { toWireUser } from '../../users/wire-user.ts'
import { findUser } from './queries.ts'

/** Returns the user that signs in with an account. Searches all tenants. Returns null if the account has no active user. */
export async function findAccountUser(db: Database, accountId: string): Promise<User | null> {
  const found = await findUserOfAccount(db.global, accountId)
  const row = found && (await findUser(db.reader(found.tenantId), found.userId))
  return row?.status === 'active' && row.account_id === accountId ? toWireUser(row) : null
}
