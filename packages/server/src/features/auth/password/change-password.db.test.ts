import { TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient } from '../../../testing/api-client.ts'
import { addKey, createTenant } from '../../../testing/arrange.ts'
import { startTestServer, type TestServer } from '../../../testing/start-test-server.ts'
import { password, type Registered, registerPerson, registration, signIn } from '../testing/people.ts'
import { announcements } from '../testing/wait-for-mail.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const chosen = 'a password of my choice'
const apiOf = (person: Registered) => apiClient(server.url, person.session.access_token)
const change = (person: Registered, current = password, next = chosen) =>
  apiOf(person).post('/auth/password/change', { current_password: current, password: next })
const refresh = (refresh_token: string) => apiClient(server.url).post('/auth/refresh', { refresh_token })

describe('POST /auth/password/change', () => {
  it('204: the new password works, the old one does not; other sessions end and this session continues', async () => {
    const person = await registerPerson(server)
    const other = (await signIn(server, person.email)).body.session
    expect((await change(person)).status).toBe(204)
    expect((await signIn(server, person.email, password)).status).toBe(401)
    expect((await signIn(server, person.email, chosen)).status).toBe(200)
    expect((await refresh(other.refresh_token)).status).toBe(401)
    const late = await apiClient(server.url, other.access_token).post('/api-keys', { name: 'outlasts' })
    expect(late.status).toBe(401)
    expect((await apiOf(person).post('/api-keys', { name: 'own' })).status).toBe(201)
    expect((await refresh(person.session.refresh_token)).status).toBe(200)
    expect(await announcements(server, person.email)).toContain('Your Mandate password was changed')
  })

  it('403 wrong_password: nothing changes and no session ends', async () => {
    const person = await registerPerson(server)
    const other = (await signIn(server, person.email)).body.session
    expect(await change(person, 'wrong password')).toMatchObject({ status: 403, body: { code: 'wrong_password' } })
    expect((await refresh(other.refresh_token)).status).toBe(200)
    expect((await signIn(server, person.email)).status).toBe(200)
    expect(await announcements(server, person.email)).toEqual([])
  })

  it('with a second factor the current password is enough', async () => {
    const person = await registerPerson(server)
    const { body } = await apiOf(person).post('/auth/mfa/totp')
    const otp = new TOTP({ secret: body.secret }).generate()
    expect((await apiOf(person).post('/auth/mfa/totp/confirm', { otp })).status).toBe(200)
    expect((await change(person)).status).toBe(204)
    expect((await signIn(server, person.email, chosen)).body.code).toBe('mfa_required')
  })

  it.each(['1234567890', 'Password123!', 'Analytical Engines', 'analyticalengines1', 'mandate2026!', 'short'])(
    '400 for %s, and the old password still works',
    async (weak) => {
      const person = await registerPerson(server)
      expect((await change(person, password, weak)).status).toBe(400)
      expect((await signIn(server, person.email)).status).toBe(200)
    },
  )

  it('403 through an API key, 401 without credentials, 409 for an account without a password', async () => {
    const body = { current_password: password, password: chosen }
    const tenant = await createTenant(server)
    const key = await addKey(server, tenant.id, tenant.owner)
    expect((await key.api.post('/auth/password/change', body)).status).toBe(403)
    expect((await apiClient(server.url).post('/auth/password/change', body)).status).toBe(401)
    expect((await tenant.owner.api.post('/auth/password/change', body)).status).toBe(409)
  })
})

describe('a password that is too common', () => {
  it.each(['1234567890', 'Analytical Engines'])('400 at registration for %s', async (weak) => {
    const answer = await apiClient(server.url).post('/auth/register', { ...registration(), password: weak })
    expect(answer.status).toBe(400)
  })
})

describe('a new second factor', () => {
  it('ends the other sessions, keeps this one, and is mailed to the person', async () => {
    const person = await registerPerson(server)
    const other = (await signIn(server, person.email)).body.session
    const { body } = await apiOf(person).post('/auth/mfa/totp')
    const otp = new TOTP({ secret: body.secret }).generate()
    expect((await apiOf(person).post('/auth/mfa/totp/confirm', { otp })).status).toBe(200)
    expect((await refresh(other.refresh_token)).status).toBe(401)
    expect((await refresh(person.session.refresh_token)).status).toBe(200)
    expect(await announcements(server, person.email)).toEqual(['A second factor was added to your Mandate account'])
  })
})

describe('the lifetime of a session', () => {
  const age = (person: Registered, table: 'sessions' | 'refresh_tokens', columns: string[], days: number) =>
    server.owner.query(
      `update ${table} set ${columns.map((name) => `${name} = ${name} - interval '1 day' * $2`)}
       where ${table === 'sessions' ? 'id' : 'session_id'} in (select id from sessions where account_id = $1)`,
      [person.accountId, days],
    )

  it('401 after 30 days, however often it was refreshed; a token never expires after its session', async () => {
    const person = await registerPerson(server)
    await age(person, 'sessions', ['created_at', 'expires_at'], 29)
    const next = await refresh(person.session.refresh_token)
    expect(next.status).toBe(200)
    const { rows } = await server.owner.query(
      `select bool_and(t.expires_at <= s.expires_at) as within from refresh_tokens t join sessions s on s.id = t.session_id
       where s.account_id = $1 and t.used_at is null`,
      [person.accountId],
    )
    expect(rows).toEqual([{ within: true }])
    await age(person, 'sessions', ['created_at', 'expires_at'], 1)
    expect((await refresh(next.body.session.refresh_token)).status).toBe(401)
  })

  it('401 after 7 days without a refresh, also for a token with a longer lifetime', async () => {
    const person = await registerPerson(server)
    await age(person, 'refresh_tokens', ['issued_at'], 8)
    expect((await refresh(person.session.refresh_token)).status).toBe(401)
  })

  it('is the lifetime that the operator configured', async () => {
    const strict = await startTestServer({ sessionDays: 1, sessionIdleDays: 2 })
    try {
      const person = await registerPerson(strict)
      const { rows } = await strict.owner.query(
        "select expires_at - created_at = interval '1 day' as one from sessions where account_id = $1",
        [person.accountId],
      )
      expect(rows).toEqual([{ one: true }])
    } finally {
      await strict.stop()
    }
  })
})
