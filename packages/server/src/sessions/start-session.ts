import { randomBytes } from 'node:crypto'
import type { Sql } from '../db/database.ts'
import { newId } from '../db/new-id.ts'
import { digest } from '../security/credentials.ts'
import { insertSession, insertToken } from './token-queries.ts'

/** Lifetime of a refresh token. */
export const refreshTokenDays = 30
/** Lifetime of a code that stands in a redirect. */
export const codeSeconds = 60

export interface NewSession {
  accountId: string
  ip: string
  userAgent: string
  /** ISO 8601. */
  now: string
}

/** Begins a session: a family of refresh tokens, each used once. Only the digest of a token is stored. */
export async function startSession(db: Sql, person: NewSession): Promise<{ sessionId: string; refreshToken: string }> {
  const sessionId = newId()
  await insertSession(db, { id: sessionId, createdAt: person.now, ...person })
  return { sessionId, refreshToken: await issueRefreshToken(db, sessionId, person.now) }
}

/**
 * Begins a session whose first token is a code for a redirect: for one minute, once, and only together with the secret
 * that the browser keeps in a cookie. It is no refresh token, for the secret is part of what is stored.
 */
export async function startSessionWithCode(db: Sql, person: NewSession, browserSecret: string): Promise<string> {
  const sessionId = newId()
  const code = randomBytes(32).toString('base64url')
  await insertSession(db, { id: sessionId, createdAt: person.now, ...person })
  const expiresAt = later(person.now, codeSeconds)
  await insertToken(db, { hash: codeHash(code, browserSecret), sessionId, issuedAt: person.now, expiresAt })
  return code
}

/** A further refresh token of a session. */
export async function issueRefreshToken(db: Sql, sessionId: string, now: string): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const expiresAt = later(now, refreshTokenDays * 24 * 60 * 60)
  await insertToken(db, { hash: digest(token), sessionId, issuedAt: now, expiresAt })
  return token
}

export function codeHash(code: string, browserSecret: string): Buffer {
  return digest(`code:${browserSecret}:${code}`)
}

function later(now: string, seconds: number): string {
  return new Date(Date.parse(now) + seconds * 1000).toISOString()
}
