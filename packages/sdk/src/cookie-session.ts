import type { Credential } from './credential.ts'
import type { Schema } from './operation.ts'

interface AccessToken {
  value: string
  /** Unix time in ms. */
  expiresAt: number
}

/** The session of a browser. Its refresh token is in a cookie that scripts cannot read, and its access token only in memory. */
export interface CookieSession extends Credential {
  /** The access token, if there is one. Does not refresh. */
  current(): string | undefined
  /** Uses the access token of a session that was just opened. */
  keep(session: Schema<'Session'>): void
  /** Drops the access token after a sign-out. */
  forget(): void
}

// Refreshes early, so that a token does not expire on its way to the server.
const earlyMs = 30_000

/**
 * Creates the session of a browser. `refresh` calls the endpoint that reads the cookie. Concurrent calls share one refresh, and
 * the tabs of a browser refresh one after the other, where the browser has Web Locks. `origin` names the lock.
 */
export function cookieSession(origin: string, refresh: () => Promise<Schema<'Session'>>): CookieSession {
  let token: AccessToken | undefined
  let refreshing: Promise<string> | undefined
  // Counts sign-ins and sign-outs. The answer to a refresh that began before one of them must not replace its result.
  let changes = 0

  const keep = ({ access_token, expires_in }: Schema<'Session'>) => {
    token = { value: access_token, expiresAt: Date.now() + expires_in * 1000 }
  }
  const refreshOnce = (): Promise<string> => {
    refreshing ??= inTurn(origin, exchange).finally(() => {
      refreshing = undefined
    })
    return refreshing
  }
  const exchange = async () => {
    const before = changes
    const next = await refresh()
    if (before === changes) keep(next)
    return next.access_token
  }
  const current = () => (token && Date.now() < token.expiresAt - earlyMs ? token.value : undefined)

  return {
    current,
    keep: (session) => {
      changes++
      keep(session)
    },
    forget: () => {
      changes++
      token = undefined
    },
    token: () => current() ?? refreshOnce(),
    // Another call may have refreshed the token since this call sent it.
    renew: async (refused) => {
      const now = current()
      return now === undefined || now === refused ? refreshOnce() : now
    },
  }
}

interface Locks {
  request<T>(name: string, options: { signal: AbortSignal }, work: () => Promise<T>): Promise<T>
}

// A tab that holds the lock may be suspended. The service accepts tabs that refresh at the same time, so nobody has to wait longer.
const lockMs = 5_000

async function inTurn<T>(origin: string, work: () => Promise<T>): Promise<T> {
  const { locks } = (globalThis.navigator ?? {}) as { locks?: Locks }
  if (!locks) return await work()
  let started = false
  const start = () => {
    started = true
    return work()
  }
  try {
    return await locks.request(`mandate session of ${origin}`, { signal: AbortSignal.timeout(lockMs) }, start)
  } catch (error) {
    if (started) throw error
    return await work()
  }
}
