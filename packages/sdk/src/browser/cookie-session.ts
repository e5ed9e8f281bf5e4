import type { Credential } from '../credential.ts'
import { isUnauthorized, type MandateError } from '../mandate-error.ts'
import type { Schema } from '../operation.ts'
import { type AccessToken, shareTokens } from './share-token.ts'

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
 * Creates the session of a browser. `refresh` calls the endpoint that reads the cookie. Concurrent calls share one refresh, and so do
 * the tabs of a browser that has Web Locks. `origin` names the lock. If the session has ended, the calls wait for `onEnd`, and continue
 * with the session that the person has opened meanwhile.
 */
export function cookieSession(
  origin: string,
  refresh: () => Promise<Schema<'Session'>>,
  onEnd?: (error: MandateError) => Promise<void>,
): CookieSession {
  let token: AccessToken | undefined
  let refreshing: Promise<string> | undefined
  // Counts sign-ins and sign-outs. The answer to a refresh that began before one of them must not replace its result.
  let changes = 0

  const name = `mandate session of ${origin}`
  const shared = shareTokens(name, (other) => {
    // A tab that has signed out must not get the token of a refresh that began before.
    if ((token || refreshing) && other.expiresAt > (token?.expiresAt ?? 0)) token = other
  })
  const keep = ({ access_token, expires_in }: Schema<'Session'>) => {
    token = { value: access_token, expiresAt: Date.now() + expires_in * 1000 }
  }
  const refreshOnce = (refused?: string): Promise<string> => {
    refreshing ??= renewed(refused).finally(() => {
      refreshing = undefined
    })
    return refreshing
  }
  const renewed = async (refused: string | undefined): Promise<string> => {
    for (;;) {
      try {
        return await inTurn(name, async (hasWaited) => {
          if (hasWaited && usable(refused) === undefined) await shared.wait()
          return usable(refused) ?? (await exchange())
        })
      } catch (error) {
        if (!onEnd || !isUnauthorized(error)) throw error
        await onEnd(error)
      }
      // The person signed in with this client, or in another tab, which has renewed the cookie.
      const now = usable(refused)
      if (now !== undefined) return now
    }
  }
  const exchange = async () => {
    const before = changes
    const next = await refresh()
    if (before === changes) {
      keep(next)
      if (token) shared.give(token)
    }
    return next.access_token
  }
  const current = () => (token && Date.now() < token.expiresAt - earlyMs ? token.value : undefined)
  /** The token, if it is not the one that the service refused. */
  const usable = (refused: string | undefined) => {
    const now = current()
    return now === refused ? undefined : now
  }

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
    renew: async (refused) => usable(refused) ?? refreshOnce(refused),
  }
}

interface Locks {
  request<T>(name: string, options: object, work: (lock: unknown) => Promise<T>): Promise<T>
}

// A tab that holds the lock may be suspended. The service accepts tabs that refresh at the same time, so nobody has to wait longer.
const lockMs = 5_000

/** Does the work while no other tab does it. The work is told whether another tab had to finish first. */
async function inTurn<T>(name: string, work: (hasWaited: boolean) => Promise<T>): Promise<T> {
  const { locks } = (globalThis.navigator ?? {}) as { locks?: Locks }
  if (!locks) return await work(false)
  let started = false
  const start = (hasWaited: boolean) => {
    started = true
    return work(hasWaited)
  }
  try {
    const first = await locks.request(name, { ifAvailable: true }, async (lock) =>
      lock ? { result: await start(false) } : undefined,
    )
    if (first) return first.result
    return await locks.request(name, { signal: AbortSignal.timeout(lockMs) }, () => start(true))
  } catch (error) {
    if (started) throw error
    return await work(false)
  }
}
