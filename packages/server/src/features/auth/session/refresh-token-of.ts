import type { CookieSession } from '../../../http/cookies/session-cookie.ts'
import { invalid } from '../../../refusal.ts'

/**
 * Returns the refresh token of a request, from the session cookie or from the body. Returns undefined if a browser sends no cookie.
 * @throws 400 if neither the header `Mandate-Session` nor a token is sent, and if both are sent
 */
export function refreshTokenOf(
  { refresh_token: token }: { refresh_token?: string | undefined },
  cookieSession: CookieSession | null,
): string | undefined {
  if (cookieSession === null && token === undefined) throw invalid('refresh_token is required')
  if (cookieSession === null) return token
  if (token !== undefined) throw invalid('refresh_token must be left out with the header Mandate-Session')
  return cookieSession.token
}
