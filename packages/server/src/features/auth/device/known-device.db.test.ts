import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient } from '../../../testing/api-client.ts'
import { addPerson, createTenant } from '../../../testing/arrange.ts'
import { startTestServer, type TestServer } from '../../../testing/start-test-server.ts'
import { newAddress, password, registerPerson, registration } from '../testing/people.ts'
import { announcements, mailsWithLink, tokenOf } from '../testing/wait-for-mail.ts'

let server: TestServer
beforeAll(async () => {
  // The server trusts a proxy, so that each test can send its requests from another client IP address.
  server = await startTestServer({ authThrottle: true, trustProxy: true })
})
afterAll(() => server.stop())

let clients = 0
const newClient = () => ({ 'x-forwarded-for': `198.51.100.${++clients}` })
// Generous timeout, because mails are sent after the response, and checking a password is slow on a busy machine.
const patient = { timeout: 60_000 }
const signIn = (body: Record<string, unknown>, headers: Record<string, string> = newClient()) =>
  apiClient(server.url).post('/auth/sign-in', body, headers)
const cookieOf = (headers: Headers) => headers.getSetCookie().find((line) => line.startsWith('mandate_device='))
const asCookie = (line: string | undefined) => ({ cookie: line?.split(';')[0] ?? '' })

/** Uses up an address's sign-in attempts. Each attempt comes from another client IP address. */
async function useUp(email: string): Promise<void> {
  for (let n = 0; n < 10; n++) await signIn({ email, password: 'wrong password' })
  expect((await signIn({ email, password: 'wrong password' })).status).toBe(429)
}

async function registered() {
  const email = newAddress()
  const { status, headers } = await apiClient(server.url).post('/auth/register', registration(email), newClient())
  expect(status).toBe(201)
  return { email, cookie: cookieOf(headers) }
}

describe('a browser that has signed in with an address before', () => {
  it('is known by an HttpOnly cookie of 400 days, of which only a digest is stored', async () => {
    const { cookie } = await registered()
    expect(cookie).toMatch(/^mandate_device=[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/)
    const secret = cookie?.slice('mandate_device='.length, 'mandate_device='.length + 43)
    const { rows } = await server.owner.query('select mark from known_devices')
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows.map(({ mark }) => mark.toString('base64url')))).not.toContain(secret)
  })

  it('signs in after ten wrong passwords from anywhere', async () => {
    const { email, cookie } = await registered()
    await useUp(email)
    expect((await signIn({ email, password }, { ...newClient(), ...asCookie(cookie) })).status).toBe(200)
    expect((await signIn({ email, password })).status).toBe(429)
  })

  it('has ten attempts of its own, then only the attempts that all clients share', async () => {
    const { email, cookie } = await registered()
    await useUp(email)
    const attempt = (secret: string) => signIn({ email, password: secret }, { ...newClient(), ...asCookie(cookie) })
    for (let n = 0; n < 10; n++) expect((await attempt('wrong password')).status).toBe(401)
    expect((await attempt(password)).status).toBe(429)
  })

  it('is not known for another address, and an invented cookie is not known either', async () => {
    const [one, other] = [await registered(), await registered()]
    await useUp(one.email)
    for (const cookie of [other.cookie, `mandate_device=${'a'.repeat(43)}`, 'mandate_device=%00']) {
      expect((await signIn({ email: one.email, password }, { ...newClient(), ...asCookie(cookie) })).status).toBe(429)
    }
  })
})

describe('a browser that signed in with an address before the address had another owner', () => {
  it('has no attempts of its own, and its sign-in is mailed to the new owner', async () => {
    const { email, cookie } = await registered()
    const mine = { ...newClient(), ...asCookie(cookie) }
    const squatter = await signIn({ email, password }, mine)
    const api = apiClient(server.url, squatter.body.session.access_token)
    expect((await api.delete('/users/me')).status).toBe(204)
    const { rows } = await server.owner.query(
      `select 1 from known_devices k where not exists (select from account_lookup a where a.account_id = k.account_id)`,
    )
    expect(rows).toEqual([])
    const owner = await apiClient(server.url).post('/auth/register', registration(email), newClient())
    expect(owner.status).toBe(201)
    // Inserts the known-device row that older versions left behind when an account was deleted.
    const secret = cookie?.slice('mandate_device='.length, 'mandate_device='.length + 43)
    await server.owner.query(
      "insert into known_devices (mark, account_id, created_at, last_seen_at) values (sha256($1), 'gone', now(), now())",
      [Buffer.from(`device:${secret}:${email}`)],
    )
    expect((await signIn({ email, password }, mine)).status).toBe(200)
    expect(await announcements(server, email)).toEqual(['New sign-in to your Mandate account'])
  })

  it('has no more attempts to guess than other clients', async () => {
    const { email, cookie } = await registered()
    const { session } = (await signIn({ email, password }, { ...newClient(), ...asCookie(cookie) })).body
    expect((await apiClient(server.url, session.access_token).delete('/users/me')).status).toBe(204)
    expect((await apiClient(server.url).post('/auth/register', registration(email), newClient())).status).toBe(201)
    await useUp(email)
    expect((await signIn({ email, password }, { ...newClient(), ...asCookie(cookie) })).status).toBe(429)
  })
})

