import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createEmbeddedIdentity } from '../embedded/provider.ts'
import type { GoogleSignIn } from '../port.ts'
import { createIdentityDatabase, type IdentityDatabase } from '../testing/identity-database.ts'
import { type OpenIdIssuer, startOpenIdIssuer } from '../testing/openid-issuer.ts'
import { createVault } from '../vault.ts'

const redirectUri = 'http://127.0.0.1:8080/api/v1/auth/google/callback'
const vault = createVault(randomBytes(32))
let database: IdentityDatabase
let db: IdentityDatabase['pool']
let issuer: OpenIdIssuer
let google: GoogleSignIn
let nowMs: number

beforeAll(async () => {
  database = await createIdentityDatabase()
  db = database.pool
  issuer = await startOpenIdIssuer(redirectUri)
})
afterAll(async () => {
  await issuer.stop()
  await database.drop()
})
beforeEach(() => {
  nowMs = Date.now()
  google = signInAt(issuer)
  issuer.signsIn = 'ada'
  issuer.people.set('ada', { email: 'ada@example.com', email_verified: true, name: 'Ada Lovelace' })
})

function signInAt({ issuer: url, clientId, clientSecret }: OpenIdIssuer, secret = clientSecret) {
  const client = { issuer: url, clientId, clientSecret: secret }
  return createEmbeddedIdentity({ vault, google: client, now: () => new Date(nowMs) }).google as GoogleSignIn
}

/** Runs a sign-in up to the callback. `tamper` can change the authorization URL. */
async function signInTo(tamper: (url: URL) => void = () => {}) {
  const started = await google.startUrl({ redirectUri })
  const url = new URL(started.url)
  tamper(url)
  return { currentUrl: await issuer.visit(url.href), state: started.state, redirectUri }
}

const refused = { kind: 'refused' }
const unavailable = { kind: 'unavailable' }

describe('a Google sign-in', () => {
  it('returns the person with the issuer’s data', async () => {
    expect(await google.finish(db, await signInTo())).toEqual({
      issuer: issuer.issuer,
      subject: 'ada',
      email: 'ada@example.com',
      emailVerified: true,
      displayName: 'Ada Lovelace',
    })
  })

  it('uses PKCE, and a new nonce and state each time', async () => {
    const first = new URL((await google.startUrl({ redirectUri })).url).searchParams
    const second = new URL((await google.startUrl({ redirectUri })).url).searchParams
    expect(first.get('code_challenge_method')).toBe('S256')
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(first.get(name)).toMatch(/^[\w-]{43}$/)
      expect(first.get(name)).not.toBe(second.get(name))
    }
  })

  it('reports an unverified address, and no name if the issuer sends none', async () => {
    issuer.people.set('ada', { email: 'ada@example.com', email_verified: false })
    expect(await google.finish(db, await signInTo())).toMatchObject({ emailVerified: false, displayName: null })
  })

  it('succeeds for any host and path that a proxy shows, because the redirect URI of the start is used', async () => {
    const { currentUrl, state } = await signInTo()
    const seen = new URL(currentUrl)
    seen.host = 'internal:3000'
    seen.pathname = '/callback'
    expect(await google.finish(db, { currentUrl: seen.href, state, redirectUri })).toMatchObject({ subject: 'ada' })
  })

  it('stores nothing until the issuer has confirmed it, however many sign-ins start', async () => {
    await db.query('delete from identity.spent_attempts')
    for (let begun = 0; begun < 50; begun++) await google.startUrl({ redirectUri })
    const callback = await signInTo()
    await expect(google.finish(db, { ...callback, currentUrl: `${callback.currentUrl}&code=x` })).rejects.toMatchObject(
      refused,
    )
    expect(await storedAttempts()).toBe(0)
    await google.finish(db, callback)
    expect(await storedAttempts()).toBe(1)
  })
})

/** Counts the rows of every table that might store a sign-in that was only started. */
async function storedAttempts(): Promise<number> {
  const { rows } = await db.query(
    `select (select count(*) from identity.spent_attempts) + (select count(*) from identity.oidc_states) as count`,
  )
  return Number(rows[0].count)
}

