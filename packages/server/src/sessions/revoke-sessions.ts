import type { Sql } from '../db/database.ts'
import { raw } from '../db/statements/statement.ts'
import { endEpoch } from './account-epoch.ts'
import { sessionInUse } from './live-session.ts'

/**
 * Ends all sessions of an account, except the session `keep` if it is given. The refresh tokens of ended sessions stop working,
 * and endpoints that need a live session refuse their access tokens. A sign-in that is not complete when this function runs can
 * no longer open a session. `now` is ISO 8601. Returns how many sessions were in use until now.
 */
export async function revokeSessionsOfAccount(db: Sql, accountId: string, now: string, keep?: string): Promise<number> {
  await endEpoch(db, accountId)
  const { ended } = await db.one(raw<{ ended: number }>(revocation, [accountId, now, keep ?? null]))
  return ended
}

const revocation = `with ended as (
    update sessions set revoked_at = $2 where account_id = $1 and revoked_at is null and ($3::uuid is null or id <> $3)
    returning id, expires_at, last_used_at, renewal_ended_at
  ) select count(*) as ended from ended s where ${sessionInUse('$2')}`

/**
 * Prevents all sessions of an account from being refreshed. Each session stays valid until its current access token expires.
 * The person must then sign in again.
 */
export async function endRenewalOfSessions(db: Sql, accountId: string, now: string): Promise<void> {
  await db.all(raw(endOfRenewal, [accountId, now]))
}

// Locks the sessions in the order of their ids, as `lockLiveSessions` does. Two transactions can then not deadlock.
const endOfRenewal = `with due as (
    select id from sessions where account_id = $1 and renewal_ended_at is null order by id for update
  ) update sessions s set renewal_ended_at = $2 from due where s.id = due.id`

/** Ends one session. Does nothing if it has already ended. */
export async function revokeSession(db: Sql, sessionId: string, now: string): Promise<void> {
  await db.all(raw('update sessions set revoked_at = $2 where id = $1 and revoked_at is null', [sessionId, now]))
}
