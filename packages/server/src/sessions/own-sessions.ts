import type { Sql, Tx } from '../db/database.ts'
import { raw } from '../db/statements/statement.ts'
import { sessionInUse, sessionLives } from './live-session.ts'

/** The maximum number of sessions in a list. An account may have more sessions. */
export const listedSessions = 100

export interface ListedSession {
  id: string
  created_at: string
  last_used_at: string
  ip: string | null
  user_agent: string | null
}

// The condition on `last_used_at` applies the configured idle time to tokens that were issued when a longer time was configured.
const list = `select s.id, s.created_at, s.last_used_at, s.ip, s.user_agent from sessions s
  where s.account_id = $1 and s.revoked_at is null and s.last_used_at >= $2::timestamptz - make_interval(days => $3)
    and ${sessionInUse('$2')}
  order by s.last_used_at desc, s.id desc limit ${listedSessions}`

/**
 * Returns the sessions of an account that somebody can still use, newest use first. `now` is ISO 8601. `idleDays` is the
 * configured number of days after which a session without a refresh ends.
 */
export function listSessionsInUse(db: Sql, accountId: string, now: string, idleDays: number) {
  return db.all(raw<ListedSession>(list, [accountId, now, idleDays]))
}

const lock = `select s.id from sessions s where s.account_id = $1 and s.id = any($2) and ${sessionLives('$3')}
  order by s.id for update`

/**
 * Locks those of the sessions that belong to the account and have not ended, in the order of their ids. Returns their ids. Call
 * `lockEpochForShare` first.
 */
export async function lockLiveSessions(
  tx: Tx,
  accountId: string,
  sessionIds: readonly string[],
  now: string,
): Promise<string[]> {
  const rows = await tx.all(raw<{ id: string }>(lock, [accountId, sessionIds, now]))
  return rows.map(({ id }) => id)
}
