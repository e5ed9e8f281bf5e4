import type { Actor } from '../authz/actor.ts'
import type { Sql, Tx } from '../db/database.ts'
import { raw } from '../db/statement.ts'
import { Refusal } from '../refusal.ts'
import { isLiveSession, sessionLives } from '../sessions/live-session.ts'

const stillLive = `select case when coalesce((
    select true from sessions s where s.id = $1 and s.account_id = $2 and ${sessionLives('$3')} for share
  ), false) then true else refuse_session() end`

/** PostgreSQL's code for what `refuse_session` raises. */
const sessionRefused = 'MK402'

const sessionEnded = () => new Refusal(401, 'this session has ended; sign in again')

/** 401 for a person whose session was revoked or has expired. API keys pass. Reads the database. */
export async function requireSessionLive(db: Sql, actor: Actor, now: string): Promise<void> {
  if (actor.kind === 'person' && !(await isLiveSession(db, actor.sessionId, actor.accountId, now))) throw sessionEnded()
}

/**
 * The same check inside a transaction, as its last statement. The lock makes a sign-out wait until the transaction has committed, so
 * the transaction stores nothing after the sign-out was answered.
 */
export async function requireSessionStillLive(tx: Tx, actor: Actor | null, now: string): Promise<void> {
  if (actor?.kind !== 'person') return
  await tx.all(raw(stillLive, [actor.sessionId ?? null, actor.accountId, now]))
}

/** 401 for the error that `requireSessionStillLive` makes a transaction fail with. Other errors are returned unchanged. */
export function explainSessionRefusal(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code === sessionRefused ? sessionEnded() : error
}
