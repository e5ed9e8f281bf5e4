import type { Sql, Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'

/** Stores a link to choose a new password. Earlier links of the account stop working. */
export async function insertReset(tx: Tx, accountId: string, tokenHash: Buffer, expiresAt: string) {
  await deleteResets(tx, accountId)
  await tx.all(
    raw('insert into password_resets (token_hash, account_id, expires_at) values ($1, $2, $3)', [
      tokenHash,
      accountId,
      expiresAt,
    ]),
  )
}

/** Returns the account of a password reset link. Returns undefined if the link was used or has expired. */
export function findReset(db: Sql, tokenHash: Buffer, now: string) {
  return db.maybe(
    raw<{ account_id: string }>(
      'select account_id from password_resets where token_hash = $1 and expires_at > $2 and used_at is null',
      [tokenHash, now],
    ),
  )
}

/** Like `findReset`, and locks the link. If two requests use it at the same time, the second one gets undefined. */
export function findResetLocked(tx: Tx, tokenHash: Buffer, now: string) {
  return tx.maybe(
    raw<{ account_id: string }>(
      'select account_id from password_resets where token_hash = $1 and expires_at > $2 and used_at is null for update',
      [tokenHash, now],
    ),
  )
}

export function deleteResets(tx: Tx, accountId: string) {
  return tx.all(raw('delete from password_resets where account_id = $1', [accountId]))
}
