import { randomBytes } from 'node:crypto'
import { SignJWT } from 'jose'
import { expect, it } from 'vitest'
import { createAccessTokens } from './access-tokens.ts'

const secret = randomBytes(32)
const tokens = createAccessTokens(secret)
const iat = Math.floor(Date.now() / 1000)
const good = { iss: 'mandate', aud: 'mandate-api', sub: 'account', sid: 'session', iat, exp: iat + 900 }

function sign(payload: Record<string, unknown>, { typ = 'at+jwt', alg = 'HS256', key = secret } = {}) {
  return new SignJWT(payload).setProtectedHeader({ alg, typ }).sign(key)
}

it('an issued token names the account and the session', async () => {
  expect(await tokens.verify(await tokens.issue('account', 'session'))).toEqual({
    accountId: 'account',
    sessionId: 'session',
    expiresAt: expect.any(Number),
  })
  expect(await tokens.verify(await sign(good))).not.toBeNull()
})

it.each([
  ['has expired', () => sign({ ...good, exp: iat - 1 })],
  ['never expires', () => sign({ ...good, exp: undefined })],
  ['is for another audience', () => sign({ ...good, aud: 'other' })],
  ['is of another issuer', () => sign({ ...good, iss: 'other' })],
  ['is of another type', () => sign(good, { typ: 'JWT' })],
  ['was signed with another algorithm', () => sign(good, { alg: 'HS512', key: randomBytes(64) })],
  [
    'was signed with another algorithm and our key',
    () => sign(good, { alg: 'HS384', key: Buffer.concat([secret, secret]) }),
  ],
  ['was signed with another key', () => sign(good, { key: randomBytes(32) })],
  ['names no account', () => sign({ ...good, sub: undefined })],
  ['names no session', () => sign({ ...good, sid: undefined })],
  ['is no token', async () => 'nonsense'],
])('refuses a token that %s', async (_, make) => expect(await tokens.verify(await make())).toBeNull())
