import { TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { apiClient } from '../../../testing/api-client.ts'
import { auditEntries, createTenant } from '../../../testing/arrange.ts'
import { tokenMailedTo } from '../../../testing/mail-box.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import { pageOf, sessionCookieOf } from '../testing/cookie-browser.ts'
import { newAddress, password, registerPerson, registration } from '../testing/people.ts'

const server = useTestServer()
const page = () => pageOf(server)
const sessionFields = ['access_token', 'expires_in', 'token_type']
const cookieLine = /^mandate_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/
const me = (token: string) => apiClient(server.url, token).get('/auth/session')

async function signInByCookie() {
  const person = await registerPerson(server)
  const answer = await page().post('/auth/sign-in', { email: person.email, password })
  expect(answer.status).toBe(200)
  return { person, accessToken: answer.body.session.access_token, cookie: sessionCookieOf(answer)?.value as string }
}

const shiftUse = (accountId: string, by: string) =>
  server.owner.query(
    `update refresh_tokens t set used_at = used_at + $2::interval from sessions s
     where s.id = t.session_id and s.account_id = $1`,
    [accountId, by],
  )

describe('with the header Mandate-Session', () => {
  it('a registration, a sign-in and an acceptance set the cookie, and their bodies have no refresh token', async () => {
    const tenant = await createTenant(server)
    const invited = newAddress()
    await tenant.owner.api.post(`/tenants/${tenant.id}/invite`, { email: invited, role: 'member' })
    const email = newAddress()
    const accepting = { token: await tokenMailedTo(server, invited), password }
    const answers = [
      await page().post('/auth/register', registration(email)),
      await page().post('/auth/sign-in', { email, password }),
      await page().post('/auth/invitations/accept', accepting),
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200])
    for (const answer of answers) {
      expect(Object.keys(answer.body.session).sort()).toEqual(sessionFields)
      expect(sessionCookieOf(answer)?.line).toMatch(cookieLine)
      expect(JSON.stringify(answer.body)).not.toContain(sessionCookieOf(answer)?.value)
      expect((await me(answer.body.session.access_token)).status).toBe(200)
    }
  })

  it('a sign-in with a second factor sets the cookie only with the right code', async () => {
    const person = await registerPerson(server)
    const api = apiClient(server.url, person.session.access_token)
    const { secret } = (await api.post('/auth/mfa/totp')).body
    const codeIn = (steps: number) => new TOTP({ secret }).generate({ timestamp: Date.now() + steps * 30_000 })
    expect((await api.post('/auth/mfa/totp/confirm', { otp: codeIn(0) })).status).toBe(200)
    const credentials = { email: person.email, password }
    const refused = [
      await page().post('/auth/sign-in', credentials),
      await page().post('/auth/sign-in', { ...credentials, otp: '000000' }),
      await page().post('/auth/sign-in', { ...credentials, password: 'wrong password' }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401])
    expect(refused.map(sessionCookieOf)).toEqual([undefined, undefined, undefined])
    const answer = await page().post('/auth/sign-in', { ...credentials, otp: codeIn(1) })
    expect(Object.keys(answer.body.session).sort()).toEqual(sessionFields)
    expect(sessionCookieOf(answer)?.line).toMatch(cookieLine)
  })

  it('a refresh needs no body and rotates the cookie; a sign-out needs neither bearer nor body', async () => {
    const { person, cookie } = await signInByCookie()
    const refreshed = await page().refresh(cookie)
    expect(refreshed.status).toBe(200)
    expect(Object.keys(refreshed.body.session).sort()).toEqual(sessionFields)
    expect((await me(refreshed.body.session.access_token)).body.user.id).toBe(person.userId)
    const next = sessionCookieOf(refreshed)
    expect(next?.line).toMatch(cookieLine)
    expect(next?.value).not.toBe(cookie)
    const signedOut = await page().signOut(next?.value as string)
    expect(signedOut).toMatchObject({ status: 204, body: undefined })
    expect(sessionCookieOf(signedOut)?.line).toBe('mandate_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict')
    const again = await page().refresh(next?.value as string)
    expect(again).toMatchObject({ status: 401, body: { error: 'invalid or expired refresh token' } })
    const entries = (await auditEntries(server, person.tenantId)).filter(
      ({ event_type }) => event_type === 'user.signed_out',
    )
    expect(entries).toMatchObject([{ resource_id: person.userId, actor_user_id: person.userId }])
  })

  it('a sign-out answers 204 and removes the cookie without a session too, and writes nothing', async () => {
    const { person, cookie } = await signInByCookie()
    await page().signOut(cookie)
    const answers = [
      await page().signOut(cookie),
      await page().signOut('nonsense'),
      await page().post('/auth/sign-out'),
    ]
    for (const answer of answers) {
      expect(answer.status).toBe(204)
      expect(sessionCookieOf(answer)?.value).toBe('')
    }
    const entries = (await auditEntries(server, person.tenantId)).filter(
      ({ event_type }) => event_type === 'user.signed_out',
    )
    expect(entries).toHaveLength(1)
  })

  it('the cookie lives as long as its token', async () => {
    const { person, cookie } = await signInByCookie()
    await server.owner.query(
      "update sessions set expires_at = now() + interval '1 hour 10 seconds' where account_id = $1",
      [person.accountId],
    )
    const seconds = Number(/Max-Age=(\d+)/.exec(sessionCookieOf(await page().refresh(cookie))?.line ?? '')?.[1])
    expect(seconds).toBeGreaterThan(3000)
    expect(seconds).toBeLessThanOrEqual(3610)
  })

  it('the list of sessions shows the session, and one more refresh adds none', async () => {
    const { person, accessToken, cookie } = await signInByCookie()
    const list = async (token: string) => (await apiClient(server.url, token).get('/auth/sessions')).body.data
    expect((await list(accessToken)).map(({ current }: { current: boolean }) => current)).toEqual([true, false])
    const { body } = await page().refresh(cookie, { 'user-agent': 'Tab/2' })
    const after = await list(body.session.access_token)
    expect(after).toMatchObject([{ current: true, user_agent: 'Tab/2' }, { current: false }])
    const other = apiClient(server.url, person.session.access_token)
    expect((await other.delete(`/auth/sessions/${after[0].id}`)).status).toBe(204)
    expect((await list(person.session.access_token)).map(({ id }: { id: string }) => id)).toEqual([after[1].id])
  })
})

