import { Secret, TOTP } from 'otpauth'
import { v7 as uuidv7 } from 'uuid'
import { IdentityFailure } from '../failure.ts'
import type { Db, TotpEnrolment, Vault } from '../port.ts'
import { issueRecoveryCodes } from './recovery-codes.ts'
import { matchStep, STEP_SECONDS, secretContext } from './verify-otp.ts'

const ISSUER = 'Mandate'
const SECRET_BYTES = 20
/** Maximum time between the start of an enrolment and its confirmation. */
const CONFIRM_WITHIN_MS = 15 * 60_000

/**
 * Starts the enrolment of a second factor. Deletes an earlier enrolment that was not confirmed. Throws IdentityFailure
 * `unknown_account`.
 */
export async function startTotp(
  db: Db,
  vault: Vault,
  accountId: string,
  label: string,
  now: Date,
): Promise<TotpEnrolment> {
  await lockAccount(db, accountId)
  const secret = new Secret({ size: SECRET_BYTES })
  await db.query('delete from identity.totp_factors where account_id = $1 and confirmed_at is null', [accountId])
  await db.query(
    'insert into identity.totp_factors (id, account_id, secret_sealed, created_at) values ($1, $2, $3, $4)',
    [uuidv7(), accountId, vault.seal(secret.base32, secretContext(accountId)), now],
  )
  const totp = new TOTP({ issuer: ISSUER, label, secret, period: STEP_SECONDS })
  return { secret: secret.base32, otpauthUrl: totp.toString() }
}

/**
 * Activates a second factor whose enrolment started in the last 15 minutes. The new factor replaces an older one. The code that
 * confirms the enrolment cannot be used again to sign in.
 */
export async function confirmTotp(
  db: Db,
  vault: Vault,
  accountId: string,
  otp: string,
  now: Date,
): Promise<{ recoveryCodes: string[] } | null> {
  await lockAccount(db, accountId)
  const { rows } = await db.query(
    'select id, secret_sealed from identity.totp_factors where account_id = $1 and confirmed_at is null and created_at > $2',
    [accountId, new Date(now.getTime() - CONFIRM_WITHIN_MS)],
  )
  const pending: { id: string; secret_sealed: string } | undefined = rows[0]
  if (!pending) return null
  const step = matchStep(vault.open(pending.secret_sealed, secretContext(accountId)), otp, now)
  if (step === null) return null
  await db.query('delete from identity.totp_factors where account_id = $1 and id <> $2', [accountId, pending.id])
  const confirmed = await db.query(
    `update identity.totp_factors set confirmed_at = $2, last_used_step = $3
     where id = $1 and confirmed_at is null returning id`,
    [pending.id, now, step],
  )
  if (confirmed.rows.length === 0) return null
  return { recoveryCodes: await issueRecoveryCodes(db, accountId, now) }
}

export async function hasFactors(db: Db, accountId: string): Promise<boolean> {
  const { rows } = await db.query(
    'select 1 from identity.totp_factors where account_id = $1 and confirmed_at is not null',
    [accountId],
  )
  return rows.length > 0
}

export async function clearFactors(db: Db, accountId: string): Promise<void> {
  await db.query('delete from identity.totp_factors where account_id = $1', [accountId])
  await db.query('delete from identity.recovery_codes where account_id = $1', [accountId])
}

/** Locks the account, so that enrolments of one account wait for each other. Must be called in a transaction. */
async function lockAccount(db: Db, accountId: string): Promise<void> {
  const { rows } = await db.query('select 1 from identity.accounts where id = $1 for update', [accountId])
  if (!rows[0]) throw new IdentityFailure('unknown_account', 'no such account')
}
