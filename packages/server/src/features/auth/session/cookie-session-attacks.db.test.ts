import { describe, expect, it } from 'vitest'
import { fingerprint } from '../../../sweeps/fingerprint.ts'
import { type ApiAnswer, apiClient } from '../../../testing/api-client.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { cookieMode, pageOf, sessionCookieOf } from '../testing/cookie-browser.ts'
import { newAddress, password, registerPerson, registration } from '../testing/people.ts'

const server = useOwnServer()
const page = () => pageOf(server)
const api = () => apiClient(server.url)
const publicUrl = 'http://127.0.0.1:8080'

async function signInByCookie() {
  const person = await registerPerson(server)
  const answer = await page().post('/auth/sign-in', { email: person.email, password })
  return { person, accessToken: answer.body.session.access_token, cookie: sessionCookieOf(answer)?.value as string }
}

const refusedTexts = {
  header: 'a request with the session cookie needs the header Mandate-Session: cookie',
  site: 'requests of other sites are refused: Sec-Fetch-Site must be same-origin or none',
  origin: `requests of other sites are refused: Origin must be ${publicUrl}, which is the origin of PUBLIC_URL`,
}

/** Checks that the response is a 403 with this text, that it sets no cookie, and that the database did not change. */
async function expectRefusal(error: string, attempt: () => Promise<ApiAnswer>) {
  const before = await fingerprint(server)
  const answer = await attempt()
  expect(answer).toMatchObject({ status: 403, body: { error } })
  expect(answer.headers.getSetCookie()).toEqual([])
  expect(await fingerprint(server)).toEqual(before)
}

