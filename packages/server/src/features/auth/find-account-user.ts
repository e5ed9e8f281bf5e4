import type { User } from '@mandate/contract/users'
import type { Database } from '../../db/database.ts'
import { toWireUser } from '../users/wire-user.ts'
import { findUser, findUserOfAccount } from './queries.ts'

/** The accepted user an account is, in whichever tenant; null when there is none. */
export async function findAccountUser(db: Database, accountId: string): Promise<User | null> {
  const found = await findUserOfAccount(db.global, accountId)
  const row = found && (await findUser(db.reader(found.tenant_id), found.user_id))
  return row?.status === 'active' && row.account_id === accountId ? toWireUser(row) : null
}
