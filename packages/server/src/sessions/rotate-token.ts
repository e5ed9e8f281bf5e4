import type { Tx } from '../db/database.ts'
import { digest } from '../security/credentials.ts'
import { revokeSession } from './revoke-sessions.ts'
import { codeHash, issueRefreshToken } from './start-session.ts'
import { findTokenLocked, markTokenUsed } from './token-queries.ts'

export interface Rotated {
  accountId: string
  sessionId: string
  refreshToken: string
}

/**
 * Uses a refresh token up and issues the next of its family. Null for one that is unknown, expired or revoked, and for one
 * used before: that one is in two hands, so its whole family ends. Commit the transaction in every case.
 */
export function rotateRefreshToken(tx: Tx, token: string, now: string): Promise<Rotated | null> {
  return rotate(tx, digest(token), now)
}

/** Uses up the code of `startSessionWithCode`; otherwise as `rotateRefreshToken`. */
export function exchangeCode(tx: Tx, code: string, browserSecret: string, now: string): Promise<Rotated | null> {
  return rotate(tx, codeHash(code, browserSecret), now)
}

async function rotate(tx: Tx, hash: Buffer, now: string): Promise<Rotated | null> {
  const found = await findTokenLocked(tx, hash)
  if (!found || found.revoked_at !== null) return null
  const { session_id: sessionId, account_id: accountId } = found
  if (found.used_at !== null) {
    await revokeSession(tx, sessionId, now)
    return null
  }
  if (found.expires_at <= now) return null
  await markTokenUsed(tx, hash, now)
  return { accountId, sessionId, refreshToken: await issueRefreshToken(tx, sessionId, now) }
}
