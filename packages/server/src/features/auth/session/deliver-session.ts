import type { Session } from '@mandate/contract/auth'
import type { User } from '@mandate/contract/users'
import type { Ctx } from '../../../caller/ctx.ts'
import { type CookieSession, clearSessionCookie, writeSessionCookie } from '../../../http/cookies/session-cookie.ts'
import { Reply } from '../../../http/routes/route.ts'
import { Refusal } from '../../../refusal.ts'
import { accessTokenSeconds } from '../../../security/access-tokens.ts'
import type { RefreshToken } from '../../../sessions/start-session.ts'

/** The tokens of a session, before they are delivered to the client. */
export interface IssuedSession {
  accessToken: string
  /** Null if the browser has the token already. */
  refreshToken: RefreshToken | null
}

/** A person who has signed in. */
export interface SignedIn {
  session: IssuedSession
  user: User
}

type Context = Pick<Ctx<null>, 'services' | 'now'>

/** Replaces the session of an answer by its response. The refresh token goes into the body, or into the cookie of the browser. */
export function deliverSession<A extends { session: IssuedSession }>(
  { services, now }: Context,
  cookieSession: CookieSession | null,
  { session: { accessToken, refreshToken }, ...rest }: A,
) {
  const inBody = cookieSession === null && refreshToken !== null
  const session: Session = {
    access_token: accessToken,
    ...(inBody && { refresh_token: refreshToken.value }),
    token_type: 'Bearer',
    expires_in: accessTokenSeconds,
  }
  const cookies: string[] = []
  if (cookieSession !== null && refreshToken !== null) {
    const seconds = Math.floor((Date.parse(refreshToken.expiresAt) - Date.parse(now)) / 1000)
    cookies.push(writeSessionCookie(services.config.publicUrl, refreshToken.value, Math.max(seconds, 0)))
  }
  return { answer: { ...rest, session }, cookies }
}

/** Refreshes a session. If its refresh token was in the cookie and is not valid, the response removes the cookie. */
export async function deliverRefreshed(
  ctx: Context,
  cookieSession: CookieSession | null,
  refresh: () => Promise<{ session: IssuedSession }>,
): Promise<Reply<{ session: Session }>> {
  try {
    const { answer, cookies } = deliverSession(ctx, cookieSession, await refresh())
    return new Reply(answer, cookies.length > 0 ? { headers: { 'set-cookie': cookies } } : {})
  } catch (refusal) {
    const isInvalid = refusal instanceof Refusal && refusal.status === 401
    if (!isInvalid || cookieSession?.token === undefined) throw refusal
    const headers = { 'set-cookie': clearSessionCookie(ctx.services.config.publicUrl) }
    throw new Refusal(401, refusal.message, { headers })
  }
}
