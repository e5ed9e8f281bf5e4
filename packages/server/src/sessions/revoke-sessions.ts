import type { Sql } from '../db/database.ts'
import { raw } from '../db/statement.ts'

/**
 * Ends every session of an account: no refresh token of theirs serves again. Access tokens already handed out run out by
 * themselves. `now` is ISO 8601.
 */
export async function revokeSessionsOfAccount(db: Sql, accountId: string, now: string): Promise<void> {
  await db.all(
    raw('update sessions set revoked_at = $2 where account_id = $1 and revoked_at is null', [accountId, now]),
  )
}

/** Ends one session, unless it has ended already. */
export async function revokeSession(db: Sql, sessionId: string, now: string): Promise<void> {
  await db.all(raw('update sessions set revoked_at = $2 where id = $1 and revoked_at is null', [sessionId, now]))
}
