import { type Database, noTenant, type Sql, type Tx } from '../db/database.ts'
import { raw } from '../db/statements/statement.ts'
import { digest } from '../security/credentials.ts'

/**
 * Ends the session of a refresh token, if the session belongs to the account. Does nothing for any other token. Returns whether
 * a session was ended.
 */
export async function endSession(db: Sql, accountId: string, refreshToken: string, now: string): Promise<boolean> {
  const ended = await db.all(
    raw(
      `update sessions set revoked_at = $3 where account_id = $1 and revoked_at is null
         and id = (select session_id from refresh_tokens where token_hash = $2) returning id`,
      [accountId, digest(refreshToken), now],
    ),
  )
  return ended.length > 0
}

/** Finds the account of a refresh token, whether or not its session has ended. */
export async function findAccountOfToken(db: Sql, refreshToken: string): Promise<string | undefined> {
  const text = `select s.account_id from refresh_tokens t join sessions s on s.id = t.session_id where t.token_hash = $1`
  return (await db.maybe(raw<{ account_id: string }>(text, [digest(refreshToken)])))?.account_id
}

// The epochs come first: a request that opens or ends a session locks the epoch of the account before the session.
const tables = ['account_epochs', 'sessions', 'password_resets', 'mail_proofs', 'known_devices'] as const

/** Deletes the sessions, mailed tokens and known devices of accounts that are deleted or no longer have a user. */
export async function deleteTracesOfAccounts(tx: Tx, accountIds: readonly string[]): Promise<void> {
  for (const table of tables) await tx.all(raw(`delete from ${table} where account_id = any($1)`, [accountIds]))
}

const unusable = `delete from sessions s where not exists (
  select from refresh_tokens t where t.session_id = s.id and t.expires_at > $1)`

// Browsers keep a cookie for at most 400 days.
const forgottenDevices = `delete from known_devices where last_seen_at < $1::timestamptz - interval '400 days'`

/**
 * Deletes the following rows. Call it regularly.
 * - sessions whose refresh tokens have all expired
 * - expired password resets
 * - expired verification links
 * - devices that were not seen for 400 days
 */
export async function sweepSessions(db: Database, now: string): Promise<void> {
  await db.transaction(noTenant, async (tx) => {
    await tx.all(raw(unusable, [now]))
    await tx.all(raw('delete from password_resets where expires_at <= $1', [now]))
    await tx.all(raw('delete from mail_proofs where expires_at <= $1', [now]))
    await tx.all(raw(forgottenDevices, [now]))
  })
}
