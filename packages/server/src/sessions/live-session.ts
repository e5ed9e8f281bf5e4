import { isUuid } from '@mandate/contract/fields/is-uuid'
import type { Sql } from '../db/database.ts'
import { raw } from '../db/statements/statement.ts'
import { accessTokenSeconds } from '../security/access-tokens.ts'

/**
 * SQL condition: the session in row `s` was not revoked and has not expired. `now` is the SQL parameter with the current time.
 */
export const sessionLives = (now: string) => `s.revoked_at is null and s.expires_at > ${now}`

/**
 * SQL condition for a session in row `s` that was not revoked: somebody can still use it. False after its end, and if all its
 * tokens have expired, for example because the code of a federated sign-in was never exchanged. A session that cannot be renewed
 * is in use until its last access token expires.
 */
export const sessionInUse = (now: string) => `s.expires_at > ${now}
  and (s.renewal_ended_at is null or s.last_used_at > ${now}::timestamptz - interval '${accessTokenSeconds} seconds')
  and exists (select from refresh_tokens t where t.session_id = s.id and t.expires_at > ${now})`

/** True if the account has a session with this id that was not revoked and has not expired. `now` is ISO 8601. */
export async function isLiveSession(
  db: Sql,
  sessionId: string | undefined,
  accountId: string | null,
  now: string,
): Promise<boolean> {
  if (sessionId === undefined || accountId === null || !isUuid(sessionId)) return false
  const text = `select from sessions s where s.id = $1 and s.account_id = $2 and ${sessionLives('$3')}`
  return (await db.maybe(raw(text, [sessionId, accountId, now]))) !== undefined
}

/** Returns those of the sessions that were not revoked and have not expired. `now` is ISO 8601. */
export async function findLiveSessions(db: Sql, sessionIds: readonly string[], now: string): Promise<Set<string>> {
  const text = `select s.id from sessions s where s.id = any($1::uuid[]) and ${sessionLives('$2')}`
  return new Set((await db.all(raw<{ id: string }>(text, [sessionIds, now]))).map(({ id }) => id))
}

/**
 * Returns the time of the sign-in, ISO 8601. Returns undefined if the session is unknown or belongs to another account.
 */
export async function findSignInTime(db: Sql, sessionId: string | undefined, accountId: string) {
  if (sessionId === undefined || !isUuid(sessionId)) return undefined
  const text = 'select created_at from sessions where id = $1 and account_id = $2'
  return (await db.maybe(raw<{ created_at: string }>(text, [sessionId, accountId])))?.created_at
}
