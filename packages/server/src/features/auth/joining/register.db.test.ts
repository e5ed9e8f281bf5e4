import { describe, expect, it } from 'vitest'
import { apiClient } from '../../../testing/api-client.ts'
import { auditEntries, createTenant } from '../../../testing/arrange.ts'
import { startTestServer } from '../../../testing/start-test-server.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { newAddress, password, registration } from '../testing/people.ts'

const server = useOwnServer()

const register = (body: unknown) => apiClient(server.url).post('/auth/register', body)

describe('POST /auth/register', () => {
  it('201 with the tenant on plan free and gate alert, its owner, and a session that works', async () => {
    const email = newAddress()
    const { status, body } = await register({
      ...registration(email),
      display_name: ' Ada\u202e  Lovelace ',
      federated: true,
    })
    expect(status).toBe(201)
    expect(Object.keys(body).sort()).toEqual(['session', 'tenant', 'user'])
    expect(body.tenant).toMatchObject({ name: 'Analytical Engines', plan: 'free', governance_gate: 'alert' })
    expect(body.tenant).toMatchObject({ saml_enabled: false, saml_email_domain: '' })
    expect(body.user).toEqual({
      id: expect.any(String),
      tenant_id: body.tenant.id,
      email,
      display_name: 'Ada Lovelace',
      role: 'owner',
      status: 'active',
      academy_only: false,
      mfa_enrolled: false,
      factors: [],
      federated: false,
      access_scope: 'all',
      read_only: false,
      created_at: expect.any(String),
    })
    expect(body.session).toMatchObject({ token_type: 'Bearer', expires_in: 900 })
    const me = await apiClient(server.url, body.session.access_token).get('/auth/session')
    expect(me.body).toMatchObject({ user: { id: body.user.id }, tenant: body.tenant, via: { type: 'session' } })
  })

  it('201 with the tenant on the plan that the operator chose for new ones', async () => {
    const other = await startTestServer({ defaultPlan: 'pro' })
    try {
      const { status, body } = await apiClient(other.url).post('/auth/register', registration())
      expect(status).toBe(201)
      expect(body.tenant.plan).toBe('pro')
      const [created] = await auditEntries(other, body.tenant.id)
      expect(created).toMatchObject({ event_type: 'tenant.created', details: { plan: 'pro' } })
    } finally {
      await other.stop()
    }
  })

  it('a new tenant has two environments, production and development', async () => {
    const { body } = await register(registration())
    const { rows } = await server.owner.query(
      'select slug, is_production from environments where tenant_id = $1 order by slug',
      [body.tenant.id],
    )
    expect(rows).toEqual([
      { slug: 'development', is_production: false },
      { slug: 'production', is_production: true },
    ])
  })

  it('writes tenant.created and user.joined with the person as actor', async () => {
    const { body } = await register(registration())
    const entries = await auditEntries(server, body.tenant.id)
    expect(entries.map((entry) => entry.event_type)).toEqual(['tenant.created', 'user.joined'])
    for (const entry of entries) expect(entry).toMatchObject({ actor_type: 'person', actor_user_id: body.user.id })
  })

  it('409 for an address that already has a user, in upper or lower case; nothing is written', async () => {
    const email = newAddress()
    await register(registration(email))
    const before = await countTenants()
    for (const again of [email, email.toUpperCase()]) expect((await register(registration(again))).status).toBe(409)
    const tenant = await createTenant(server)
    expect((await register(registration(tenant.owner.email))).status).toBe(409)
    expect(await countTenants()).toBe(before + 1)
  })

  it('409 for all but one of several people who register an address at the same time', async () => {
    const email = newAddress()
    const answers = await Promise.all(Array.from({ length: 6 }, () => register(registration(email))))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409])
    const { rows } = await server.owner.query('select count(*)::int as count from users where email_lower = $1', [
      email,
    ])
    expect(rows[0].count).toBe(1)
  })

  it.each([
    ['email', { email: 'nobody' }],
    ['organization', { organization: '  ' }],
    ['password', { password: undefined }],
    ['password', { password: 'x'.repeat(9) }],
    ['display_name', { display_name: 'x'.repeat(201) }],
    ['display_name', { display_name: null }],
    ['display_name', { display_name: '\ud800' }],
    ['organization', { organization: 'A\u0000B' }],
  ])('400 naming %s: %j', async (field, change) => {
    const { status, body } = await register({ ...registration(), ...change })
    expect(status).toBe(400)
    expect(body.error.toLowerCase()).toContain(field)
  })

  it('400 for a password that is the address', async () => {
    const email = newAddress()
    expect((await register({ ...registration(email), password: email })).status).toBe(400)
  })

  it('an account without a user can be reused with its password only', async () => {
    const email = newAddress()
    const { db, identity } = server.services
    await db.transaction('', (tx) => identity.createAccount(tx, { email, password, emailVerified: false }))
    expect((await register({ ...registration(email), password: 'another password' })).status).toBe(409)
    expect((await register(registration(email))).status).toBe(201)
  })
})

async function countTenants(): Promise<number> {
  return (await server.owner.query('select count(*)::int as count from tenants')).rows[0].count
}
