import type { Credential } from './credential.ts'
import type { Schema } from './operation.ts'

/** The tokens of a signed-in person. `expires_at` is when the access token expires (Unix time in ms). */
export interface SessionTokens {
  access_token: string
  refresh_token: string
  expires_at: number
}

export interface SessionOptions {
  tokens: SessionTokens
  /** Exchanges a refresh token for new tokens. A client without a credential can do this with `client.call('refresh', …)`. */
  refresh: (refreshToken: string) => Promise<SessionTokens>
  /**
   * Called with new tokens before they are used. Store them, because the previous refresh token no longer works. If it fails, the call
   * fails, and the next call calls it again with the same tokens.
   */
  onRefresh?: (tokens: SessionTokens) => void | Promise<void>
}

// Refreshes early, so that a token does not expire on its way to the server.
const earlyMs = 30_000

/** Converts a session from an API response to tokens. @throws TypeError for a session whose refresh token is in a cookie */
export function tokensOf(
  { access_token, refresh_token, expires_in }: Schema<'Session'>,
  now = Date.now(),
): SessionTokens {
  if (refresh_token === undefined) throw new TypeError('the session has no refresh token, because it is in a cookie')
  return { access_token, refresh_token, expires_at: now + expires_in * 1000 }
}

/**
 * A credential from a person's session. Concurrent calls share one refresh, because a refresh token that is sent twice ends the
 * session. A failed refresh fails every call that waits for it. The next call tries to refresh again.
 */
export function session({ tokens, refresh, onRefresh }: SessionOptions): Credential {
  let current = tokens
  /** Whether `onRefresh` has not stored `current` yet. */
  let isUnstored = false
  let refreshing: Promise<string> | undefined

  const refreshOnce = (): Promise<string> => {
    refreshing ??= exchange().finally(() => {
      refreshing = undefined
    })
    return refreshing
  }
  const exchange = async () => {
    // `current` is new if `onRefresh` could not store it. Its tokens are stored first, and not exchanged again.
    if (!isUnstored) current = await refresh(current.refresh_token)
    isUnstored = true
    await onRefresh?.(current)
    isUnstored = false
    return current.access_token
  }

  return {
    token: () => (isUnstored || Date.now() >= current.expires_at - earlyMs ? refreshOnce() : current.access_token),
    // Another call may have refreshed the token since this call sent it.
    renew: async (refused) => (isUnstored || refused === current.access_token ? refreshOnce() : current.access_token),
  }
}
