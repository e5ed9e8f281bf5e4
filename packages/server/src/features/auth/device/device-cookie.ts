import { randomBytes } from 'node:crypto'
import { cookieValue, httpOnlyCookie } from '../account/cookie.ts'

const name = 'mandate_device'
// What browsers keep a cookie for at most.
const lifetimeSeconds = 400 * 24 * 60 * 60

/** The secret by which a browser is known again; undefined for a browser without one. */
export function readDeviceCookie(publicUrl: string, header: string | undefined): string | undefined {
  const secret = cookieValue(publicUrl, name, header)
  return secret && /^[\w-]{43}$/.test(secret) ? secret : undefined
}

export function writeDeviceCookie(publicUrl: string, secret: string): string {
  return httpOnlyCookie(publicUrl, name, secret, lifetimeSeconds)
}

export function newDeviceSecret(): string {
  return randomBytes(32).toString('base64url')
}
