import type { Sql, Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statement.ts'

/** A link to choose a new password; earlier ones of the account stop working. */
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

/** The account a live link belongs to. */
export function findReset(db: Sql, tokenHash: Buffer, now: string) {
  return db.maybe(
    raw<{ account_id: string }>(
      'select account_id from password_resets where token_hash = $1 and expires_at > $2 and used_at is null',
      [tokenHash, now],
    ),
  )
}

/** The account a live link belongs to, locked: of two who send it at once, the second finds it gone. */
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
