import { addressKey } from '@mandate/contract/fields/address-key'
import type { Account, Db } from '../port.ts'

const COLUMNS = 'id, email, email_verified, password_hash is not null as has_password, created_at'

export async function findAccountByEmail(db: Db, email: string): Promise<Account | null> {
  const { rows } = await db.query(`select ${COLUMNS} from identity.accounts where email_lower = $1`, [
    addressKey(email),
  ])
  return rows[0] ? toAccount(rows[0]) : null
}

export async function getAccount(db: Db, accountId: string): Promise<Account | null> {
  const { rows } = await db.query(`select ${COLUMNS} from identity.accounts where id = $1`, [accountId])
  return rows[0] ? toAccount(rows[0]) : null
}

type AccountRow = {
  id: string
  email: string
  email_verified: boolean
  has_password: boolean
  created_at: Date | string
}

function toAccount(row: AccountRow): Account {
  return {
    accountId: row.id,
    email: row.email,
    emailVerified: row.email_verified,
    hasPassword: row.has_password,
    // Depending on its configuration, the caller's pool returns timestamps as text or as `Date` objects. `new Date` accepts
    // both.
    createdAt: new Date(row.created_at),
  }
}
