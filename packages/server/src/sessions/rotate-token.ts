import type { Tx } from '../db/database.ts'
import { digest } from '../security/credentials.ts'
import type { SessionClient } from './client-of-session.ts'
import { revokeSession } from './revoke-sessions.ts'
import { codeHash, issueRefreshToken, type SessionLifetimes } from './start-session.ts'
import { findTokenLocked, markTokenUsed } from './token-queries.ts'

export interface Rotated {
  accountId: string
  sessionId: string
  refreshToken: string
}

/** The request that uses a token. */
export interface TokenUse {
  client: SessionClient
  /** ISO 8601. */
  now: string
  lifetimes: SessionLifetimes
}

/**
 * Marks a refresh token as used and issues the next token of its session. Returns null for an unknown, expired or revoked
 * token. Also returns null for a token that was used before, and ends its session, because the token has probably been stolen.
 * The caller must commit the transaction in all cases.
 */
export function rotateRefreshToken(tx: Tx, token: string, use: TokenUse): Promise<Rotated | null> {
  return rotate(tx, digest(token), use)
}

/** Redeems a code from `startSessionWithCode`. Otherwise works like `rotateRefreshToken`. */
export function exchangeCode(tx: Tx, code: string, browserSecret: string, use: TokenUse): Promise<Rotated | null> {
  return rotate(tx, codeHash(code, browserSecret), use)
}

async function rotate(tx: Tx, hash: Buffer, { client, now, lifetimes }: TokenUse): Promise<Rotated | null> {
  const found = await findTokenLocked(tx, hash)
  if (!found || found.revoked_at !== null || found.renewal_ended_at !== null) return null
  const { session_id: sessionId, account_id: accountId } = found
  if (found.used_at !== null) {
    await revokeSession(tx, sessionId, now)
    return null
  }
  const endsAt = found.session_ends_at
  if (found.expires_at <= now || endsAt <= now || isIdle(found.issued_at, now, lifetimes)) return null
  await markTokenUsed(tx, hash, now, client)
  return { accountId, sessionId, refreshToken: await issueRefreshToken(tx, sessionId, now, endsAt, lifetimes) }
}

/**
 * True if the session was idle for longer than the configured idle time. The current configuration also applies to tokens that
 * were issued when a longer idle time was configured.
 */
function isIdle(issuedAt: string, now: string, { sessionIdleDays }: SessionLifetimes): boolean {
  return Date.parse(now) - Date.parse(issuedAt) > sessionIdleDays * 24 * 60 * 60 * 1000
}
