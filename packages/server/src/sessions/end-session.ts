import type { Sql } from '../db/database.ts'
import { raw } from '../db/statement.ts'
import { digest } from '../security/credentials.ts'

/**
 * Ends the session of a refresh token if it belongs to the account. Any other token changes nothing. Returns whether a session was ended.
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
