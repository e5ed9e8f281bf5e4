import type { Sql } from '../db/database.ts'
import { raw } from '../db/statement.ts'
import { endEpoch } from './account-epoch.ts'

/**
 * Ends all sessions of an account, except the session `keep` if it is given. The refresh tokens of ended sessions stop working,
 * and endpoints that need a live session refuse their access tokens. A sign-in that is not complete when this function runs can
 * no longer open a session. `now` is ISO 8601.
 */
export async function revokeSessionsOfAccount(db: Sql, accountId: string, now: string, keep?: string): Promise<void> {
  await endEpoch(db, accountId)
  await db.all(
    raw(
      'update sessions set revoked_at = $2 where account_id = $1 and revoked_at is null and ($3::uuid is null or id <> $3)',
      [accountId, now, keep ?? null],
    ),
  )
}

/**
 * Prevents all sessions of an account from being refreshed. Each session stays valid until its current access token expires.
 * The person must then sign in again.
 */
export async function endRenewalOfSessions(db: Sql, accountId: string, now: string): Promise<void> {
  await db.all(
    raw('update sessions set renewal_ended_at = $2 where account_id = $1 and renewal_ended_at is null', [
      accountId,
      now,
    ]),
  )
}

/** Ends one session. Does nothing if it has already ended. */
export async function revokeSession(db: Sql, sessionId: string, now: string): Promise<void> {
  await db.all(raw('update sessions set revoked_at = $2 where id = $1 and revoked_at is null', [sessionId, now]))
}
