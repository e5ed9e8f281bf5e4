import type { Credential } from '../credential.ts'
import type { OperationId, Schema } from '../operation.ts'
import { routes } from '../routes.generated.ts'
import type { Outgoing } from '../send.ts'
import type { CookieSession } from './cookie-session.ts'

interface PreparedCall {
  outgoing: Outgoing
  credential: Credential | undefined
}

interface Route {
  path: string
  cookieSession?: true
  public?: true
}

/**
 * Adds to a call what a browser with a cookie session sends. The cookie goes only to the operations that open, refresh or end a
 * session. All other operations get the access token.
 */
export function prepareCall(session: CookieSession, operation: OperationId, outgoing: Outgoing): PreparedCall {
  const route: Route = routes[operation]
  if (!route.cookieSession) return { outgoing, credential: route.public ? undefined : session }
  // An invitation may be accepted as the person who is signed in. This needs no refresh.
  const token = operation === 'acceptInvitation' ? session.current() : undefined
  return {
    outgoing: { ...outgoing, headers: { ...outgoing.headers, 'mandate-session': 'cookie' }, withCookies: true },
    credential: token === undefined ? undefined : { token: () => token },
  }
}

/** Keeps the access token of a session that a call opened, and drops it after a sign-out. */
export function learnSession(session: CookieSession, operation: OperationId, answer: unknown): void {
  if (operation === 'signOut') session.forget()
  const route: Route = routes[operation]
  const opened = (answer as { session?: Schema<'Session'> } | undefined)?.session
  // A refresh keeps its token itself, unless the person signed out meanwhile.
  if (opened && operation !== 'refresh' && route.cookieSession) session.keep(opened)
}
