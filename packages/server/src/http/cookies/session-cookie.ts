import type { Endpoint } from '@mandate/contract/endpoint/endpoint'
import { forbidden, invalid } from '../../refusal.ts'
import { isLoopback } from '../../security/loopback.ts'
import { cookieValues, httpOnlyCookie } from './cookies.ts'

const cookieName = 'mandate_session'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** A request of a browser that keeps its refresh token in the session cookie. */
export interface CookieSession {
  /** The refresh token in the cookie. Undefined if there is no cookie, or if the endpoint does not read it. */
  token: string | undefined
}

/**
 * Returns the cookie session of a request. Returns null if the client keeps its refresh token itself.
 * @throws 403 for a request with the session cookie and without the header `Mandate-Session`, and for a request of another site;
 *   400 for a malformed header and for two session cookies
 */
export function cookieSessionOf(endpoint: Endpoint, headers: Headers, publicUrl: string): CookieSession | null {
  if (!endpoint.cookieSession) return null
  const tokens = endpoint.cookieSession === 'accepts' ? sessionCookies(headers, publicUrl) : []
  const mode = headers['mandate-session']
  // Only a program of the same origin can set the header, so the header is a protection against cross-site requests.
  if (mode === undefined && tokens.length === 0) return null
  if (mode === undefined) throw forbidden('a request with the session cookie needs the header Mandate-Session: cookie')
  if (mode !== 'cookie') throw invalid('the header Mandate-Session must be cookie')
  requireSameOrigin(headers, publicUrl)
  if (tokens.length > 1) throw invalid(`the cookie ${cookieName} must not be sent more than once`)
  return { token: tokens[0] }
}

/** The `Set-Cookie` value that stores a refresh token in the browser. */
export function writeSessionCookie(publicUrl: string, token: string, maxAgeSeconds: number): string {
  return httpOnlyCookie({
    name: cookieName,
    value: token,
    maxAgeSeconds,
    sameSite: 'strict',
    secure: isSecure(publicUrl),
  })
}

/** The `Set-Cookie` value that removes the refresh token from the browser. */
export function clearSessionCookie(publicUrl: string): string {
  return writeSessionCookie(publicUrl, '', 0)
}

function sessionCookies({ cookie }: Headers, publicUrl: string): string[] {
  return cookieValues(typeof cookie === 'string' ? cookie : undefined, cookieName, isSecure(publicUrl))
}

/** Browsers send `Sec-Fetch-Site` and `Origin`, and scripts cannot change them. Programs that are not browsers send neither. */
function requireSameOrigin(headers: Headers, publicUrl: string): void {
  const site = headers['sec-fetch-site']
  const { origin } = new URL(publicUrl)
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw forbidden('requests of other sites are refused: Sec-Fetch-Site must be same-origin or none')
  if (headers.origin !== undefined && headers.origin !== origin)
    throw forbidden(`requests of other sites are refused: Origin must be ${origin}, which is the origin of PUBLIC_URL`)
}

/** Browsers accept secure cookies over https. On a loopback address, http needs no protection, and some browsers refuse secure cookies there. */
function isSecure(publicUrl: string): boolean {
  const url = new URL(publicUrl)
  return !(url.protocol === 'http:' && isLoopback(url))
}
