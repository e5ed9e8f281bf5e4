import { TOTP } from 'otpauth'
import { beforeAll, describe, expect, it } from 'vitest'
import type { IdentityProvider } from '../../../identity/port.ts'
import { apiClient } from '../../../testing/api-client.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { password, type Registered, registerPerson, signIn } from '../testing/people.ts'
import { mailsWithLink, tokenOf } from '../testing/wait-for-mail.ts'

const chosen = 'another horse battery'

const server = useOwnServer()
/** If set, runs once, after the next password check and before its result is returned. */
let afterCheck: (() => Promise<void>) | undefined

beforeAll(async () => {
  const { identity } = server.services
  const verifyPassword: IdentityProvider['verifyPassword'] = async (db, credentials) => {
    const result = await identity.verifyPassword(db, credentials)
    const then = afterCheck
    afterCheck = undefined
    await then?.()
    return result
  }
  Object.assign(server.services, { identity: { ...identity, verifyPassword } })
})

const apiOf = (person: Registered) => apiClient(server.url, person.session.access_token)
const refresh = (refresh_token: string) => apiClient(server.url).post('/auth/refresh', { refresh_token })

async function resetPassword({ email }: Registered): Promise<void> {
  await apiClient(server.url).post('/auth/password/forgot', { email })
  const token = tokenOf((await mailsWithLink(server, email, 'reset-password')).at(-1))
  expect((await apiClient(server.url).post('/auth/password/reset', { token, password: chosen })).status).toBe(204)
}

async function changePassword(person: Registered): Promise<void> {
  const passwords = { current_password: password, password: chosen }
  expect((await apiOf(person).post('/auth/password/change', passwords)).status).toBe(204)
}

async function enrol(person: Registered): Promise<void> {
  const { body } = await apiOf(person).post('/auth/mfa/totp', { password })
  const otp = new TOTP({ secret: body.secret }).generate()
  expect((await apiOf(person).post('/auth/mfa/totp/confirm', { otp })).status).toBe(200)
}

describe('a sign-in whose password was checked before all sessions were ended', () => {
  it.each([
    ['by a password reset', resetPassword],
    ['by a password change', changePassword],
    ['by a second factor', enrol],
  ])('opens no session: %s', async (_, end) => {
    const person = await registerPerson(server)
    afterCheck = () => end(person)
    const late = await signIn(server, person.email)
    expect(late).toMatchObject({ status: 401, body: { error: 'wrong email, password or one-time password' } })
    const { rows } = await server.owner.query(
      'select 1 from sessions where account_id = $1 and revoked_at is null and id <> $2',
      [
        person.accountId,
        JSON.parse(Buffer.from(person.session.access_token.split('.')[1] ?? '', 'base64url').toString()).sid,
      ],
    )
    expect(rows).toEqual([])
  })

  it('a session that is stored while all sessions are ended ends with them', async () => {
    const person = await registerPerson(server)
    await apiClient(server.url).post('/auth/password/forgot', { email: person.email })
    const token = tokenOf((await mailsWithLink(server, person.email, 'reset-password')).at(-1))
    const client = await server.owner.connect()
    try {
      await client.query('begin')
      // Blocks the last row that a sign-in stores.
      await client.query('lock table refresh_tokens in share mode')
      const late = signIn(server, person.email)
      await expect.poll(waiting).toBe(1)
      const reset = apiClient(server.url).post('/auth/password/reset', { token, password: chosen })
      // At this point the reset has either ended, or waits for the lock that the sign-in holds.
      let isDone = false
      void reset.then(() => {
        isDone = true
      })
      await expect.poll(async () => isDone || (await waiting()) === 2, { timeout: 60_000 }).toBe(true)
      await client.query('commit')
      expect((await reset).status).toBe(204)
      const { status, body } = await late
      if (status === 200) expect((await refresh(body.session.refresh_token)).status).toBe(401)
      else expect(status).toBe(401)
    } finally {
      client.release()
    }
  })
})

async function waiting(): Promise<number> {
  const { rows } = await server.owner.query(
    "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
  )
  return rows.length
}
