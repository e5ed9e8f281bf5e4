import { createHmac, hkdfSync } from 'node:crypto'

/**
 * Computes the refresh token that follows a refresh token of a cookie session. The result is the same for each call, so two tabs
 * that send the same token at the same time get the same next token, although the database stores only digests.
 */
export type SuccessorOf = (refreshToken: string) => string

/** Derives the key from the secret of the access tokens. Without the secret, nobody can compute a successor. */
export function createSuccessorTokens(secret: Buffer): SuccessorOf {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'refresh token successors', 32))
  return (refreshToken) => createHmac('sha256', key).update(refreshToken).digest('base64url')
}
