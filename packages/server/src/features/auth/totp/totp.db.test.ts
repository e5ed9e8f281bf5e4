import { TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { apiClient } from '../../../testing/api-client.ts'
import { addKey, auditEntries, createTenant } from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import { password, type Registered, registerPerson, signIn } from '../testing/people.ts'

const server = useTestServer()

const apiOf = (person: Registered) => apiClient(server.url, person.session.access_token)
/** A code of a later time step, because each step works once. */
const codeOf = (secret: string, stepsAhead = 0) =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + stepsAhead * 30_000 })

async function enrol(person: Registered) {
  const { body } = await apiOf(person).post('/auth/mfa/totp')
  const confirmed = await apiOf(person).post('/auth/mfa/totp/confirm', { otp: codeOf(body.secret) })
  expect(confirmed.status).toBe(200)
  return { secret: body.secret as string, recoveryCodes: confirmed.body.recovery_codes as string[] }
}

describe('a second factor', () => {
  it('200 {secret, otpauth_url}, then {recovery_codes} and mfa_enrolled, audited when it is active', async () => {
    const person = await registerPerson(server)
    const { status, body } = await apiOf(person).post('/auth/mfa/totp')
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(['otpauth_url', 'secret'])
    expect(body.otpauth_url).toContain(`secret=${body.secret}`)
    expect((await apiOf(person).get('/auth/session')).body.user.mfa_enrolled).toBe(false)
    const confirmed = await apiOf(person).post('/auth/mfa/totp/confirm', { otp: codeOf(body.secret) })
    expect(confirmed.body.recovery_codes.length).toBeGreaterThan(5)
    expect((await apiOf(person).get('/auth/session')).body.user.mfa_enrolled).toBe(true)
    const changes = (await auditEntries(server, person.tenantId)).filter((e) => e.event_type === 'user.profile_updated')
    expect(changes).toMatchObject([{ resource_id: person.userId, details: { mfa_enrolled: true } }])
  })

  it('400 for a wrong code and without a started enrolment; nothing is enrolled or audited', async () => {
    const person = await registerPerson(server)
    expect((await apiOf(person).post('/auth/mfa/totp/confirm', { otp: '000000' })).status).toBe(400)
    const { body } = await apiOf(person).post('/auth/mfa/totp')
    expect((await apiOf(person).post('/auth/mfa/totp/confirm', { otp: codeOf(body.secret, 100) })).status).toBe(400)
    expect((await apiOf(person).get('/auth/session')).body.user.mfa_enrolled).toBe(false)
    expect((await auditEntries(server, person.tenantId)).map((e) => e.event_type)).not.toContain('user.profile_updated')
    expect((await signIn(server, person.email)).status).toBe(200)
  })

  it('400 for an enrolment that was started more than 15 minutes ago', async () => {
    const person = await registerPerson(server)
    const { body } = await apiOf(person).post('/auth/mfa/totp')
    await server.owner.query(
      "update identity.totp_factors set created_at = created_at - interval '15 minutes' where account_id = $1",
      [person.accountId],
    )
    expect((await apiOf(person).post('/auth/mfa/totp/confirm', { otp: codeOf(body.secret) })).status).toBe(400)
    expect((await apiOf(person).get('/auth/session')).body.user.mfa_enrolled).toBe(false)
  })

  it('401 mfa_required without otp, but only if the password is right', async () => {
    const person = await registerPerson(server)
    await enrol(person)
    const { status, body } = await signIn(server, person.email)
    expect(status).toBe(401)
    expect(body).toEqual({ error: body.message, message: expect.any(String), code: 'mfa_required' })
    expect((await signIn(server, person.email, 'wrong password')).body.code).toBeUndefined()
  })

  it('signs in with a code or a recovery code, each of which works once', async () => {
    const person = await registerPerson(server)
    const { secret, recoveryCodes } = await enrol(person)
    const code = codeOf(secret, 1)
    const answers = await Promise.all([1, 2, 3].map(() => signIn(server, person.email, password, code)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
    expect((await signIn(server, person.email, password, recoveryCodes[0])).status).toBe(200)
    const again = await signIn(server, person.email, password, recoveryCodes[0])
    expect(again).toMatchObject({ status: 401, body: { error: 'wrong email, password or one-time password' } })
  })

  it('401 if an active factor is replaced without the current password', async () => {
    const person = await registerPerson(server)
    const { secret } = await enrol(person)
    expect((await apiOf(person).post('/auth/mfa/totp')).status).toBe(401)
    expect((await apiOf(person).post('/auth/mfa/totp', { password: 'wrong password' })).status).toBe(401)
    const begun = await apiOf(person).post('/auth/mfa/totp', { password })
    expect(begun.status).toBe(200)
    expect((await signIn(server, person.email, password, codeOf(secret, 1))).status).toBe(200)
    const confirmed = await apiOf(person).post('/auth/mfa/totp/confirm', { otp: codeOf(begun.body.secret) })
    expect(confirmed.status).toBe(200)
    expect((await signIn(server, person.email, password, codeOf(begun.body.secret, 1))).status).toBe(200)
  })

  it('403 through an API key, 401 without credentials', async () => {
    const tenant = await createTenant(server)
    const key = await addKey(server, tenant.id, tenant.owner)
    expect((await key.api.post('/auth/mfa/totp')).status).toBe(403)
    expect((await key.api.post('/auth/mfa/totp/confirm', { otp: '000000' })).status).toBe(403)
    expect((await apiClient(server.url).post('/auth/mfa/totp')).status).toBe(401)
  })
})
