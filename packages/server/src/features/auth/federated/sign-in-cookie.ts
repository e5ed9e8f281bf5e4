import { randomBytes } from 'node:crypto'
import { cookieValue, httpOnlyCookie } from '../account/cookie.ts'

/**
 * What a browser that begins a federated sign-in keeps: a secret of its own, without which the code that comes back is
 * worth nothing, and for Google the state and the invitation it is for.
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
 * `SameSite=Lax` is enough for SAML too: the identity provider's POST comes without the cookie and only makes a code; the
 * code is exchanged by a request of the same site. `__Host-` keeps other hosts of the domain from planting one.
 */
export function writeCookie(publicUrl: string, attempt: SignInAttempt): string {
  // The invitation is whatever the caller sent: encoded, it can neither end the value nor the header.
  const invitation = Buffer.from(attempt.invitation ?? '').toString('base64url')
  const parts = [attempt.secret, attempt.state ?? '', invitation]
  return httpOnlyCookie(publicUrl, cookieName, parts.join('.'), lifetimeSeconds)
}

export function clearCookie(publicUrl: string): string {
  return httpOnlyCookie(publicUrl, cookieName, '', 0)
}

export function readCookie(publicUrl: string, header: string | undefined): SignInAttempt | null {
  const [secret, state, invitation] = cookieValue(publicUrl, cookieName, header)?.split('.') ?? []
  if (!secret) return null
  const decoded = Buffer.from(invitation ?? '', 'base64url').toString()
  return { secret, state: state || undefined, invitation: decoded || undefined }
}
