import { IdentityFailure } from '../failure.ts'
import { unlinkFederated } from '../link-federated.ts'
import { checkPassword } from '../password-policy.ts'
import type { Db } from '../port.ts'
import { getAccount } from './find-account.ts'
import { hashPassword } from './password-hash.ts'

/** Changes the password. Throws IdentityFailure `unknown_account` or `weak_password`. */
export async function setPassword(db: Db, accountId: string, password: string): Promise<void> {
  const account = await getAccount(db, accountId)
  if (!account) throw new IdentityFailure('unknown_account', 'no such account')
  const passwordHash = await hashPassword(checkPassword(password, account.email))
  await updateAccount(db, 'password_hash = $2', [accountId, passwordHash])
}

/** Records that the person owns the account's address. Throws IdentityFailure `unknown_account`. */
export async function markEmailVerified(db: Db, accountId: string): Promise<void> {
  await updateAccount(db, 'email_verified = true', [accountId])
}

/** Deletes the account, its federated links, its second factors and its recovery codes. */
export async function deleteAccount(db: Db, accountId: string): Promise<void> {
  await unlinkFederated(db, accountId)
  await db.query('delete from identity.accounts where id = $1', [accountId])
}

async function updateAccount(db: Db, assignment: string, values: unknown[]): Promise<void> {
  const { rows } = await db.query(`update identity.accounts set ${assignment} where id = $1 returning id`, values)
  if (!rows[0]) throw new IdentityFailure('unknown_account', 'no such account')
}
