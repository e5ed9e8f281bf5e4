import { randomBytes } from 'node:crypto'
import { cookieValue, httpOnlyCookie, isHttps } from '../../../http/cookies/cookies.ts'

/**
 * What the cookie stores in the browser during a federated sign-in. The code that the browser gets at the end works only together
 * with `secret`. A Google sign-in also stores the OAuth state and the invitation.
 */
export interface SignInAttempt {
  secret: string
  state?: string | undefined
  invitation?: string | undefined
}

const cookieName = 'mandate_sign_in'
const lifetimeSeconds = 15 * 60

export function newBrowserSecret(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * `SameSite=Lax` is enough for SAML. The identity provider's POST arrives without the cookie and only creates a code. The code is
 * exchanged by a same-site request. `__Host-` prevents other hosts of the domain from setting the cookie.
 */
export function writeCookie(publicUrl: string, attempt: SignInAttempt): string {
  // The invitation is text from the request. It is encoded, so that it cannot end the cookie value or the header.
  const invitation = Buffer.from(attempt.invitation ?? '').toString('base64url')
  const parts = [attempt.secret, attempt.state ?? '', invitation]
  return cookie(publicUrl, parts.join('.'), lifetimeSeconds)
}

export function clearCookie(publicUrl: string): string {
  return cookie(publicUrl, '', 0)
}

function cookie(publicUrl: string, value: string, maxAgeSeconds: number): string {
  return httpOnlyCookie({ name: cookieName, value, maxAgeSeconds, sameSite: 'lax', secure: isHttps(publicUrl) })
}

export function readCookie(publicUrl: string, header: string | undefined): SignInAttempt | null {
  const [secret, state, invitation] = cookieValue(header, cookieName, isHttps(publicUrl))?.split('.') ?? []
  if (!secret) return null
  const decoded = Buffer.from(invitation ?? '', 'base64url').toString()
  return { secret, state: state || undefined, invitation: decoded || undefined }
}
