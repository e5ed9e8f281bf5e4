import { createHash, randomInt } from 'node:crypto'
import type { Db } from '../port.ts'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODES = 10
/** A code has 80 random bits, so even its unsalted hash cannot be reversed by trying all codes. */
const CODE_CHARACTERS = 16

/**
 * Replaces the account's recovery codes and returns the new codes. The codes cannot be read again, because only their hashes
 * are stored.
 */
export async function issueRecoveryCodes(db: Db, accountId: string, now: Date): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode)
  await db.query('delete from identity.recovery_codes where account_id = $1', [accountId])
  await db.query(
    `insert into identity.recovery_codes (account_id, code_hash, created_at)
     select $1, unnest($2::bytea[]), $3`,
    [accountId, codes.map((code) => hashCode(accountId, code)), now],
  )
  return codes
}

/** Marks a code as used. If it is called several times at once with one code, at most one call returns true. */
export async function spendRecoveryCode(db: Db, accountId: string, code: string, now: Date): Promise<boolean> {
  const { rows } = await db.query(
    `update identity.recovery_codes set used_at = $3
     where account_id = $1 and code_hash = $2 and used_at is null returning account_id`,
    [accountId, hashCode(accountId, code), now],
  )
  return rows.length === 1
}

function newCode(): string {
  const characters = Array.from({ length: CODE_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)])
  return characters.join('').replace(/.{4}(?=.)/g, '$&-')
}

/** Ignores common copying mistakes: case, dashes and spaces, O in place of 0, I or L in place of 1. */
function hashCode(accountId: string, code: string): Buffer {
  const plain = code.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')
  return createHash('sha256').update(`${accountId}:${plain}`).digest()
}