describe('a Google sign-in is refused', () => {
  it('without a state, or with the state of another browser or an invented one', async () => {
    const { currentUrl, state } = await signInTo()
    const other = await google.startUrl({ redirectUri })
    await expect(google.finish(db, { currentUrl, state: other.state, redirectUri })).rejects.toMatchObject(refused)
    await expect(google.finish(db, { currentUrl, state: undefined, redirectUri })).rejects.toMatchObject(refused)
    await expect(google.finish(db, { currentUrl: 'not a url', state, redirectUri })).rejects.toMatchObject(refused)
    const foreign = new URL(currentUrl)
    foreign.searchParams.set('state', 'made-up')
    await expect(google.finish(db, { currentUrl: foreign.href, state: 'made-up', redirectUri })).rejects.toMatchObject(
      refused,
    )
  })

  it('if it is replayed, also at the same time', async () => {
    const callback = await signInTo()
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => google.finish(db, callback)))
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
    await expect(google.finish(db, callback)).rejects.toMatchObject(refused)
  })

  it('if its state has expired', async () => {
    const callback = await signInTo()
    nowMs += 11 * 60_000
    await expect(google.finish(db, callback)).rejects.toMatchObject(refused)
  })

  it('if the ID token has another nonce', async () => {
    const callback = await signInTo((url) => url.searchParams.set('nonce', 'another'))
    await expect(google.finish(db, callback)).rejects.toMatchObject({
      ...refused,
      message: expect.stringMatching(/claim/),
    })
  })

  it('if the code was requested with another PKCE challenge', async () => {
    const callback = await signInTo((url) => url.searchParams.set('code_challenge', 'a'.repeat(43)))
    await expect(google.finish(db, callback)).rejects.toMatchObject({
      ...refused,
      message: expect.stringMatching(/invalid_grant/),
    })
  })

  it('if the code belongs to another sign-in', async () => {
    const mine = await signInTo()
    const theirs = new URL((await signInTo()).currentUrl)
    const injected = new URL(mine.currentUrl)
    injected.searchParams.set('code', theirs.searchParams.get('code') as string)
    await expect(
      google.finish(db, { currentUrl: injected.href, state: mine.state, redirectUri }),
    ).rejects.toMatchObject(refused)
  })

  it('if the response comes from another issuer', async () => {
    const { currentUrl, state } = await signInTo()
    const mixedUp = new URL(currentUrl)
    mixedUp.searchParams.set('iss', 'https://issuer.example')
    await expect(google.finish(db, { currentUrl: mixedUp.href, state, redirectUri })).rejects.toMatchObject(refused)
  })

  it('if a parameter is repeated', async () => {
    const { currentUrl, state } = await signInTo()
    await expect(google.finish(db, { currentUrl: `${currentUrl}&code=x`, state, redirectUri })).rejects.toMatchObject(
      refused,
    )
  })

  it('if the person declines', async () => {
    issuer.signsIn = null
    await expect(google.finish(db, await signInTo())).rejects.toMatchObject({
      ...refused,
      message: expect.stringMatching(/access_denied/),
    })
  })

  it('if the issuer sends no address', async () => {
    issuer.people.set('ada', { name: 'Ada' })
    await expect(google.finish(db, await signInTo())).rejects.toMatchObject({
      ...refused,
      message: expect.stringMatching(/no email/),
    })
  })
})

describe('a Google sign-in is unavailable', () => {
  it('while the issuer is down at the start, and works when it is back', async () => {
    const gone = await startOpenIdIssuer(redirectUri)
    await gone.stop()
    await expect(signInAt(gone).startUrl({ redirectUri })).rejects.toMatchObject(unavailable)
    expect(await google.startUrl({ redirectUri })).toMatchObject({ url: expect.any(String) })
  })

  it('if the issuer goes down before the code is redeemed', async () => {
    const leaving = await startOpenIdIssuer(redirectUri)
    leaving.signsIn = 'ada'
    const signIn = signInAt(leaving)
    const { url, state } = await signIn.startUrl({ redirectUri })
    const currentUrl = await leaving.visit(url)
    await leaving.stop()
    await expect(signIn.finish(db, { currentUrl, state, redirectUri })).rejects.toMatchObject(unavailable)
  })

  it('if the issuer does not accept the client secret', async () => {
    const signIn = signInAt(issuer, 'not the secret')
    const { url, state } = await signIn.startUrl({ redirectUri })
    const currentUrl = await issuer.visit(url)
    await expect(signIn.finish(db, { currentUrl, state, redirectUri })).rejects.toMatchObject(unavailable)
  })
})

it('without a configured Google client there is no Google sign-in', () => {
  expect(createEmbeddedIdentity({ vault }).google).toBeNull()
})
