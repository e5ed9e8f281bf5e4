import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OpenIdIssuer, startOpenIdIssuer } from '../../../identity/testing/openid-issuer.ts'
import { apiClient } from '../../../testing/api-client.ts'
import { addPerson, auditEntries, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { tokenMailedTo } from '../../../testing/mail-box.ts'
import { startTestServer, type TestServer } from '../../../testing/start-test-server.ts'
import { type Browser, exchange, newBrowser } from '../testing/browser.ts'
import { cookieMode, pageOf, sessionCookieOf } from '../testing/cookie-browser.ts'
import { newAddress, registerPerson } from '../testing/people.ts'

const publicUrl = 'http://127.0.0.1:8080'
let issuer: OpenIdIssuer
let server: TestServer

beforeAll(async () => {
  issuer = await startOpenIdIssuer(`${publicUrl}/api/v1/auth/google/callback`)
  const { clientId, clientSecret, issuer: url } = issuer
  server = await startTestServer({ google: { clientId, clientSecret, issuer: url } })
})
afterAll(async () => {
  await server.stop()
  await issuer.stop()
})

const here = (url: string) => url.replace(publicUrl, server.url)

/** Signs in at the issuer as a person with this address. Returns the response of the callback. */
async function goThrough(browser: Browser, email: string, { verified = true, invitation = '' } = {}) {
  issuer.people.set(email, { email, email_verified: verified, name: 'Ada Lovelace' })
  const start = await browser.get(`${server.url}/api/v1/auth/google/start${invitation && `?invitation=${invitation}`}`)
  expect(start.status).toBe(302)
  issuer.signsIn = email
  return await browser.get(here(await issuer.visit(start.location)))
}

async function invite(tenant: TestTenant, email: string) {
  await tenant.owner.api.post(`/tenants/${tenant.id}/invite`, { email, role: 'member' })
  return await tokenMailedTo(server, email)
}

const failed = (reason: string) => ({ status: 302, location: `${publicUrl}/sign-in?error=${reason}` })

describe('a sign-in with Google', () => {
  it('302 to the dashboard with a code, which the browser exchanges once for a session; no URL contains a token', async () => {
    const tenant = await createTenant(server)
    const browser = newBrowser()
    const back = await goThrough(browser, tenant.owner.email)
    expect(back.status).toBe(302)
    expect(back.location).toMatch(/^http:\/\/127\.0\.0\.1:8080\/sign-in\/complete\?code=[\w-]{43}$/)
    const { status, body } = await exchange(server.url, browser, back.location)
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(['session', 'user'])
    expect(body.user).toMatchObject({ id: tenant.owner.id })
    expect((await apiClient(server.url, body.session.access_token).get('/auth/session')).status).toBe(200)
    const { refresh_token } = body.session
    expect((await apiClient(server.url).post('/auth/refresh', { refresh_token })).status).toBe(200)
  })

  it('with Mandate-Session, the exchange sets the session cookie; the code works once and has no grace', async () => {
    const tenant = await createTenant(server)
    const browser = newBrowser()
    const code = new URL((await goThrough(browser, tenant.owner.email)).location).searchParams.get('code')
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const trade = () => apiClient(server.url).post('/auth/exchange', { code }, { ...cookieMode, cookie })
    const answer = await trade()
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.body.session).sort()).toEqual(['access_token', 'expires_in', 'token_type'])
    const names = answer.headers.getSetCookie().map((line) => line.slice(0, line.indexOf('=')))
    expect(names.sort()).toEqual(['mandate_device', 'mandate_session', 'mandate_sign_in'])
    const token = sessionCookieOf(answer)?.value as string
    expect((await trade()).status).toBe(401)
    expect((await pageOf(server).refresh(token)).status).toBe(401)
  })

  it('keeps its state in an HttpOnly, SameSite=Lax cookie', async () => {
    const [cookie] = (await newBrowser().get(`${server.url}/api/v1/auth/google/start`)).setCookie
    expect(cookie).toMatch(/^mandate_sign_in=[^;]+; Max-Age=900; Path=\/; HttpOnly; SameSite=Lax$/)
  })

  it.each(['\r\nx-injected: 1', 'a; Domain=example.com', '\u{1f600}', 'a.b'])(
    'an invitation with any characters (%j) cannot end its cookie or the header',
    async (invitation) => {
      const query = new URLSearchParams({ invitation })
      const { status, setCookie } = await newBrowser().get(`${server.url}/api/v1/auth/google/start?${query}`)
      expect(status).toBe(302)
      expect(setCookie).toEqual([
        expect.stringMatching(/^mandate_sign_in=[\w.-]+; Max-Age=900; Path=\/; HttpOnly; SameSite=Lax$/),
      ])
    },
  )

  it('a code does not work in another browser, at the refresh route, a second time, or after a minute', async () => {
    const tenant = await createTenant(server)
    const browser = newBrowser()
    const { location } = await goThrough(browser, tenant.owner.email)
    const secret = new Map(browser.cookies)
    expect((await exchange(server.url, newBrowser(), location)).status).toBe(401)
    const code = new URL(location).searchParams.get('code')
    expect((await apiClient(server.url).post('/auth/refresh', { refresh_token: code })).status).toBe(401)
    const first = await exchange(server.url, browser, location)
    expect(first.status).toBe(200)
    for (const [name, value] of secret) browser.cookies.set(name, value)
    expect((await exchange(server.url, browser, location)).status).toBe(401)
    const { refresh_token } = first.body.session
    expect((await apiClient(server.url).post('/auth/refresh', { refresh_token })).status).toBe(401)

    const late = await goThrough(browser, tenant.owner.email)
    await server.owner.query(`update refresh_tokens set expires_at = expires_at - interval '1 minute'`)
    expect((await exchange(server.url, browser, late.location)).status).toBe(401)
  })

  it('is refused to a browser that did not start it', async () => {
    const tenant = await createTenant(server)
    const start = await newBrowser().get(`${server.url}/api/v1/auth/google/start`)
    issuer.people.set('ada', { email: tenant.owner.email, email_verified: true })
    issuer.signsIn = 'ada'
    const callback = here(await issuer.visit(start.location))
    expect(await newBrowser().get(callback)).toMatchObject(failed('refused'))
    const other = newBrowser()
    await other.get(`${server.url}/api/v1/auth/google/start`)
    expect(await other.get(callback)).toMatchObject(failed('refused'))
  })

  it('an unknown address is redirected to the sign-in page, and no user is created', async () => {
    const email = newAddress()
    expect(await goThrough(newBrowser(), email)).toMatchObject(failed('no_account'))
    const { rows } = await server.owner.query('select 1 from identity.accounts where email = $1', [email])
    expect(rows).toEqual([])
  })

  it('an address that Google has not verified is refused', async () => {
    const tenant = await createTenant(server)
    const back = await goThrough(newBrowser(), tenant.owner.email, { verified: false })
    expect(back).toMatchObject(failed('address_not_verified'))
  })

  it('marks the user as federated, also if an earlier version linked the accounts', async () => {
    const tenant = await createTenant(server)
    const colleague = await addPerson(server, tenant.id)
    const isFederated = async ({ id }: { id: string }) => (await tenant.owner.api.get(`/users/${id}`)).body.federated
    expect(await isFederated(tenant.owner)).toBe(false)
    await goThrough(newBrowser(), tenant.owner.email)
    expect(await isFederated(tenant.owner)).toBe(true)
    await server.owner.query('update users set federated = false where id = $1', [tenant.owner.id])
    await goThrough(newBrowser(), tenant.owner.email)
    expect([await isFederated(tenant.owner), await isFederated(colleague)]).toEqual([true, false])
  })

  it('a refused sign-in marks nobody as federated', async () => {
    const squatter = await registerPerson(server)
    const tenant = await createTenant(server)
    for (const [email, verified] of [
      [squatter.email, true],
      [tenant.owner.email, false],
    ] as const) {
      expect(await goThrough(newBrowser(), email, { verified })).toMatchObject(failed('address_not_verified'))
      const { rows } = await server.owner.query('select federated from users where email = $1', [email])
      expect(rows).toEqual([{ federated: false }])
    }
  })

  it('is refused for an account with an unproved address, because another person may have registered it', async () => {
    const squatter = await registerPerson(server)
    expect(await goThrough(newBrowser(), squatter.email)).toMatchObject(failed('address_not_verified'))
    await server.owner.query('update identity.accounts set email_verified = true where id = $1', [squatter.accountId])
    expect((await goThrough(newBrowser(), squatter.email)).location).toContain('/sign-in/complete?code=')
  })

  it('a removed user cannot sign in, even if the link to the Google account still exists', async () => {
    const tenant = await createTenant(server)
    const person = await addPerson(server, tenant.id)
    await goThrough(newBrowser(), person.email)
    await server.owner.query('delete from users where id = $1', [person.id])
    expect((await goThrough(newBrowser(), person.email)).location).toContain('/sign-in?error=no_account')
  })
})

