import type { Actor } from '../authz/actor.ts'
import type { Sql, Tx } from '../db/database.ts'
import { invalidKey, Refusal } from '../refusal.ts'
import { isLiveSession } from '../sessions/live-session.ts'
import { failUnlessKeyLives, failUnlessSessionLives, keyRefused, sessionRefused } from './caller-queries.ts'

/** The refusal for a person whose session was revoked or has expired. */
export const sessionEnded = () => new Refusal(401, 'this session has ended; sign in again')

/**
 * Throws 401 for a person whose session was revoked or has expired. Does nothing for an API key. Reads the database. `now` is
 * ISO 8601.
 */
export async function requireSessionLive(db: Sql, actor: Actor, now: string): Promise<void> {
  if (actor.kind === 'person' && !(await isLiveSession(db, actor.sessionId, actor.accountId, now))) throw sessionEnded()
}

/**
 * Makes the same check as `requireSessionLive`, but inside a transaction, as its last statement. The check locks the session,
 * so a sign-out waits until the transaction has committed. The session can therefore store nothing after the response to the
 * sign-out was sent.
 */
export async function requireSessionStillLive(tx: Tx, actor: Actor | null, now: string): Promise<void> {
  if (actor?.kind === 'person') await failUnlessSessionLives(tx, actor.sessionId, actor.accountId, now)
}

/**
 * The last check of every change that is made with an API key. Fails if the key was revoked or deleted after the request was
 * admitted. The check locks the key, so a revocation waits until this change is committed. No change can therefore be committed
 * after its key was revoked. If the whole tenant is gone, this change itself deleted it, and the check passes.
 */
export async function requireKeyStillLive(tx: Tx, actor: Actor | null): Promise<void> {
  if (actor?.kind === 'api_key' && actor.key) await failUnlessKeyLives(tx, actor.key.id)
}

/**
 * Converts the database error of `requireSessionStillLive` or `requireKeyStillLive` to the 401 refusal for the caller. Returns
 * other errors unchanged.
 */
export function explainCallerRefusal(error: unknown): unknown {
  const code = (error as { code?: unknown } | null)?.code
  if (code === keyRefused) return invalidKey()
  return code === sessionRefused ? sessionEnded() : error
}