describe('a request of another site', () => {
  const foreign: [string, Record<string, string>, string][] = [
    ['a cross-site fetch', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, refusedTexts.site],
    ['a sub-domain', { 'sec-fetch-site': 'same-site', origin: 'http://evil.127.0.0.1:8080' }, refusedTexts.site],
    ['another port', { origin: 'http://127.0.0.1:9999' }, refusedTexts.origin],
    ['another scheme', { origin: 'https://127.0.0.1:8080' }, refusedTexts.origin],
    ['another name of this machine', { origin: 'http://localhost:8080' }, refusedTexts.origin],
    ['a sandboxed frame', { origin: 'null' }, refusedTexts.origin],
    [
      'a lying Sec-Fetch-Site',
      { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
      refusedTexts.origin,
    ],
  ]

  it.each(foreign)('403 for %s: the cookie is neither refreshed nor removed', async (_what, headers, error) => {
    const { cookie } = await signInByCookie()
    const sent = { ...cookieMode, cookie: `mandate_session=${cookie}`, ...headers }
    for (const path of ['/auth/refresh', '/auth/sign-out'])
      await expectRefusal(error, () => api().post(path, undefined, sent))
    expect((await page().refresh(cookie)).status).toBe(200)
  })

  it.each(foreign)('403 for %s that signs in, registers, accepts or exchanges', async (_what, headers, error) => {
    const person = await registerPerson(server)
    const sent = { ...cookieMode, ...headers }
    const bodies: Record<string, unknown> = {
      '/auth/sign-in': { email: person.email, password },
      '/auth/register': registration(newAddress()),
      '/auth/invitations/accept': { token: 'unknown', password },
      '/auth/exchange': { code: 'unknown' },
    }
    for (const [path, body] of Object.entries(bodies)) await expectRefusal(error, () => api().post(path, body, sent))
  })

  it('403 before the body is read: also for a malformed body and a form', async () => {
    const headers = { ...cookieMode, origin: 'https://evil.example' }
    await expectRefusal(refusedTexts.origin, () => api().post('/auth/sign-in', '{', headers))
    const form = { ...headers, 'content-type': 'text/plain' }
    await expectRefusal(refusedTexts.origin, () => api().post('/auth/sign-in', 'email=a', form))
  })
})

describe('the cookie without the header', () => {
  it('403 for a form that a page posts, whatever the request has besides', async () => {
    const { accessToken, cookie } = await signInByCookie()
    const sent = { cookie: `mandate_session=${cookie}` }
    const body = { refresh_token: cookie }
    await expectRefusal(refusedTexts.header, () => api().post('/auth/refresh', undefined, sent))
    await expectRefusal(refusedTexts.header, () => api().post('/auth/refresh', body, sent))
    await expectRefusal(refusedTexts.header, () => api().post('/auth/sign-out', undefined, sent))
    await expectRefusal(refusedTexts.header, () =>
      apiClient(server.url, accessToken).post('/auth/sign-out', body, sent),
    )
    expect((await page().refresh(cookie)).status).toBe(200)
  })
})

describe('the header without the cookie', () => {
  it('401 for a refresh, which sets no cookie; 204 for a sign-out', async () => {
    const refreshed = await page().post('/auth/refresh')
    expect(refreshed).toMatchObject({ status: 401, body: { error: 'invalid or expired refresh token' } })
    expect(sessionCookieOf(refreshed)).toBeUndefined()
    expect((await page().post('/auth/sign-out')).status).toBe(204)
  })

  it('400 for a refresh token in the body, with and without the cookie; the token stays valid', async () => {
    const { person, cookie } = await signInByCookie()
    const body = { refresh_token: person.session.refresh_token }
    for (const path of ['/auth/refresh', '/auth/sign-out'])
      for (const headers of [cookieMode, { ...cookieMode, cookie: `mandate_session=${cookie}` }])
        expect(await api().post(path, body, headers)).toMatchObject({
          status: 400,
          body: { error: 'refresh_token must be left out with the header Mandate-Session' },
        })
    expect((await api().post('/auth/refresh', body)).status).toBe(200)
    expect((await page().refresh(cookie)).status).toBe(200)
  })

  it('400 for another value of the header', async () => {
    const { cookie } = await signInByCookie()
    for (const value of ['body', 'cookie, cookie', ''])
      expect((await page().refresh(cookie, { 'mandate-session': value })).status).toBe(400)
    expect((await page().refresh(cookie)).status).toBe(200)
  })
})

describe('a malformed cookie', () => {
  const malformed: Record<string, string> = {
    empty: '',
    short: 'a',
    quoted: `"${'a'.repeat(43)}"`,
    escaped: '%00%ff',
    long: 'a'.repeat(8000),
    'with text of another encoding': '\u00ff'.repeat(43),
    'of a prototype': '__proto__',
  }

  it.each(Object.entries(malformed))('401 for a cookie that is %s, which is then removed', async (_what, value) => {
    const answer = await page().refresh(value)
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid or expired refresh token' } })
    expect(sessionCookieOf(answer)?.value).toBe('')
    expect((await page().signOut(value)).status).toBe(204)
  })

  it('400 for two session cookies, even if they are equal; neither is used', async () => {
    const { cookie } = await signInByCookie()
    const line = `mandate_session=${cookie}; mandate_session=${cookie}`
    const error = 'the cookie mandate_session must not be sent more than once'
    expect(await page().refresh(cookie, { cookie: line })).toMatchObject({ status: 400, body: { error } })
    expect(await page().signOut(cookie, { cookie: line })).toMatchObject({ status: 400, body: { error } })
    expect((await page().refresh(cookie)).status).toBe(200)
  })

  it('a header that is too long is refused before it is parsed', async () => {
    const answer = await page().refresh('a'.repeat(20_000))
    expect(answer.status).toBe(431)
  })
})

describe('a bearer token beside the cookie', () => {
  it('has no meaning: the cookie says which session is refreshed and ended', async () => {
    const [ada, eve] = [await signInByCookie(), await signInByCookie()]
    const authorization = `Bearer ${eve.accessToken}`
    const refreshed = await page().refresh(ada.cookie, { authorization })
    const claims = JSON.parse(atob(refreshed.body.session.access_token.split('.')[1]))
    expect(claims.sub).toBe(ada.person.accountId)
    const next = sessionCookieOf(refreshed)?.value as string
    expect((await page().signOut(next, { authorization })).status).toBe(204)
    expect((await page().refresh(next)).status).toBe(401)
    expect((await page().refresh(eve.cookie)).status).toBe(200)
  })

  it('does not stop a sign-out if it has expired', async () => {
    const { cookie } = await signInByCookie()
    expect((await page().signOut(cookie, { authorization: 'Bearer expired' })).status).toBe(204)
    expect((await page().refresh(cookie)).status).toBe(401)
  })
})

describe('on https', () => {
  const secure = useOwnServer({ publicUrl: 'https://mandate.example.com/governance' })
  const headers = { ...cookieMode, origin: 'https://mandate.example.com', 'sec-fetch-site': 'same-origin' }
  const post = (path: string, cookie: string) => apiClient(secure.url).post(path, undefined, { ...headers, cookie })

  it('only the cookie with the prefix counts, so a cookie of a sub-domain can neither sign in nor sign out', async () => {
    const [victim, attacker] = [await registerPerson(secure), await registerPerson(secure)]
    const answer = await apiClient(secure.url).post('/auth/sign-in', { email: victim.email, password }, headers)
    const { value, line } = sessionCookieOf(answer) ?? { value: '', line: '' }
    expect(line).toMatch(
      /^__Host-mandate_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    const planted = `mandate_session=${attacker.session.refresh_token}`
    for (const name of ['mandate_session', '__host-mandate_session', '__Secure-mandate_session'])
      expect((await post('/auth/refresh', `${name}=${attacker.session.refresh_token}`)).status).toBe(401)
    const refreshed = await post('/auth/refresh', `${planted}; __Host-mandate_session=${value}`)
    expect(JSON.parse(atob(refreshed.body.session.access_token.split('.')[1])).sub).toBe(victim.accountId)
    expect((await post('/auth/sign-out', planted)).status).toBe(204)
    const { refresh_token } = attacker.session
    expect((await apiClient(secure.url).post('/auth/refresh', { refresh_token })).status).toBe(200)
  })

  it('a request with only a cookie without the prefix needs no header, because it has no session cookie', async () => {
    const person = await registerPerson(secure)
    const { refresh_token } = person.session
    const other = { cookie: 'mandate_session=planted' }
    expect((await apiClient(secure.url).post('/auth/refresh', { refresh_token }, other)).status).toBe(200)
  })
})

describe('a session that has ended', () => {
  const ends: [string, string][] = [
    ['was revoked', 'update sessions set revoked_at = now() where account_id = $1'],
    ['may not be renewed', 'update sessions set renewal_ended_at = now() where account_id = $1'],
    ['is too old', 'update sessions set expires_at = now() where account_id = $1'],
    [
      'was idle too long',
      `update refresh_tokens t set issued_at = now() - interval '8 days' from sessions s
       where s.id = t.session_id and s.account_id = $1`,
    ],
    ['has no user any more', 'delete from users where account_id = $1'],
    ['has a user who has not joined', "update users set status = 'pending', account_id = null where account_id = $1"],
  ]

  it.each(ends)('401 if it %s: the cookie is removed, also for a token that was just used', async (_what, change) => {
    const [fresh, used] = [await signInByCookie(), await signInByCookie()]
    const next = sessionCookieOf(await page().refresh(used.cookie))?.value as string
    for (const { person } of [fresh, used]) await server.owner.query(change, [person.accountId])
    for (const token of [fresh.cookie, next, used.cookie]) {
      const answer = await page().refresh(token)
      expect(answer).toMatchObject({ status: 401, body: { error: 'invalid or expired refresh token' } })
      expect(sessionCookieOf(answer)?.value).toBe('')
      expect((await page().signOut(token)).status).toBe(204)
    }
  })

  it('401 for a replay after the sign-out, also within the grace of the token', async () => {
    const { cookie } = await signInByCookie()
    const next = sessionCookieOf(await page().refresh(cookie))?.value as string
    await page().signOut(next)
    for (const token of [cookie, next]) expect((await page().refresh(token)).status).toBe(401)
  })

  it('a sign-out during refreshes leaves no session', async () => {
    for (let round = 0; round < 5; round++) {
      const { cookie } = await signInByCookie()
      const [, ...refreshed] = await Promise.all([
        page().signOut(cookie),
        page().refresh(cookie),
        page().refresh(cookie),
      ])
      const tokens = [cookie, ...refreshed.map((answer) => sessionCookieOf(answer)?.value ?? '')]
      for (const token of tokens) expect((await page().refresh(token)).status).toBe(401)
    }
  })
})

describe('attempts of one client', () => {
  const throttled = useOwnServer({ authThrottle: true })

  it('429 with Retry-After for too many sign-outs by cookie; requests of other sites do not count', async () => {
    const signOut = (headers: Record<string, string>) =>
      apiClient(throttled.url).post('/auth/sign-out', undefined, { ...cookieMode, ...headers })
    for (let attempt = 0; attempt < 650; attempt++)
      expect((await signOut({ origin: 'https://evil.example' })).status).toBe(403)
    const answers = await Promise.all(Array.from({ length: 601 }, () => signOut({})))
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(600)
    const [refused] = answers.filter(({ status }) => status !== 204)
    expect(refused).toMatchObject({ status: 429, body: { code: 429 } })
    expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/)
  })
})