describe('tabs that refresh at the same time', () => {
  it('all succeed with one next cookie, and the session continues', async () => {
    const { cookie } = await signInByCookie()
    const answers = await Promise.all(Array.from({ length: 5 }, () => page().refresh(cookie)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    const cookies = new Set(answers.map((answer) => sessionCookieOf(answer)?.value))
    expect(cookies.size).toBe(1)
    for (const { body } of answers) expect((await me(body.session.access_token)).status).toBe(200)
    const [next] = [...cookies]
    expect((await page().refresh(next as string)).status).toBe(200)
  })

  it('a late tab does not put an older cookie back: the browser has the next one already', async () => {
    const { cookie } = await signInByCookie()
    const first = sessionCookieOf(await page().refresh(cookie))?.value as string
    const second = sessionCookieOf(await page().refresh(first))?.value as string
    const late = await page().refresh(cookie)
    expect(late.status).toBe(200)
    expect(sessionCookieOf(late)).toBeUndefined()
    expect((await page().refresh(second)).status).toBe(200)
  })

  it('a cookie that is sent again after ten seconds ends the session', async () => {
    const { person, cookie } = await signInByCookie()
    const next = sessionCookieOf(await page().refresh(cookie))?.value as string
    await shiftUse(person.accountId, '-9 seconds')
    expect((await page().refresh(cookie)).status).toBe(200)
    await shiftUse(person.accountId, '-2 seconds')
    const reused = await page().refresh(cookie)
    expect(reused).toMatchObject({ status: 401, body: { error: 'invalid or expired refresh token' } })
    expect(sessionCookieOf(reused)?.value).toBe('')
    expect((await page().refresh(next)).status).toBe(401)
  })

  it('a thief and the browser cannot both continue: the second use of the token that both hold ends the session', async () => {
    const { person, cookie } = await signInByCookie()
    const stolen = sessionCookieOf(await page().refresh(cookie))?.value as string
    expect(sessionCookieOf(await page().refresh(cookie))?.value).toBe(stolen)
    const thief = sessionCookieOf(await page().refresh(stolen))?.value as string
    await shiftUse(person.accountId, '-1 minute')
    expect((await page().refresh(stolen)).status).toBe(401)
    expect((await page().refresh(thief)).status).toBe(401)
  })

  it('a token that was used without the cookie has no grace', async () => {
    const person = await registerPerson(server)
    const { refresh_token } = person.session
    const { body } = await apiClient(server.url).post('/auth/refresh', { refresh_token })
    expect((await page().refresh(refresh_token)).status).toBe(401)
    const next = { refresh_token: body.session.refresh_token }
    expect((await apiClient(server.url).post('/auth/refresh', next)).status).toBe(401)
  })

  it('a token of the cookie that was used has no grace without the cookie', async () => {
    const { cookie } = await signInByCookie()
    const next = sessionCookieOf(await page().refresh(cookie))?.value as string
    expect((await apiClient(server.url).post('/auth/refresh', { refresh_token: cookie })).status).toBe(401)
    expect((await page().refresh(next)).status).toBe(401)
  })
})
