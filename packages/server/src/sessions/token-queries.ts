import type { Sql } from '../db/database.ts'
import { raw } from '../db/statements/statement.ts'
import type { SessionClient } from './client-of-session.ts'

export interface SessionRow {
  id: string
  accountId: string
  createdAt: string
  expiresAt: string
  client: SessionClient
}

export function insertSession(db: Sql, { id, accountId, createdAt, expiresAt, client }: SessionRow) {
  return db.all(
    raw(
      `insert into sessions (id, account_id, created_at, last_used_at, expires_at, ip, user_agent)
       values ($1, $2, $3, $3, $4, $5, $6)`,
      [id, accountId, createdAt, expiresAt, client.ip, client.userAgent],
    ),
  )
}

export interface TokenRow {
  hash: Buffer
  sessionId: string
  issuedAt: string
  expiresAt: string
}

export function insertToken(db: Sql, token: TokenRow) {
  return db.all(
    raw('insert into refresh_tokens (token_hash, session_id, issued_at, expires_at) values ($1, $2, $3, $4)', [
      token.hash,
      token.sessionId,
      token.issuedAt,
      token.expiresAt,
    ]),
  )
}

export interface FoundToken {
  session_id: string
  account_id: string
  issued_at: string
  expires_at: string
  used_at: string | null
  revoked_at: string | null
  renewal_ended_at: string | null
  session_ends_at: string
}

/**
 * Finds a token and its session, and locks both rows. If two requests send the same token at the same time, the second request
 * sees the changes of the first.
 */
export function findTokenLocked(db: Sql, hash: Buffer) {
  return db.maybe(
    raw<FoundToken>(
      `select t.session_id, s.account_id, t.issued_at, t.expires_at, t.used_at, s.revoked_at, s.renewal_ended_at,
         s.expires_at as session_ends_at
       from refresh_tokens t join sessions s on s.id = t.session_id where t.token_hash = $1 for update`,
      [hash],
    ),
  )
}

/** Finds a token of a session. The row of the session must be locked. */
export function findTokenOfSession(db: Sql, sessionId: string, hash: Buffer) {
  return db.maybe(
    raw<{ used_at: string | null; expires_at: string }>(
      'select used_at, expires_at from refresh_tokens where token_hash = $1 and session_id = $2',
      [hash, sessionId],
    ),
  )
}

/** Marks a token as used, and stores in its session when it was used and by which client. */
export function markTokenUsed(db: Sql, hash: Buffer, now: string, { ip, userAgent }: SessionClient) {
  return db.all(
    raw(
      `with used as (update refresh_tokens set used_at = $2 where token_hash = $1 returning session_id)
       update sessions s set last_used_at = greatest(s.last_used_at, $2), ip = $3, user_agent = $4
       from used where s.id = used.session_id`,
      [hash, now, ip, userAgent],
    ),
  )
}
