import { randomBytes } from 'node:crypto'
import type { Sql } from '../db/database.ts'
import { newId } from '../db/ids/new-id.ts'
import { digest } from '../security/credentials.ts'
import type { SessionClient } from './client-of-session.ts'
import { insertSession, insertToken } from './token-queries.ts'

/** Lifetime in seconds of a code in a redirect. */
export const codeSeconds = 60

const dayMs = 24 * 60 * 60 * 1000

/** How long a session may last. It ends after `sessionDays` days, or after `sessionIdleDays` days without a refresh. */
export interface SessionLifetimes {
  sessionDays: number
  sessionIdleDays: number
}

export interface NewSession {
  accountId: string
  client: SessionClient
  /** ISO 8601. */
  now: string
  lifetimes: SessionLifetimes
}

/** A refresh token and the time at which it expires, ISO 8601. */
export interface RefreshToken {
  value: string
  expiresAt: string
}

/** Starts a session and issues its first refresh token. A token can be used once. Only its digest is stored. */
export async function startSession(db: Sql, person: NewSession) {
  const sessionId = newId()
  const { now, lifetimes } = person
  const endsAt = await insertLastingSession(db, sessionId, person)
  return { sessionId, refreshToken: await issueRefreshToken(db, { sessionId, now, endsAt, lifetimes }) }
}

/**
 * Starts a session without a refresh token. Returns a code for a redirect URL. The browser exchanges the code for the first
 * refresh token. The code works once, for one minute, and only together with the secret in the browser's cookie. The code does
 * not work as a refresh token, because its stored hash includes the secret.
 */
export async function startSessionWithCode(db: Sql, person: NewSession, browserSecret: string): Promise<string> {
  const sessionId = newId()
  const code = randomBytes(32).toString('base64url')
  await insertLastingSession(db, sessionId, person)
  const expiresAt = later(person.now, codeSeconds)
  await insertToken(db, { hash: codeHash(code, browserSecret), sessionId, issuedAt: person.now, expiresAt })
  return code
}

/**
 * Issues another refresh token of a session. The token expires after `sessionIdleDays`, but not later than `endsAt`, which is
 * the end of the session.
 */
export async function issueRefreshToken(db: Sql, issue: TokenIssue): Promise<RefreshToken> {
  const { sessionId, now, endsAt, lifetimes, value = randomBytes(32).toString('base64url') } = issue
  const idleAt = new Date(Date.parse(now) + lifetimes.sessionIdleDays * dayMs).toISOString()
  const expiresAt = idleAt < endsAt ? idleAt : endsAt
  await insertToken(db, { hash: digest(value), sessionId, issuedAt: now, expiresAt })
  return { value, expiresAt }
}

interface TokenIssue {
  sessionId: string
  /** ISO 8601. */
  now: string
  /** The end of the session, ISO 8601. */
  endsAt: string
  lifetimes: SessionLifetimes
  /** The token. Without it, the token is random. */
  value?: string | undefined
}

export function codeHash(code: string, browserSecret: string): Buffer {
  return digest(`code:${browserSecret}:${code}`)
}

async function insertLastingSession(db: Sql, id: string, person: NewSession): Promise<string> {
  const { accountId, client, now, lifetimes } = person
  const expiresAt = new Date(Date.parse(now) + lifetimes.sessionDays * dayMs).toISOString()
  await insertSession(db, { id, accountId, createdAt: now, expiresAt, client })
  return expiresAt
}

function later(now: string, seconds: number): string {
  return new Date(Date.parse(now) + seconds * 1000).toISOString()
}