describe('the right password while the address is throttled', () => {
  const linksTo = (email: string) => mailsWithLink(server, email, 'sign-in')

  it('gets the response of a wrong password, and a mailed link that allows one sign-in', async () => {
    const { email } = await registered()
    await useUp(email)
    const [wrong, right] = [await signIn({ email, password: 'wrong password' }), await signIn({ email, password })]
    expect([right.status, right.body]).toEqual([429, wrong.body])
    expect(right.headers.get('retry-after')).toBe(wrong.headers.get('retry-after'))
    await expect.poll(() => linksTo(email), patient).toHaveLength(1)
    const mail_token = tokenOf((await linksTo(email))[0])
    expect((await signIn({ email, password: 'wrong password', mail_token })).status).toBe(401)
    expect((await signIn({ email, password, mail_token })).status).toBe(200)
    expect((await signIn({ email, password, mail_token })).status).toBe(429)
  })

  it('sends no mail for a wrong password or an unknown address, and at most three per hour', async () => {
    const { email } = await registered()
    const unknown = newAddress()
    for (const address of [email, unknown]) await useUp(address)
    expect((await signIn({ email: unknown, password })).status).toBe(429)
    for (let n = 0; n < 2; n++) expect((await signIn({ email, password: 'wrong password' })).status).toBe(429)
    expect(await linksTo(email)).toEqual([])
    for (let n = 0; n < 5; n++) expect((await signIn({ email, password })).status).toBe(429)
    await expect.poll(() => linksTo(email), patient).toHaveLength(3)
    // Mails are sent in the order of the attempts. So after one more attempt, any other mail would have been sent.
    await signIn({ email: newAddress(), password })
    expect(await linksTo(email)).toHaveLength(3)
    expect(await linksTo(unknown)).toEqual([])
  })

  it('one network cannot use up the attempts of another', async () => {
    const { email } = await registered()
    await useUp(email)
    const attacker = newClient()
    for (let n = 0; n < 11; n++) await signIn({ email, password: 'wrong password' }, attacker)
    expect((await signIn({ email, password })).status).toBe(429)
    await expect.poll(() => linksTo(email), patient).toHaveLength(1)
  })

  it('the link works only for its own address and for 15 minutes', async () => {
    const [one, other] = [await registered(), await registered()]
    await useUp(one.email)
    await useUp(other.email)
    await signIn({ email: one.email, password })
    await expect.poll(() => linksTo(one.email), patient).toHaveLength(1)
    const mail_token = tokenOf((await linksTo(one.email))[0])
    expect((await signIn({ email: other.email, password, mail_token })).status).toBe(429)
    await server.owner.query(
      "update mail_proofs set expires_at = expires_at - interval '15 minutes' where purpose = 'sign_in'",
    )
    expect((await signIn({ email: one.email, password, mail_token })).status).toBe(429)
  })
})

describe('a sign-in from a new device', () => {
  const subject = 'New sign-in to your Mandate account'
  const browser = (name: string) => ({ 'user-agent': `Mozilla/5.0 (Windows NT 10.0) ${name}/100.0` })

  it('is mailed; a sign-in from the same browser, or the same network and browser family, is not', async () => {
    const email = newAddress()
    const home = { ...newClient(), ...browser('Firefox') }
    const { headers } = await apiClient(server.url).post('/auth/register', registration(email), home)
    expect((await signIn({ email, password }, home)).status).toBe(200)
    expect((await signIn({ email, password }, { ...newClient(), ...asCookie(cookieOf(headers)) })).status).toBe(200)
    expect(await announcements(server, email)).toEqual([])
    expect((await signIn({ email, password }, { ...newClient(), ...browser('Chrome') })).status).toBe(200)
    expect(await announcements(server, email)).toEqual([subject])
  })

  it('stores the latest sixty marks of an account', async () => {
    const { email } = await registered()
    const { rows: users } = await server.owner.query('select account_id from users where email = $1', [email])
    await server.owner.query(
      `insert into known_devices (mark, account_id, created_at, last_seen_at)
       select sha256(n::text::bytea), $1, now(), now() - interval '1 day' * n from generate_series(1, 100) n`,
      [users[0].account_id],
    )
    expect((await signIn({ email, password }, { ...newClient(), ...browser('Chrome') })).status).toBe(200)
    const { rows } = await server.owner.query(
      "select count(*)::int as count, bool_or(last_seen_at > now() - interval '1 minute') as latest from known_devices where account_id = $1",
      [users[0].account_id],
    )
    expect(rows).toEqual([{ count: 60, latest: true }])
  })
})

describe('other mails to the account’s owner', () => {
  it('a new API key, with its prefix and without its name', async () => {
    const tenant = await createTenant(server)
    const person = await addPerson(server, tenant.id)
    const { body } = await person.api.post('/api-keys', { name: 'https://evil.example' })
    const announced = await announcements(server, person.email)
    expect(announced).toEqual(['A new API key acts as you at Mandate'])
    expect(body.key_prefix ?? body.prefix).toBeTruthy()
  })

  it('no mail if the change was refused', async () => {
    const tenant = await createTenant(server)
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    expect((await viewer.api.post('/api-keys', { name: 'k' })).status).toBe(403)
    expect(await announcements(server, viewer.email)).toEqual([])
    const person = await registerPerson(server)
    expect(
      (await apiClient(server.url, person.session.access_token).post('/auth/mfa/totp/confirm', { otp: '1' })).status,
    ).toBe(400)
    expect(await announcements(server, person.email)).toEqual([])
  })
})
