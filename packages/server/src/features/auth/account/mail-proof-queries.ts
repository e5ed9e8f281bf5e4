import type { Sql, Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'

/**
 * What a mailed token allows. `verify_email` verifies the address. `sign_in` allows a sign-in although there were too many
 * sign-in attempts for the address.
 */
export type ProofPurpose = 'verify_email' | 'sign_in'

export interface NewProof {
  accountId: string
  purpose: ProofPurpose
  tokenHash: Buffer
  /** ISO 8601. */
  now: string
  expiresAt: string
}

/** Stores a token. An earlier token of the account for the same purpose stops working. */
export async function insertProof(tx: Tx, { accountId, purpose, tokenHash, now, expiresAt }: NewProof): Promise<void> {
  await tx.all(raw('delete from mail_proofs where account_id = $1 and purpose = $2', [accountId, purpose]))
  await tx.all(
    raw(
      'insert into mail_proofs (token_hash, account_id, purpose, created_at, expires_at) values ($1, $2, $3, $4, $5)',
      [tokenHash, accountId, purpose, now, expiresAt],
    ),
  )
}

/** Returns the account of a token that has not expired. */
export function findProof(db: Sql, tokenHash: Buffer, purpose: ProofPurpose, now: string) {
  return db.maybe(
    raw<{ account_id: string }>(
      'select account_id from mail_proofs where token_hash = $1 and purpose = $2 and expires_at > $3',
      [tokenHash, purpose, now],
    ),
  )
}

/**
 * Deletes a token, because it works once. Returns undefined for a token that is unknown, expired, already used, or of another
 * account.
 */
export function spendProof(tx: Tx, tokenHash: Buffer, purpose: ProofPurpose, accountId: string, now: string) {
  return tx.maybe(
    raw(
      `delete from mail_proofs where token_hash = $1 and purpose = $2 and account_id = $3 and expires_at > $4
       returning account_id`,
      [tokenHash, purpose, accountId, now],
    ),
  )
}

export async function deleteProofs(tx: Tx, accountId: string): Promise<void> {
  await tx.all(raw('delete from mail_proofs where account_id = $1', [accountId]))
}
