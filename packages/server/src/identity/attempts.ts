import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Db } from './port.ts'

/** Maximum time that a person may take to sign in at their identity provider. */
export const attemptLifetimeMs = 10 * 60_000

const randomLength = 12
const expiryLength = 4
const macLength = 16
const pattern = /^[\w-]{43}$/

/**
 * Attempts to sign in through an external identity provider, such as Google. An attempt is not stored when it starts, because
 * anyone may start any number of attempts. Instead, each attempt has a token with random bytes and an expiry. The token is
 * signed for one `context`, for example the identity provider of one tenant.
 */
export interface Attempts {
  /** Creates the token of a new sign-in attempt: 43 characters of base64url. */
  begin(context: string, now: Date): string
  /** Returns the time at which a token expires. Returns null if the token is forged, expired, or was created for another context. */
  expiryOf(token: string, context: string, now: Date): Date | null
  /**
   * Derives a secret from the token of a sign-in attempt: 43 characters of base64url. Each `use`, such as a nonce, gets another
   * secret. Without the key of the server, no one can derive the secret from the token.
   */
  secretOf(token: string, use: string): string
}

/**
 * Returns the functions that create and check the tokens of sign-in attempts. `key` signs the tokens. It has 32 bytes and must
 * be the same in all processes.
 */
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
      if (bytes.toString('base64url') !== token) return null
      const body = bytes.subarray(0, randomLength + expiryLength)
      if (!timingSafeEqual(bytes.subarray(body.length), sign(context, body))) return null
      const expiry = new Date(body.readUInt32BE(randomLength) * 1000)
      return expiry > now ? expiry : null
    },
    secretOf: (token, use) => mac(`secret\0${use}`, Buffer.from(token)).toString('base64url'),
  }
}

/** Marks an attempt as used. If it is called several times with one token, only the first call returns true. */
export async function spend(db: Db, token: string, expiry: Date): Promise<boolean> {
  const { rows } = await db.query(
    'insert into identity.spent_attempts (token, expires_at) values ($1, $2) on conflict do nothing returning token',
    [token, expiry],
  )
  return rows.length === 1
}
