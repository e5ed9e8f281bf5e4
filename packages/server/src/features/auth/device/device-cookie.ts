import { randomBytes } from 'node:crypto'
import { cookieValue, httpOnlyCookie, isHttps } from '../../../http/cookies/cookies.ts'

const name = 'mandate_device'
// Maximum lifetime that browsers accept for a cookie: 400 days, in seconds.
const lifetimeSeconds = 400 * 24 * 60 * 60

/** The secret in the browser's device cookie; undefined if the cookie is missing. */
export function readDeviceCookie(publicUrl: string, header: string | undefined): string | undefined {
  const secret = cookieValue(header, name, isHttps(publicUrl))
  return secret && /^[\w-]{43}$/.test(secret) ? secret : undefined
}

export function writeDeviceCookie(publicUrl: string, secret: string): string {
  return httpOnlyCookie({
    name,
    value: secret,
    maxAgeSeconds: lifetimeSeconds,
    sameSite: 'lax',
    secure: isHttps(publicUrl),
  })
}

export function newDeviceSecret(): string {
  return randomBytes(32).toString('base64url')
}
