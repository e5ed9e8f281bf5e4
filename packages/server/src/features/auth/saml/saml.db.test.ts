import { randomBytes } from 'node:crypto'
import { TOTP } from 'otpauth'
import { beforeAll, describe, expect, it } from 'vitest'
import { createSamlIssuer, type SamlAnswer, type SamlIssuer } from '../../../identity/testing/saml-issuer.ts'
import { apiClient } from '../../../testing/api-client.ts'
import { addPerson, auditEntries, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import { secretDigest } from '../federated/create-code.ts'
import { type Browser, exchange, newBrowser } from '../testing/browser.ts'
import { newAddress, registerPerson, signIn } from '../testing/people.ts'
import { mailsWithLink, tokenOf } from '../testing/wait-for-mail.ts'

const publicUrl = 'https://mandate.example'
const server = useTestServer(() => ({ publicUrl }))
let issuer: SamlIssuer

beforeAll(async () => {
  issuer = createSamlIssuer()
})

interface SamlTenant extends TestTenant {
  domain: string
  providerId: string
}

async function createSamlTenant(by: SamlIssuer = issuer): Promise<SamlTenant> {
  const tenant = await createTenant(server)
  const mark = randomBytes(6).toString('hex')
  const [domain, providerId] = [`${mark}.example`, `p-${mark}`]
  const { status, body } = await tenant.owner.api.put(`/tenants/${tenant.id}`, {
    saml_enabled: true,
    saml_entity_id: by.entityId,
    saml_sso_url: by.ssoUrl,
    saml_certificate: by.certificate,
    saml_email_domain: domain,
    saml_provider_id: providerId,
  })
  expect([status, body.saml_enabled]).toEqual([200, true])
  return { ...tenant, domain, providerId }
}

const path = (tenant: SamlTenant, step: string) => `${server.url}/api/v1/auth/saml/${tenant.providerId}/${step}`

async function begin(tenant: SamlTenant, browser: Browser) {
  const start = await browser.get(path(tenant, 'start'))
  expect(start.status).toBe(302)
  const { body: metadata } = await browser.get(path(tenant, 'metadata'))
  return { url: start.location, metadata, relayState: new URL(start.location).searchParams.get('RelayState') ?? '' }
}

function deliver(tenant: SamlTenant, browser: Browser, SAMLResponse: string, RelayState: string) {
  const form = new URLSearchParams({ SAMLResponse, RelayState }).toString()
  // A POST from another site has no cookie.
  return browser.post(path(tenant, 'acs'), form, 'application/x-www-form-urlencoded', false)
}

interface Through {
  browser?: Browser
  by?: SamlIssuer
  answer?: Partial<SamlAnswer>
}

async function goThrough(
  tenant: SamlTenant,
  nameId: string,
  { browser = newBrowser(), by = issuer, answer }: Through = {},
) {
  const { url, metadata, relayState } = await begin(tenant, browser)
  return await deliver(tenant, browser, await by.answer(url, metadata, { nameId, ...answer }), relayState)
}

async function signInAs(tenant: SamlTenant, nameId: string) {
  const browser = newBrowser()
  const back = await goThrough(tenant, nameId, { browser })
  return await exchange(server.url, browser, back.location)
}

const failed = (reason: string) => ({ status: 303, location: `${publicUrl}/sign-in?error=${reason}` })

describe('just-in-time provisioning', () => {
  it('creates a user for a person of the tenant’s domain: a scoped viewer, who takes a seat', async () => {
    const tenant = await createSamlTenant()
    const email = `Ada@${tenant.domain}`
    const { status, body } = await signInAs(tenant, email)
    expect(status).toBe(200)
    expect(body.user).toMatchObject({ tenant_id: tenant.id, email, role: 'viewer', access_scope: 'scoped' })
    expect(body.user).toMatchObject({
      status: 'active',
      display_name: 'Ada Lovelace',
      academy_only: false,
      federated: true,
    })
    const joined = (await auditEntries(server, tenant.id)).find(({ event_type }) => event_type === 'user.joined')
    expect(joined).toMatchObject({ actor_user_id: body.user.id, details: { by: 'saml' } })
    expect((await signInAs(tenant, email)).body.user).toEqual(body.user)
  })

  it('refuses an address of another domain', async () => {
    const tenant = await createSamlTenant()
    expect(await goThrough(tenant, newAddress())).toMatchObject(failed('domain_not_served'))
  })

  it('refuses a person if no seat is free, also if several arrive at the same time', async () => {
    const tenant = await createSamlTenant()
    await server.owner.query('update tenants set max_users_override = 2 where id = $1', [tenant.id])
    const backs = await Promise.all(['ada', 'eve', 'bob'].map((name) => goThrough(tenant, `${name}@${tenant.domain}`)))
    const locations = backs.map(({ location }) => location)
    expect(locations.filter((location) => location.includes('code='))).toHaveLength(1)
    expect(locations.filter((location) => location.endsWith('error=seat_limit_reached'))).toHaveLength(2)
  })

  it('creates one user for a person who arrives twice at the same time', async () => {
    const tenant = await createSamlTenant()
    const backs = await Promise.all([1, 2, 3].map(() => goThrough(tenant, `ada@${tenant.domain}`)))
    for (const { location } of backs) expect(location).toContain('/sign-in/complete?code=')
    const { rows } = await server.owner.query('select count(*)::int as count from users where tenant_id = $1', [
      tenant.id,
    ])
    expect(rows[0].count).toBe(2)
  })

  it('never moves a user: an address with a user in another tenant is refused', async () => {
    const tenant = await createSamlTenant()
    const victim = await registerPerson(server, newAddress(tenant.domain))
    expect(await goThrough(tenant, victim.email)).toMatchObject(failed('user_elsewhere'))
    expect((await signIn(server, victim.email)).body.user.tenant_id).toBe(victim.tenantId)
  })
})

describe('an account that a provider created with another person’s address', () => {
  it('lets the owner of the address in by a password reset, even if factors were enrolled through the provider', async () => {
    const tenant = await createSamlTenant()
    const email = newAddress(tenant.domain)
    const api = apiClient(server.url, (await signInAs(tenant, email)).body.session.access_token)
    const { secret } = (await api.post('/auth/mfa/totp')).body
    const otp = new TOTP({ secret }).generate()
    expect((await api.post('/auth/mfa/totp/confirm', { otp })).status).toBe(200)
    await apiClient(server.url).post('/auth/password/forgot', { email })
    const token = tokenOf((await mailsWithLink(server, email, 'reset-password')).at(-1))
    const chosen = 'the owner of the address'
    expect((await apiClient(server.url).post('/auth/password/reset', { token, password: chosen })).status).toBe(204)
    const owner = await signIn(server, email, chosen)
    expect(owner).toMatchObject({ status: 200, body: { user: { mfa_enrolled: false } } })
    expect((await apiClient(server.url, owner.body.session.access_token).delete('/users/me')).status).toBe(204)
    expect((await registerPerson(server, email)).tenantId).not.toBe(tenant.id)
  })
})

describe('the tenant’s own provider', () => {
  it('proves an invited address, and joins it with the invited role and read_only', async () => {
    const tenant = await createSamlTenant()
    const email = newAddress()
    await tenant.owner.api.post(`/tenants/${tenant.id}/invite`, { email, role: 'manager', read_only: true })
    const { body } = await signInAs(tenant, email)
    expect(body.user).toMatchObject({
      tenant_id: tenant.id,
      role: 'manager',
      access_scope: 'all',
      read_only: true,
      status: 'active',
      federated: true,
    })
  })

  it('does not join an address whose sign-in account another party created', async () => {
    const tenant = await createSamlTenant()
    const email = newAddress()
    await tenant.owner.api.post(`/tenants/${tenant.id}/invite`, { email, role: 'manager' })
    const { db, identity } = server.services
    await db.transaction('', (tx) =>
      identity.createAccount(tx, { email, password: 'nobody else knows it', emailVerified: true }),
    )
    expect(await goThrough(tenant, email)).toMatchObject(failed('address_not_verified'))
  })

  it('signs in a user of the tenant, but not a person whose invitation has expired', async () => {
    const tenant = await createSamlTenant()
    const person = await addPerson(server, tenant.id)
    expect((await signInAs(tenant, person.email)).body.user.id).toBe(person.id)
    const email = newAddress()
    await tenant.owner.api.post(`/tenants/${tenant.id}/invite`, { email, role: 'owner' })
    await server.owner.query('update invitations set expires_at = now() where tenant_id = $1', [tenant.id])
    expect(await goThrough(tenant, email)).toMatchObject(failed('invitation_expired'))
  })

  it('keeps the user of a person for whom it sends another name id, by the email address', async () => {
    const tenant = await createSamlTenant()
    const email = `ada@${tenant.domain}`
    const { body } = await signInAs(tenant, email)
    const browser = newBrowser()
    const nameIdFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
    const back = await goThrough(tenant, 'G-17', { browser, answer: { nameIdFormat, attributes: { email } } })
    expect((await exchange(server.url, browser, back.location)).body.user.id).toBe(body.user.id)
    const { rows } = await server.owner.query('select count(*)::int as count from users where tenant_id = $1', [
      tenant.id,
    ])
    expect(rows).toEqual([{ count: 2 }])
  })

  it('marks the people whom it signs in as federated, also if an earlier version linked the accounts', async () => {
    const tenant = await createSamlTenant()
    const [person, colleague] = [await addPerson(server, tenant.id), await addPerson(server, tenant.id)]
    const marks = async () => {
      const { rows } = await server.owner.query('select id from users where tenant_id = $1 and federated', [tenant.id])
      return rows.map(({ id }) => id)
    }
    expect(await marks()).toEqual([])
    expect((await signInAs(tenant, person.email)).body.user.federated).toBe(true)
    await server.owner.query('update users set federated = false where id = $1', [person.id])
    expect((await signInAs(tenant, person.email)).body.user).toMatchObject({ id: person.id, federated: true })
    expect(await marks()).toEqual([person.id])
    expect((await colleague.api.get('/auth/session')).body.user.federated).toBe(false)
  })

  it('marks no person who is refused, and none of another tenant', async () => {
    const impostor = createSamlIssuer()
    const [victim, attacker] = await Promise.all([createSamlTenant(), createSamlTenant(impostor)])
    const person = await addPerson(server, victim.id)
    expect((await goThrough(attacker, person.email, { by: impostor })).location).toContain('error=')
    expect(await goThrough(victim, person.email, { by: impostor })).toMatchObject(failed('refused'))
    const { rows } = await server.owner.query('select federated from users where id = $1', [person.id])
    expect(rows).toEqual([{ federated: false }])
  })

  it('proves nothing for another tenant, even with the same entity id and an invitation there', async () => {
    const impostor = createSamlIssuer()
    const [victim, attacker] = await Promise.all([createSamlTenant(), createSamlTenant(impostor)])
    const email = newAddress(victim.domain)
    await victim.owner.api.post(`/tenants/${victim.id}/invite`, { email, role: 'owner' })
    expect(await goThrough(attacker, email, { by: impostor })).toMatchObject(failed('domain_not_served'))
    expect(await goThrough(victim, email, { by: impostor })).toMatchObject(failed('refused'))
    const { url, metadata, relayState } = await begin(attacker, newBrowser())
    const response = await impostor.answer(url, metadata, { nameId: email })
    expect(await deliver(victim, newBrowser(), response, relayState)).toMatchObject(failed('refused'))
    const { rows } = await server.owner.query('select status from users where email = $1', [email])
    expect(rows).toEqual([{ status: 'pending' }])
  })

  it('does not sign in its owner’s address at another tenant’s account, and no removed user', async () => {
    const tenant = await createSamlTenant()
    const email = `ada@${tenant.domain}`
    const { body } = await signInAs(tenant, email)
    await server.owner.query('delete from users where id = $1', [body.user.id])
    expect((await goThrough(tenant, email)).location).toContain('error=')
  })
})

describe('the steps of a SAML sign-in', () => {
  it('starts with a Secure, HttpOnly, SameSite=Lax cookie of this host and the digest of its secret', async () => {
    const tenant = await createSamlTenant()
    const { status, location, setCookie } = await newBrowser().get(path(tenant, 'start'))
    expect(status).toBe(302)
    expect(setCookie[0]).toMatch(/^__Host-mandate_sign_in=[^;]+; Max-Age=900; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    const secret = setCookie[0]?.slice('__Host-mandate_sign_in='.length).split('.')[0] as string
    expect(decodeURIComponent(location)).not.toContain(secret)
  })

  it('ends with a code that only the browser that started it can exchange', async () => {
    const tenant = await createSamlTenant()
    const [attacker, victim] = [newBrowser(), newBrowser()]
    const back = await goThrough(tenant, `eve@${tenant.domain}`, { browser: attacker })
    await begin(tenant, victim)
    expect((await exchange(server.url, victim, back.location)).status).toBe(401)
    expect((await exchange(server.url, attacker, back.location)).status).toBe(200)
  })

  it('a code without a secret cannot be exchanged by a browser that started no sign-in', async () => {
    const tenant = await createSamlTenant()
    const { url, metadata } = await begin(tenant, newBrowser())
    const response = await issuer.answer(url, metadata, { nameId: `eve@${tenant.domain}` })
    const { location } = await deliver(tenant, newBrowser(), response, secretDigest(''))
    expect(location).toContain('code=')
    expect((await exchange(server.url, newBrowser(), location)).status).toBe(401)
  })

  it('accepts a SAML response once, and none that was changed or has no relay state', async () => {
    const tenant = await createSamlTenant()
    const browser = newBrowser()
    const { url, metadata, relayState } = await begin(tenant, browser)
    const response = await issuer.answer(url, metadata, { nameId: `ada@${tenant.domain}` })
    const changed = Buffer.from(Buffer.from(response, 'base64').toString().replace('ada@', 'eve@')).toString('base64')
    expect(await deliver(tenant, browser, changed, relayState)).toMatchObject(failed('refused'))
    expect((await deliver(tenant, browser, response, relayState)).location).toContain('code=')
    expect(await deliver(tenant, browser, response, relayState)).toMatchObject(failed('refused'))
    const { url: next } = await begin(tenant, browser)
    const unmarked = await issuer.answer(next, metadata, { nameId: `ada@${tenant.domain}` })
    expect(await deliver(tenant, browser, unmarked, '')).toMatchObject(failed('refused'))
  })

  it('404 for an unknown provider and while SAML is disabled; 400 and 415 for a body that is not a SAML response', async () => {
    const tenant = await createSamlTenant()
    const api = apiClient(server.url)
    expect((await api.get('/auth/saml/unknown/start')).status).toBe(404)
    expect((await api.get(`/auth/saml/saml.${tenant.providerId}/start`)).status).toBe(302)
    const form = 'application/x-www-form-urlencoded'
    expect((await newBrowser().post(path(tenant, 'acs'), 'RelayState=x', form)).status).toBe(400)
    expect((await newBrowser().post(path(tenant, 'acs'), '{}', 'application/json')).status).toBe(415)
    await tenant.owner.api.put(`/tenants/${tenant.id}`, { saml_enabled: false })
    for (const step of ['start', 'metadata']) expect((await newBrowser().get(path(tenant, step))).status).toBe(404)
    expect((await newBrowser().post(path(tenant, 'acs'), 'SAMLResponse=x', form)).status).toBe(404)
  })
})

describe('a POST to the ACS', () => {
  const encoded = (xml: string) => Buffer.from(xml).toString('base64')
  it.each([
    ['nothing', ''],
    ['no base64', '\u0000\ud800%%%'],
    ['no XML', encoded('nonsense')],
    ['another document', encoded('<a/>')],
    ['a document type', encoded('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')],
    ['broken XML', encoded('<samlp:Response><')],
    ['a deep document', encoded('<a>'.repeat(1500))],
    ['a large document', encoded('x'.repeat(200_000))],
  ])('is refused and never a 5xx: %s', async (_, response) => {
    const tenant = await createSamlTenant()
    expect(await deliver(tenant, newBrowser(), response, 'mark')).toMatchObject(failed('refused'))
  })

  it('is 413 if it is larger than 300 KiB', async () => {
    const tenant = await createSamlTenant()
    const { status } = await deliver(tenant, newBrowser(), 'x'.repeat(300 * 1024), 'mark')
    expect(status).toBe(413)
  })
})

describe('GET /auth/providers', () => {
  const providers = async (email: string) =>
    (await apiClient(server.url).get(`/auth/providers?email=${encodeURIComponent(email)}`)).body.providers

  it('offers SAML by the lower-cased domain of the address, whether the address is known or not', async () => {
    const tenant = await createSamlTenant()
    const known = await registerPerson(server, newAddress(tenant.domain))
    const offered = [{ type: 'password' }, { type: 'saml', provider: `saml.${tenant.providerId}` }]
    for (const email of [known.email, newAddress(tenant.domain), `X@${tenant.domain.toUpperCase()}`]) {
      expect(await providers(email)).toEqual(offered)
    }
    expect(await providers(tenant.owner.email)).toEqual([{ type: 'password' }])
    expect(await providers(newAddress(`sub.${tenant.domain}`))).toEqual([{ type: 'password' }])
  })

  it('offers no SAML while the tenant has disabled it or has no provider id', async () => {
    const tenant = await createSamlTenant()
    await server.owner.query(`update tenants set saml_provider_id = '' where id = $1`, [tenant.id])
    expect(await providers(newAddress(tenant.domain))).toEqual([{ type: 'password' }])
    const stale = await createSamlTenant()
    await server.owner.query('update tenants set saml_enabled = false where id = $1', [stale.id])
    expect(await providers(newAddress(stale.domain))).toEqual([{ type: 'password' }])
    const other = await createSamlTenant()
    await other.owner.api.put(`/tenants/${other.id}`, { saml_enabled: false })
    expect(await providers(newAddress(other.domain))).toEqual([{ type: 'password' }])
  })

  it('400 for text that is not an address', async () => {
    expect((await apiClient(server.url).get('/auth/providers?email=nobody')).status).toBe(400)
  })
})
