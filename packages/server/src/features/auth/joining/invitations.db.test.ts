import { describe, expect, it } from 'vitest'
import { apiClient } from '../../../testing/api-client.ts'
import { auditEntries, createTenant, signInAs, type TestTenant } from '../../../testing/arrange.ts'
import { tokenMailedTo } from '../../../testing/mail-box.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import { newAddress, password, registerPerson, registration, signIn } from '../testing/people.ts'

const server = useTestServer()

async function invite(tenant: TestTenant, email = newAddress(), role = 'member') {
  const { status } = await tenant.owner.api.post(`/tenants/${tenant.id}/invite`, { email, role })
  expect(status).toBe(202)
  return { email, token: await tokenMailedTo(server, email) }
}

const accept = (body: Record<string, unknown>, credential?: string) =>
  apiClient(server.url, credential).post('/auth/invitations/accept', body)

describe('POST /auth/invitations/accept', () => {
  it('200 {session, user}: a person with a new address chooses a password and a name, and can then sign in', async () => {
    const tenant = await createTenant(server)
    const { email, token } = await invite(tenant)
    const { status, body } = await accept({ token, password, display_name: '\u200e Ada\n Lovelace' })
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(['session', 'user'])
    expect(body.user).toMatchObject({ email, role: 'member', status: 'active', display_name: 'Ada Lovelace' })
    expect((await signIn(server, email)).body.user).toEqual(body.user)
    const joined = (await auditEntries(server, tenant.id)).filter(({ event_type }) => event_type === 'user.joined')
    expect(joined).toMatchObject([{ actor_type: 'person', actor_user_id: body.user.id, resource_id: body.user.id }])
  })

  it('200 for a learner, who joins with Academy access only', async () => {
    const tenant = await createTenant(server)
    const email = newAddress()
    await tenant.owner.api.post('/academy/invitations', { email })
    const { body } = await accept({ token: await tokenMailedTo(server, email), password })
    expect(body.user).toMatchObject({ academy_only: true, role: 'viewer', status: 'active' })
  })

  it('410 for a used, expired or unknown token, and for all but one concurrent use', async () => {
    const tenant = await createTenant(server)
    const { token } = await invite(tenant)
    const answers = await Promise.all(Array.from({ length: 4 }, () => accept({ token, password })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410])
    for (const table of ['invitations', 'credential_lookup']) {
      const { rows } = await server.owner.query(`select 1 from ${table} where tenant_id = $1`, [tenant.id])
      expect(rows).toEqual([])
    }
    const late = await invite(tenant)
    await server.owner.query('update invitations set expires_at = now() where tenant_id = $1', [tenant.id])
    const gone = { status: 410, body: { error: 'this invitation has been used or has expired' } }
    for (const spent of [token, late.token, 'nonsense'])
      expect(await accept({ token: spent, password })).toMatchObject(gone)
  })

  it('410 for the token of a renewed or withdrawn invitation', async () => {
    const tenant = await createTenant(server)
    const first = await invite(tenant)
    const second = await invite(tenant, first.email)
    expect((await accept({ token: first.token, password })).status).toBe(410)
    const { rows } = await server.owner.query('select id from users where email = $1', [first.email])
    await server.owner.query('delete from users where id = $1', [rows[0].id])
    expect((await accept({ token: second.token, password })).status).toBe(410)
  })

  it('400 for a missing or weak password and a name over 200 characters; the invitation stays usable', async () => {
    const tenant = await createTenant(server)
    const { token } = await invite(tenant)
    expect(await accept({ token })).toMatchObject({ status: 400, body: { error: 'password is required' } })
    expect((await accept({ token, password: 'short' })).status).toBe(400)
    const long = await accept({ token, password, display_name: 'x'.repeat(201) })
    expect(long).toMatchObject({ status: 400, body: { error: 'display_name must be at most 200 characters' } })
    expect((await accept({ token, password })).status).toBe(200)
  })

  it('409 user_elsewhere for an address with a user in another tenant; the invitation does not change', async () => {
    const tenant = await createTenant(server)
    const person = await registerPerson(server)
    const { token } = await invite(tenant, person.email)
    expect(await accept({ token, password })).toMatchObject({ status: 409, body: { code: 'user_elsewhere' } })
    const { rows } = await server.owner.query('select status from users where tenant_id = $1 and email = $2', [
      tenant.id,
      person.email,
    ])
    expect(rows).toEqual([{ status: 'pending' }])
    expect((await signIn(server, person.email)).body.user.tenant_id).toBe(person.tenantId)
  })

  it('409 owner_elsewhere for an owner invitation to an address that owns a tenant', async () => {
    const tenant = await createTenant(server)
    const person = await registerPerson(server)
    const { token } = await invite(tenant, person.email, 'owner')
    const { status, body } = await accept({ token, password })
    expect(status).toBe(409)
    expect(body).toEqual({ error: expect.any(String), message: body.error, code: 'owner_elsewhere' })
  })

  it('409 for all but one if an address joins several tenants at the same time', async () => {
    const tenants = await Promise.all([createTenant(server), createTenant(server), createTenant(server)])
    const email = newAddress()
    const tokens: string[] = []
    for (const tenant of tenants) tokens.push((await invite(tenant, email)).token)
    const register = apiClient(server.url).post('/auth/register', registration(email))
    const answers = await Promise.all([...tokens.map((token) => accept({ token, password })), register])
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status < 300)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(3)
    const { rows } = await server.owner.query(`select id from users where email = $1 and status = 'active'`, [email])
    expect(rows).toHaveLength(1)
  })
})

describe('a person whose invited address has a sign-in account proves that it is theirs', () => {
  async function inviteAccount() {
    const tenant = await createTenant(server)
    const { email, token } = await invite(tenant)
    const { db, identity } = server.services
    const account = { email, password: 'the account’s own', emailVerified: true }
    const { accountId } = await db.transaction('', (tx) => identity.createAccount(tx, account))
    return { email, token, accountId }
  }

  it('401 with another password or without one, and the account’s password does not change', async () => {
    const { email, token } = await inviteAccount()
    expect((await accept({ token, password })).status).toBe(401)
    expect((await accept({ token })).status).toBe(401)
    expect((await accept({ token, password: 'the account’s own' })).status).toBe(200)
    expect((await signIn(server, email, 'the account’s own')).status).toBe(200)
  })

  it('200 with its own access token, 401 with another person’s', async () => {
    const { token, accountId } = await inviteAccount()
    const stranger = await registerPerson(server)
    expect((await accept({ token }, stranger.session.access_token)).status).toBe(401)
    expect((await accept({ token }, await signInAs(server, accountId))).status).toBe(200)
  })

  it('401 with an access token whose session has ended', async () => {
    const { token, accountId } = await inviteAccount()
    const own = await signInAs(server, accountId)
    await server.owner.query('update sessions set revoked_at = now() where account_id = $1', [accountId])
    expect((await accept({ token }, own)).status).toBe(401)
  })
})
