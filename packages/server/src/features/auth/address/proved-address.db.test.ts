import { TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { apiClient } from '../../../testing/api-client.ts'
import { addAgent, addPerson, auditEntries, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { tokenMailedTo } from '../../../testing/mail-box.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import { newAddress, password, type Registered, registerPerson, registration, signIn } from '../testing/people.ts'
import { mailsWithLink, tokenOf } from '../testing/wait-for-mail.ts'

const server = useTestServer()

const apiOf = (person: Registered) => apiClient(server.url, person.session.access_token)
const verify = (person: Registered, token: string) => apiOf(person).post('/auth/email/verify', { token })
const isVerified = async (person: Registered) => (await apiOf(person).get('/auth/session')).body.email_verified
const verificationOf = async (email: string) => tokenOf((await mailsWithLink(server, email, 'verify-email')).at(-1))
const ownPassword = 'the owner of the address'

async function enrol(person: Registered): Promise<string> {
  const { body } = await apiOf(person).post('/auth/mfa/totp')
  const otp = new TOTP({ secret: body.secret }).generate()
  expect((await apiOf(person).post('/auth/mfa/totp/confirm', { otp })).status).toBe(200)
  return body.secret
}

/** Registers another person's address and creates an API key and second factors. */
async function squat(email = newAddress()) {
  const person = await registerPerson(server, email)
  await enrol(person)
  const { body } = await apiOf(person).post('/api-keys', { name: 'squatter' })
  return { ...person, key: apiClient(server.url, body.raw_key) }
}

async function resetByMail(email: string, chosen = ownPassword) {
  await apiClient(server.url).post('/auth/password/forgot', { email })
  const token = tokenOf((await mailsWithLink(server, email, 'reset-password')).at(-1))
  return await apiClient(server.url).post('/auth/password/reset', { token, password: chosen })
}

/** Lets an agent act for the user who registered the organization. Returns the version of the list of ended delegations and the state. */
async function delegate({ tenantId, userId, session }: Registered) {
  const { rows } = await server.owner.query('select id from environments where tenant_id = $1 limit 1', [tenantId])
  const agent_id = await addAgent(server, tenantId, { environmentId: rows[0].id, status: 'active' })
  const body = { agent_id, tools: ['*'], expires_at: new Date(Date.now() + 3_600_000).toISOString() }
  const sent = await apiClient(server.url, session.access_token).post('/delegations', body)
  expect(sent.status).toBe(201)
  return async () => {
    const { rows } = await server.owner.query(
      'select id, subject_user_id, ended_because, ended_by, ended_in from delegations where tenant_id = $1',
      [tenantId],
    )
    expect(rows).toMatchObject([{ id: sent.body.id, subject_user_id: userId }])
    return rows[0]
  }
}
const endedByNobody = { ended_because: 'access_lost', ended_by: null, ended_in: 2 }

describe('a registered address', () => {
  it('is proved by the mailed link, which works once and for its account only', async () => {
    const person = await registerPerson(server)
    const stranger = await registerPerson(server)
    expect(await isVerified(person)).toBe(false)
    const token = await verificationOf(person.email)
    expect((await apiClient(server.url).post('/auth/email/verify', { token })).status).toBe(401)
    expect((await verify(stranger, token)).status).toBe(410)
    expect((await verify(person, token)).status).toBe(204)
    expect(await isVerified(person)).toBe(true)
    expect((await verify(person, token)).status).toBe(410)
    const changes = (await auditEntries(server, person.tenantId)).filter((e) => e.event_type === 'user.profile_updated')
    expect(changes).toMatchObject([{ resource_id: person.userId, details: { email_verified: true } }])
  })

  it('410 after 24 hours; a new link disables the earlier one; no link is mailed for a proved address', async () => {
    const person = await registerPerson(server)
    const first = await verificationOf(person.email)
    const { rows } = await server.owner.query(
      `update mail_proofs set expires_at = expires_at - interval '24 hours' where account_id = $1 returning expires_at <= now() as over`,
      [person.accountId],
    )
    expect(rows).toEqual([{ over: true }])
    expect((await verify(person, first)).status).toBe(410)
    expect((await apiOf(person).post('/auth/email/verification')).status).toBe(202)
    expect((await verify(person, await verificationOf(person.email))).status).toBe(204)
    const before = (await mailsWithLink(server, person.email, 'verify-email')).length
    expect((await apiOf(person).post('/auth/email/verification')).status).toBe(202)
    expect(await mailsWithLink(server, person.email, 'verify-email')).toHaveLength(before)
  })

  it('can use its own organization before it is proved', async () => {
    const person = await registerPerson(server)
    expect((await apiOf(person).post('/environments', { name: 'Staging', slug: 'staging' })).status).toBe(201)
  })

  it('is proved by accepting an invitation', async () => {
    const tenant = await createTenant(server)
    const email = newAddress()
    await tenant.owner.api.post(`/tenants/${tenant.id}/invite`, { email, role: 'viewer' })
    const body = { token: await tokenMailedTo(server, email), password }
    const { session } = (await apiClient(server.url).post('/auth/invitations/accept', body)).body
    expect((await apiClient(server.url, session.access_token).get('/auth/session')).body.email_verified).toBe(true)
  })
})

describe('a password reset of an address that was never proved', () => {
  it('lets its owner in, and ends the factors, API keys and sessions that existed before', async () => {
    const squatter = await squat()
    expect((await resetByMail(squatter.email)).status).toBe(204)
    const owner = await signIn(server, squatter.email, ownPassword)
    expect(owner.status).toBe(200)
    expect(owner.body.user.mfa_enrolled).toBe(false)
    expect((await squatter.key.get('/users')).status).toBe(401)
    const { refresh_token } = squatter.session
    expect((await apiClient(server.url).post('/auth/refresh', { refresh_token })).status).toBe(401)
    expect((await apiOf(squatter).post('/api-keys', { name: 'again' })).status).toBe(401)
    expect((await signIn(server, squatter.email)).status).toBe(401)
    const me = apiClient(server.url, owner.body.session.access_token)
    expect((await me.get('/auth/session')).body.email_verified).toBe(true)
    const changes = (await auditEntries(server, squatter.tenantId)).filter((e) => e.details.api_keys_revoked)
    expect(changes).toMatchObject([{ event_type: 'user.profile_updated', details: { api_keys_revoked: 1 } }])
    const revoked = (await auditEntries(server, squatter.tenantId)).filter((e) => e.event_type === 'api_key.revoked')
    expect(revoked).toMatchObject([
      { actor_user_id: squatter.userId, details: { name: 'squatter', because: 'address_proved' } },
    ])
  })

  it('ends the delegations that existed before', async () => {
    const squatter = await squat()
    const delegation = await delegate(squatter)
    expect((await resetByMail(squatter.email)).status).toBe(204)
    expect(await delegation()).toMatchObject(endedByNobody)
    expect((await auditEntries(server, squatter.tenantId)).at(-1)).toMatchObject({
      event_type: 'delegation.revoked',
      details: { because: 'access_lost' },
    })
  })

  it('keeps factors, API keys and delegations if the address was proved before', async () => {
    const person = await squat()
    const delegation = await delegate(person)
    expect((await verify(person, await verificationOf(person.email))).status).toBe(204)
    expect((await resetByMail(person.email)).status).toBe(204)
    expect((await person.key.get('/users')).status).toBe(200)
    expect(await delegation()).toMatchObject({ ended_because: null })
    expect(await signIn(server, person.email, ownPassword)).toMatchObject({ body: { code: 'mfa_required' } })
  })

  it('leaves no API key that was created concurrently, by a session or by a key', async () => {
    for (let round = 0; round < 4; round++) {
      const squatter = await squat()
      await apiClient(server.url).post('/auth/password/forgot', { email: squatter.email })
      const token = tokenOf((await mailsWithLink(server, squatter.email, 'reset-password')).at(-1))
      const creations = [1, 2, 3].flatMap((n) => [
        apiOf(squatter).post('/api-keys', { name: `s${n}` }),
        squatter.key.post('/api-keys', { name: `k${n}` }),
      ])
      const reset = await apiClient(server.url).post('/auth/password/reset', { token, password: ownPassword })
      expect(reset.status).toBe(204)
      await Promise.all(creations)
      const { rows } = await server.owner.query('select 1 from api_keys where created_by = $1 and revoked_at is null', [
        squatter.userId,
      ])
      expect(rows).toEqual([])
    }
  })

  it('lets the owner of the address leave the organization and register', async () => {
    const squatter = await squat()
    expect((await apiClient(server.url).post('/auth/register', registration(squatter.email))).status).toBe(409)
    await resetByMail(squatter.email)
    const { session } = (await signIn(server, squatter.email, ownPassword)).body
    const me = apiClient(server.url, session.access_token)
    expect((await me.delete('/users/me')).status).toBe(204)
    expect((await apiClient(server.url).post('/auth/register', registration(squatter.email))).status).toBe(201)
  })
})

describe('an invitation to an address that another person registered and never proved', () => {
  async function invite(tenant: TestTenant, email: string, role = 'member') {
    expect((await tenant.owner.api.post(`/tenants/${tenant.id}/invite`, { email, role })).status).toBe(202)
    return tokenOf((await mailsWithLink(server, email, 'join')).at(-1))
  }
  const accept = (body: Record<string, unknown>) => apiClient(server.url).post('/auth/invitations/accept', body)

  it.each(['member', 'owner'])(
    'gives a %s the address: the unproved account loses the address, its keys and its sessions',
    async (role) => {
      const squatter = await squat()
      const tenant = await createTenant(server)
      const { status, body } = await accept({
        token: await invite(tenant, squatter.email, role),
        password: ownPassword,
      })
      expect(status).toBe(200)
      expect(body.user).toMatchObject({ tenant_id: tenant.id, email: squatter.email, role })
      expect((await signIn(server, squatter.email, ownPassword)).body.user.tenant_id).toBe(tenant.id)
      expect((await signIn(server, squatter.email)).status).toBe(401)
      expect((await apiOf(squatter).get('/auth/session')).status).toBe(401)
      expect((await squatter.key.get('/users')).status).toBe(401)
      const { refresh_token } = squatter.session
      expect((await apiClient(server.url).post('/auth/refresh', { refresh_token })).status).toBe(401)
      const released = (await auditEntries(server, squatter.tenantId)).at(-1)
      expect(released).toMatchObject({
        event_type: 'user.address_released',
        actor_type: 'system',
        resource_id: squatter.userId,
        details: { email: squatter.email, api_keys_revoked: 1 },
      })
    },
  )

  it('keeps the data of the registered organization, whose user becomes pending and whose delegations end', async () => {
    const squatter = await squat()
    const delegation = await delegate(squatter)
    const colleague = await addPerson(server, squatter.tenantId, { role: 'owner' })
    await server.owner.query('update users set federated = true where id = $1', [squatter.userId])
    const tenant = await createTenant(server)
    const accepted = await accept({ token: await invite(tenant, squatter.email), password: ownPassword })
    expect(accepted.body.user).toMatchObject({ email: squatter.email, federated: false })
    const { body } = await colleague.api.get(`/users/${squatter.userId}`)
    expect(body).toMatchObject({ email: squatter.email, status: 'pending', mfa_enrolled: false, federated: false })
    expect(await delegation()).toMatchObject(endedByNobody)
    expect((await colleague.api.get('/environments')).body.data).toHaveLength(2)
  })

  it('409 user_elsewhere for a person who proves that the account is theirs; the account does not change', async () => {
    const person = await registerPerson(server)
    const tenant = await createTenant(server)
    const token = await invite(tenant, person.email)
    expect(await accept({ token, password })).toMatchObject({ status: 409, body: { code: 'user_elsewhere' } })
    expect((await apiOf(person).get('/auth/session')).body.tenant.id).toBe(person.tenantId)
  })

  it('409 user_elsewhere if the address was proved', async () => {
    const person = await registerPerson(server)
    await verify(person, await verificationOf(person.email))
    const tenant = await createTenant(server)
    const token = await invite(tenant, person.email)
    const answer = await accept({ token, password: ownPassword })
    expect(answer).toMatchObject({ status: 409, body: { code: 'user_elsewhere' } })
    expect((await signIn(server, person.email)).body.user.tenant_id).toBe(person.tenantId)
  })

  it('a refused password changes nothing', async () => {
    const squatter = await squat()
    const tenant = await createTenant(server)
    const token = await invite(tenant, squatter.email)
    expect((await accept({ token, password: 'short' })).status).toBe(400)
    expect((await accept({ token })).status).toBe(400)
    expect((await squatter.key.get('/users')).status).toBe(200)
    expect((await apiOf(squatter).get('/auth/session')).status).toBe(200)
  })

  it('an invitation and a proof at the same time leave the address with one of the two users', async () => {
    for (let round = 0; round < 4; round++) {
      const person = await registerPerson(server)
      const tenant = await createTenant(server)
      const token = await invite(tenant, person.email)
      const proof = await verificationOf(person.email)
      const [proved, joined] = await Promise.all([verify(person, proof), accept({ token, password: ownPassword })])
      expect([proved.status === 204, joined.status === 200].filter(Boolean)).toHaveLength(1)
      const { rows } = await server.owner.query("select tenant_id from users where email = $1 and status = 'active'", [
        person.email,
      ])
      expect(rows).toEqual([{ tenant_id: joined.status === 200 ? tenant.id : person.tenantId }])
    }
  })

  it('replaces an account without a user whose address was never proved', async () => {
    const tenant = await createTenant(server)
    const email = newAddress()
    const { db, identity } = server.services
    await db.transaction('', (tx) =>
      identity.createAccount(tx, { email, password: 'somebody else knows it', emailVerified: false }),
    )
    expect((await accept({ token: await invite(tenant, email), password: ownPassword })).status).toBe(200)
    expect((await signIn(server, email, ownPassword)).status).toBe(200)
    expect((await signIn(server, email, 'somebody else knows it')).status).toBe(401)
  })
})