describe('a pending invitation and Google', () => {
  it('a verified address joins through its invitation, with the name from Google', async () => {
    const tenant = await createTenant(server)
    const email = newAddress()
    const browser = newBrowser()
    const back = await goThrough(browser, email, { invitation: await invite(tenant, email) })
    const { body } = await exchange(server.url, browser, back.location)
    expect(body.user).toMatchObject({ tenant_id: tenant.id, email, role: 'member', status: 'active', federated: true })
    expect(body.user.display_name).toBe('Ada Lovelace')
    const joined = (await auditEntries(server, tenant.id)).find(({ event_type }) => event_type === 'user.joined')
    expect(joined).toMatchObject({ actor_user_id: body.user.id, details: { by: 'google' } })
    expect((await goThrough(newBrowser(), email)).location).toContain('/sign-in/complete?code=')
  })

  it('an invitation replaces an account that another person registered with the address and never proved', async () => {
    const squatter = await registerPerson(server)
    const tenant = await createTenant(server)
    const browser = newBrowser()
    const back = await goThrough(browser, squatter.email, { invitation: await invite(tenant, squatter.email) })
    const { body } = await exchange(server.url, browser, back.location)
    expect(body.user).toMatchObject({ tenant_id: tenant.id, email: squatter.email, status: 'active' })
    const { refresh_token } = squatter.session
    expect((await apiClient(server.url).post('/auth/refresh', { refresh_token })).status).toBe(401)
    const { access_token } = squatter.session
    expect((await apiClient(server.url, access_token).get('/auth/session')).status).toBe(401)
  })

  it('another address, an unverified address and a used invitation cannot join', async () => {
    const tenant = await createTenant(server)
    const email = newAddress()
    const invitation = await invite(tenant, email)
    expect(await goThrough(newBrowser(), newAddress(), { invitation })).toMatchObject(failed('no_account'))
    const unverified = await goThrough(newBrowser(), email, { invitation, verified: false })
    expect(unverified).toMatchObject(failed('address_not_verified'))
    await server.owner.query('update invitations set expires_at = now() where tenant_id = $1', [tenant.id])
    expect(await goThrough(newBrowser(), email, { invitation })).toMatchObject(failed('invitation_expired'))
    const { rows } = await server.owner.query(`select status from users where tenant_id = $1 and email = $2`, [
      tenant.id,
      email,
    ])
    expect(rows).toEqual([{ status: 'pending' }])
  })
})

describe('without a Google client', () => {
  it('404 at both routes if no client is configured', async () => {
    const plain = await startTestServer()
    try {
      expect((await apiClient(plain.url).get('/auth/google/start')).status).toBe(404)
      expect((await apiClient(plain.url).get('/auth/google/callback?code=x&state=y')).status).toBe(404)
    } finally {
      await plain.stop()
    }
  })

  it('redirects to the sign-in page if the issuer does not respond', async () => {
    const google = { clientId: 'mandate', clientSecret: 'secret', issuer: 'http://127.0.0.1:9' }
    const cut = await startTestServer({ google, publicUrl: 'https://mandate.example' })
    try {
      const { status, headers } = await apiClient(cut.url).get('/auth/google/start')
      expect(status).toBe(302)
      expect(headers.get('location')).toBe('https://mandate.example/sign-in?error=unavailable')
    } finally {
      await cut.stop()
    }
  })
})
