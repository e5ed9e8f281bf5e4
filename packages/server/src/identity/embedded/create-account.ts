import { addressKey } from '@mandate/contract/fields/address-key'
import { v7 as uuidv7 } from 'uuid'
import { IdentityFailure } from '../failure.ts'
import { checkPassword } from '../password-policy.ts'
import type { Db, NewAccount } from '../port.ts'
import { hashPassword } from './password-hash.ts'

/** Creates an account. Throws IdentityFailure `email_taken` or `weak_password`. */
export async function createAccount(db: Db, account: NewAccount, now: Date): Promise<{ accountId: string }> {
  const email = account.email.trim()
  const passwordHash =
    account.password === undefined ? null : await hashPassword(checkPassword(account.password, email))
  const { rows } = await db.query(
    `insert into identity.accounts (id, email, email_lower, password_hash, email_verified, created_at)
     values ($1, $2, $3, $4, $5, $6) on conflict (email_lower) do nothing returning id`,
    [uuidv7(), email, addressKey(email), passwordHash, account.emailVerified, now],
  )
  if (!rows[0]) throw new IdentityFailure('email_taken', 'another account already uses this email address')
  return { accountId: rows[0].id }
}
