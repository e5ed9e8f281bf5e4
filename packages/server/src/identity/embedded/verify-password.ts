import { addressKey } from '@mandate/contract/fields/address-key'
import type { Credentials, Db, SignInResult, Vault } from '../port.ts'
import { hasFactors } from './enrol-totp.ts'
import { matchesHash } from './password-hash.ts'
import { verifyOtp } from './verify-otp.ts'

/**
 * Unknown addresses and wrong passwords get the same response in the same time. `mfa_required` is returned only if the password
 * is correct.
 */
export async function verifyPassword(db: Db, vault: Vault, credentials: Credentials, now: Date): Promise<SignInResult> {
  const { rows } = await db.query('select id, password_hash from identity.accounts where email_lower = $1', [
    addressKey(credentials.email),
  ])
  const account: { id: string; password_hash: string | null } | undefined = rows[0]
  const matches = await matchesHash(account?.password_hash ?? null, credentials.password)
  if (!account || !matches) return { ok: false, reason: 'invalid' }
  if (await hasFactors(db, account.id)) {
    if (credentials.otp === undefined) return { ok: false, reason: 'mfa_required' }
    if (!(await verifyOtp(db, vault, account.id, credentials.otp, now))) return { ok: false, reason: 'invalid' }
  }
  return { ok: true, accountId: account.id }
}
