import { createHash } from 'node:crypto'
import type { Db } from '../port.ts'

const LIFETIME_MS = 10 * 60_000

export type OidcAttempt = { codeVerifier: string; nonce: string; redirectUri: string }

export async function rememberAttempt(db: Db, state: string, attempt: OidcAttempt, now: Date): Promise<void> {
  await db.query(
    `insert into identity.oidc_states (state_hash, code_verifier, nonce, redirect_uri, expires_at)
     values ($1, $2, $3, $4, $5)`,
    [hashState(state), attempt.codeVerifier, attempt.nonce, attempt.redirectUri, new Date(now.getTime() + LIFETIME_MS)],
  )
}

/** Uses an attempt up; `null` when there is none, it has expired or it was taken before. */
export async function takeAttempt(db: Db, state: string, now: Date): Promise<OidcAttempt | null> {
  const { rows } = await db.query(
    `delete from identity.oidc_states where state_hash = $1 and expires_at > $2
     returning code_verifier, nonce, redirect_uri`,
    [hashState(state), now],
  )
  const row = rows[0]
  return row ? { codeVerifier: row.code_verifier, nonce: row.nonce, redirectUri: row.redirect_uri } : null
}

function hashState(state: string): Buffer {
  return createHash('sha256').update(state).digest()
}
