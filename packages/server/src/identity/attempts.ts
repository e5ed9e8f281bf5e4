import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Db } from './port.ts'

/** How long a person may take to sign in at their provider. */
export const attemptLifetimeMs = 10 * 60_000

const randomLength = 12
const expiryLength = 4
const macLength = 16
const pattern = /^[\w-]{43}$/

/**
 * Started sign-ins without a stored row, because anybody may start any number of them. A token is random, carries its
 * expiry and is signed for one `context`, such as a tenant's provider.
 */
export interface Attempts {
  /** A new token: 43 characters of base64url. */
  begin(context: string, now: Date): string
  /** When a token's attempt ends, or null for a token that is forged, of another context or expired. */
  expiryOf(token: string, context: string, now: Date): Date | null
  /** A secret of an attempt, 43 characters of base64url. It cannot be derived from the token of the attempt. */
  secretOf(token: string, use: string): string
}

/** @param key 32 bytes, the same in all processes. */
export function createAttempts(key: Buffer): Attempts {
  const mac = (use: string, bytes: Buffer) => createHmac('sha256', key).update(`${use}\0`).update(bytes).digest()
  const sign = (context: string, body: Buffer) => mac(`attempt\0${context}`, body).subarray(0, macLength)
  return {
    begin(context, now) {
      const expiry = Buffer.alloc(expiryLength)
      expiry.writeUInt32BE(Math.floor((now.getTime() + attemptLifetimeMs) / 1000))
      const body = Buffer.concat([randomBytes(randomLength), expiry])
      return Buffer.concat([body, sign(context, body)]).toString('base64url')
    },
    expiryOf(token, context, now) {
      if (!pattern.test(token)) return null
      const bytes = Buffer.from(token, 'base64url')
      const body = bytes.subarray(0, randomLength + expiryLength)
      if (!timingSafeEqual(bytes.subarray(body.length), sign(context, body))) return null
      const expiry = new Date(body.readUInt32BE(randomLength) * 1000)
      return expiry > now ? expiry : null
    },
    secretOf: (token, use) => mac(`secret\0${use}`, Buffer.from(token)).toString('base64url'),
  }
}

/** Uses an attempt up. Of any number of calls with one token, `true` is the answer to the first. */
export async function spend(db: Db, token: string, expiry: Date): Promise<boolean> {
  const { rows } = await db.query(
    'insert into identity.spent_attempts (token, expires_at) values ($1, $2) on conflict do nothing returning token',
    [token, expiry],
  )
  return rows.length === 1
}
