import { Secret, TOTP } from 'otpauth'
import type { Db, Vault } from '../port.ts'
import { spendRecoveryCode } from './recovery-codes.ts'

export const STEP_SECONDS = 30
/** How many time steps the clock of a phone may be ahead or behind. A TOTP code is made for one time step of 30 seconds. */
const WINDOW_STEPS = 1

/** The context with which the secret of a factor is encrypted in the vault. */
export function secretContext(accountId: string): string {
  return `totp:${accountId}`
}

/** Returns the time step for which a code is valid, or null for a wrong code. */
export function matchStep(secretBase32: string, otp: string, now: Date): number | null {
  const digits = otp.replace(/\s/g, '')
  if (!/^[0-9]{6}$/.test(digits)) return null
  const totp = new TOTP({ secret: Secret.fromBase32(secretBase32), period: STEP_SECONDS })
  const delta = totp.validate({ token: digits, timestamp: now.getTime(), window: WINDOW_STEPS })
  return delta === null ? null : Math.floor(now.getTime() / 1000 / STEP_SECONDS) + delta
}

/**
 * Accepts a TOTP code whose time step was not used before, or an unused recovery code. Each code works only once, even if
 * several requests use it at the same time.
 */
export async function verifyOtp(db: Db, vault: Vault, accountId: string, otp: string, now: Date): Promise<boolean> {
  const { rows } = await db.query(
    'select id, secret_sealed from identity.totp_factors where account_id = $1 and confirmed_at is not null',
    [accountId],
  )
  const factor: { id: string; secret_sealed: string } | undefined = rows[0]
  if (!factor) return false
  const step = matchStep(vault.open(factor.secret_sealed, secretContext(accountId)), otp, now)
  if (step === null) return spendRecoveryCode(db, accountId, otp, now)
  const spent = await db.query(
    `update identity.totp_factors set last_used_step = $2
     where id = $1 and (last_used_step is null or last_used_step < $2) returning id`,
    [factor.id, step],
  )
  return spent.rows.length === 1
}
