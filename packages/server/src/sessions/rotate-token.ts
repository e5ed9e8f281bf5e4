import type { Tx } from '../db/database.ts'
import { digest } from '../security/credentials.ts'
import type { SuccessorOf } from '../security/successor-tokens.ts'
import type { SessionClient } from './client-of-session.ts'
import { revokeSession } from './revoke-sessions.ts'
import { codeHash, issueRefreshToken, type RefreshToken, type SessionLifetimes } from './start-session.ts'
import { type FoundToken, findTokenLocked, findTokenOfSession, markTokenUsed } from './token-queries.ts'

/** How long after its first use a refresh token of a cookie may be sent again, in milliseconds. */
const graceMs = 10_000

export interface Rotated {
  accountId: string
  sessionId: string
  /** The next refresh token. Null if the browser has it already. */
  refreshToken: RefreshToken | null
}

/** The request that uses a token. */
export interface TokenUse {
  client: SessionClient
  /** ISO 8601. */
  now: string
  lifetimes: SessionLifetimes
  /**
   * Set if the token is in a cookie. The tabs of a browser share a cookie, so several of them may send the same token at the same
   * time.
   */
  successorOf?: SuccessorOf | undefined
}

/**
 * Marks a refresh token as used and issues the next token of its session. Returns null for an unknown, expired or revoked
 * token. Also returns null for a token that was used before, and ends its session, because the token has probably been stolen.
 * A token in a cookie may be sent again for a few seconds after its use. It then leads to the same next token, so that two
 * tabs never hold different tokens.
 * The caller must commit the transaction in all cases.
 */
export function rotateRefreshToken(tx: Tx, token: string, use: TokenUse): Promise<Rotated | null> {
  return rotate(tx, digest(token), { ...use, successor: use.successorOf?.(token) })
}

/** Redeems a code from `startSessionWithCode`. Otherwise works like `rotateRefreshToken`. A code is never accepted again. */
export function exchangeCode(tx: Tx, code: string, browserSecret: string, use: TokenUse): Promise<Rotated | null> {
  return rotate(tx, codeHash(code, browserSecret), use)
}

interface Rotation extends TokenUse {
  /** The next token. Without it, the next token is random, and the token cannot be sent again. */
  successor?: string | undefined
}

async function rotate(tx: Tx, hash: Buffer, use: Rotation): Promise<Rotated | null> {
  const { client, now, lifetimes, successor } = use
  const found = await findTokenLocked(tx, hash)
  if (!found || found.revoked_at !== null || found.renewal_ended_at !== null) return null
  const { session_id: sessionId, account_id: accountId, session_ends_at: endsAt } = found
  if (found.used_at !== null) {
    const refreshToken = await issuedBefore(tx, found, found.used_at, use)
    if (refreshToken !== undefined) return { accountId, sessionId, refreshToken }
    await revokeSession(tx, sessionId, now)
    return null
  }
  if (found.expires_at <= now || endsAt <= now || isIdle(found.issued_at, now, lifetimes)) return null
  await markTokenUsed(tx, hash, now, client)
  const issue = { sessionId, now, endsAt, lifetimes, value: successor }
  return { accountId, sessionId, refreshToken: await issueRefreshToken(tx, issue) }
}

/**
 * Returns the token that an earlier request got for a token which was used a moment ago. Returns null if the browser has used that
 * next token too. Returns undefined if the token must not be sent again.
 */
async function issuedBefore(
  tx: Tx,
  { session_id: sessionId, session_ends_at: endsAt }: FoundToken,
  usedAt: string,
  { now, successor }: Rotation,
): Promise<RefreshToken | null | undefined> {
  if (successor === undefined || Date.parse(now) - Date.parse(usedAt) > graceMs || endsAt <= now) return undefined
  const next = await findTokenOfSession(tx, sessionId, digest(successor))
  // The token was used without a cookie, and a random token followed.
  if (!next) return undefined
  return next.used_at === null ? { value: successor, expiresAt: next.expires_at } : null
}

/**
 * True if the session was idle for longer than the configured idle time. The current configuration also applies to tokens that
 * were issued when a longer idle time was configured.
 */
function isIdle(issuedAt: string, now: string, { sessionIdleDays }: SessionLifetimes): boolean {
  return Date.parse(now) - Date.parse(issuedAt) > sessionIdleDays * 24 * 60 * 60 * 1000
}
