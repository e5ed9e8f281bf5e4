import type { Actor } from '../authz/actor.ts'
import type { Sql, Tx } from '../db/database.ts'
import { invalidKey, Refusal } from '../refusal.ts'
import { isLiveSession } from '../sessions/live-session.ts'
import { failUnlessKeyLives, failUnlessSessionLives, keyRefused, sessionRefused } from './caller-queries.ts'

const sessionEnded = () => new Refusal(401, 'this session has ended; sign in again')

/** 401 for a person whose session was revoked or has expired. API keys pass. Reads the database. `now` is ISO 8601. */
export async function requireSessionLive(db: Sql, actor: Actor, now: string): Promise<void> {
  if (actor.kind === 'person' && !(await isLiveSession(db, actor.sessionId, actor.accountId, now))) throw sessionEnded()
}

/**
 * The same check inside a transaction, as its last statement. The lock makes a sign-out wait until the transaction has committed, so
 * the transaction stores nothing after the sign-out was answered.
 */
export async function requireSessionStillLive(tx: Tx, actor: Actor | null, now: string): Promise<void> {
  if (actor?.kind === 'person') await failUnlessSessionLives(tx, actor.sessionId, actor.accountId, now)
}

/**
 * The last check of every change through an API key. Fails if the key was revoked or deleted after the request was admitted.
 * The share lock makes a revocation wait until this change is committed, so no change commits after its key was revoked.
 * If the whole tenant is gone, this change deleted it, and the check passes.
 */
export async function requireKeyStillLive(tx: Tx, actor: Actor | null): Promise<void> {
  if (actor?.kind === 'api_key' && actor.key) await failUnlessKeyLives(tx, actor.key.id)
}

/** 401 for the errors with which the last two checks make a transaction fail. Other errors are returned unchanged. */
export function explainCallerRefusal(error: unknown): unknown {
  const code = (error as { code?: unknown } | null)?.code
  if (code === keyRefused) return invalidKey()
  return code === sessionRefused ? sessionEnded() : error
}
