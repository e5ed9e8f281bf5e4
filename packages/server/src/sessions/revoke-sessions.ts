import type { Sql } from '../db/database.ts'
import { raw } from '../db/statement.ts'
import { endEpoch } from './account-epoch.ts'

/**
 * Ends every session of an account, or every session except `keep`. No refresh token of these sessions works again, and their access
 * tokens open nothing that needs a live session. A sign-in that has checked its password before, and has not answered yet, opens none.
 * `now` is ISO 8601.
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
 * Stops the renewal of every session of an account: the person signs in again once the current access token expires. Until then the
 * current sign-in stays valid.
 */
export async function endRenewalOfSessions(db: Sql, accountId: string, now: string): Promise<void> {
  await db.all(
    raw('update sessions set renewal_ended_at = $2 where account_id = $1 and renewal_ended_at is null', [
      accountId,
      now,
    ]),
  )
}

/** Ends one session, unless it has ended already. */
export async function revokeSession(db: Sql, sessionId: string, now: string): Promise<void> {
  await db.all(raw('update sessions set revoked_at = $2 where id = $1 and revoked_at is null', [sessionId, now]))
}
