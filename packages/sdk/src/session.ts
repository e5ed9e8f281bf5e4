import type { Credential } from './credential.ts'
import type { Schema } from './operation.ts'

/** The tokens of a signed-in person, and when the access token runs out (milliseconds since 1970). */
export interface SessionTokens {
  access_token: string
  refresh_token: string
  expires_at: number
}

export interface SessionOptions {
  tokens: SessionTokens
  /** Exchanges a refresh token for the next session, such as by `client.call('refresh', …)` of a client without credential. */
  refresh: (refreshToken: string) => Promise<SessionTokens>
  /** Told of every new pair before it is used, so that it can be kept: a refresh token serves once. */
  onRefresh?: (tokens: SessionTokens) => void | Promise<void>
}

// Refreshed a little early, so that a token does not run out on its way.
const earlyMs = 30_000

/** The tokens of a session as the service answers it. */
export function tokensOf(
  { access_token, refresh_token, expires_in }: Schema<'Session'>,
  now = Date.now(),
): SessionTokens {
  return { access_token, refresh_token, expires_at: now + expires_in * 1000 }
}

/**
 * A person's session. Calls that need a new token at the same time share one refresh, for a refresh token that is sent
 * twice ends the session. A refresh that fails is the failure of every call that waited for it, and is tried anew by the next.
 */
export function session({ tokens, refresh, onRefresh }: SessionOptions): Credential {
  let current = tokens
  let refreshing: Promise<string> | undefined

  const refreshOnce = (): Promise<string> => {
    refreshing ??= exchange().finally(() => {
      refreshing = undefined
    })
    return refreshing
  }
  const exchange = async () => {
    const next = await refresh(current.refresh_token)
    await onRefresh?.(next)
    current = next
    return next.access_token
  }

  return {
    token: () => (Date.now() < current.expires_at - earlyMs ? current.access_token : refreshOnce()),
    // Another call may have refreshed while this one's answer was under way.
    renew: async (refused) => (refused === current.access_token ? refreshOnce() : current.access_token),
  }
}
