import { randomBytes } from 'node:crypto'

/**
 * What a browser that begins a federated sign-in keeps: a secret of its own, without which the code that comes back is
 * worth nothing, and for Google the state and the invitation it is for.
 */
export interface SignInAttempt {
  secret: string
  state?: string | undefined
  invitation?: string | undefined
}

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
  return cookie(publicUrl, parts.join('.'), lifetimeSeconds)
}

export function clearCookie(publicUrl: string): string {
  return cookie(publicUrl, '', 0)
}

export function readCookie(publicUrl: string, header: string | undefined): SignInAttempt | null {
  const name = `${cookieName(publicUrl)}=`
  const pair = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(name))
  const [secret, state, invitation] = pair?.slice(name.length).split('.') ?? []
  if (!secret) return null
  const decoded = Buffer.from(invitation ?? '', 'base64url').toString()
  return { secret, state: state || undefined, invitation: decoded || undefined }
}

function cookie(publicUrl: string, value: string, maxAgeSeconds: number): string {
  const attributes = [`Max-Age=${maxAgeSeconds}`, 'Path=/', 'HttpOnly', 'SameSite=Lax']
  if (isHttps(publicUrl)) attributes.push('Secure')
  return [`${cookieName(publicUrl)}=${value}`, ...attributes].join('; ')
}

function cookieName(publicUrl: string): string {
  return isHttps(publicUrl) ? '__Host-mandate_sign_in' : 'mandate_sign_in'
}

function isHttps(publicUrl: string): boolean {
  return publicUrl.startsWith('https:')
}
