import { createHmac, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { apiClient } from '../../../testing/api-client.ts'
import { addKey, addPerson, createTenant } from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import { newAddress, registerPerson, signIn } from '../testing/people.ts'

const server = useTestServer()

const refresh = (token: string) => apiClient(server.url).post('/auth/refresh', { refresh_token: token })
const me = (token: string) => apiClient(server.url, token).get('/auth/session')

describe('POST /auth/sign-in', () => {
  it('200 {session, user} for the address in upper or lower case', async () => {
    const person = await registerPerson(server)
    const { status, body } = await signIn(server, person.email.toUpperCase())
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(['session', 'user'])
    expect(body.user.id).toBe(person.userId)
    expect((await me(body.session.access_token)).body.user).toEqual(body.user)
  })

  it('401 with the same body for a wrong password, an unknown address and an account without a user', async () => {
    const person = await registerPerson(server)
    const orphan = newAddress()
    const { db, identity } = server.services
    await db.transaction('', (tx) =>
      identity.createAccount(tx, { email: orphan, password: 'nobody else knows it', emailVerified: true }),
    )
    const answers = await Promise.all([
      signIn(server, person.email, 'wrong password'),
      signIn(server, newAddress(), 'wrong password'),
      signIn(server, orphan, 'nobody else knows it'),
    ])
    for (const { status, body } of answers) {
      expect(status).toBe(401)
      expect(body).toEqual({ error: 'wrong email, password or one-time password' })
    }
  })

  it('400 for a body without an address, and for NUL in a password', async () => {
    expect((await signIn(server, 'nobody')).status).toBe(400)
    expect((await signIn(server, newAddress(), 'a\u0000b')).status).toBe(400)
  })

  it('401 for a removed user and for their refresh token', async () => {
    const person = await registerPerson(server)
    await server.owner.query('delete from users where id = $1', [person.userId])
    expect((await signIn(server, person.email)).status).toBe(401)
    expect((await refresh(person.session.refresh_token)).status).toBe(401)
    expect((await me(person.session.access_token)).status).toBe(401)
  })
})

describe('POST /auth/refresh', () => {
  it('200 {session} and rotates: the new token works, and the access token contains the account', async () => {
    const person = await registerPerson(server)
    const first = await refresh(person.session.refresh_token)
    expect(first.status).toBe(200)
    expect(Object.keys(first.body)).toEqual(['session'])
    const second = await refresh(first.body.session.refresh_token)
    expect(second.status).toBe(200)
    expect((await me(second.body.session.access_token)).body.user.id).toBe(person.userId)
    const claims = JSON.parse(Buffer.from(second.body.session.access_token.split('.')[1], 'base64url').toString())
    expect(Object.keys(claims).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'sid', 'sub'])
    expect(claims).toMatchObject({ sub: person.accountId })
    expect(claims.exp - claims.iat).toBe(900)
  })

  it('401 for a token used before; its whole family ends and no other session', async () => {
    const person = await registerPerson(server)
    const other = (await signIn(server, person.email)).body.session
    const next = (await refresh(person.session.refresh_token)).body.session
    expect((await refresh(person.session.refresh_token)).status).toBe(401)
    expect((await refresh(next.refresh_token)).status).toBe(401)
    expect((await refresh(other.refresh_token)).status).toBe(200)
  })

  it('two concurrent uses of one token count as reuse: at most one succeeds, and the family ends', async () => {
    const person = await registerPerson(server)
    const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(person.session.refresh_token)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401])
    const won = answers.find(({ status }) => status === 200)
    expect((await refresh(won?.body.session.refresh_token)).status).toBe(401)
  })

  it('401 with the same body for an unknown, an expired, a used and a revoked token', async () => {
    const [expired, used, revoked] = await Promise.all([1, 2, 3].map(() => registerPerson(server)))
    await server.owner.query(
      `update refresh_tokens t set expires_at = now() - interval '1 second' from sessions s
       where s.id = t.session_id and s.account_id = $1`,
      [expired?.accountId],
    )
    await refresh(used?.session.refresh_token as string)
    await server.owner.query('update sessions set revoked_at = now() where account_id = $1', [revoked?.accountId])
    const tokens = ['nonsense', ...[expired, used, revoked].map((person) => person?.session.refresh_token as string)]
    for (const token of tokens) {
      expect(await refresh(token)).toMatchObject({ status: 401, body: { error: 'invalid or expired refresh token' } })
    }
  })

  it('only the digest of a refresh token is stored, and the token expires after 7 days without use', async () => {
    const person = await registerPerson(server)
    const { rows } = await server.owner.query(
      `select t.token_hash, t.expires_at - t.issued_at = interval '7 days' as seven from refresh_tokens t
       join sessions s on s.id = t.session_id where s.account_id = $1`,
      [person.accountId],
    )
    expect(rows).toEqual([{ token_hash: expect.any(Buffer), seven: true }])
    expect(rows[0].token_hash).toHaveLength(32)
    expect(Buffer.from(person.session.refresh_token, 'base64url')).toHaveLength(32)
    expect(rows[0].token_hash.equals(Buffer.from(person.session.refresh_token, 'base64url'))).toBe(false)
  })
})

describe('POST /auth/sign-out', () => {
  it('204 and the refresh token’s family ends; the access token works until it expires', async () => {
    const person = await registerPerson(server)
    const { access_token, refresh_token } = person.session
    const next = (await refresh(refresh_token)).body.session
    const other = (await signIn(server, person.email)).body.session
    const api = apiClient(server.url, access_token)
    expect((await api.post('/auth/sign-out', { refresh_token })).status).toBe(204)
    expect((await refresh(next.refresh_token)).status).toBe(401)
    expect((await refresh(other.refresh_token)).status).toBe(200)
    expect((await me(access_token)).status).toBe(200)
  })

  it('204 for another person’s token and an unknown one, which change nothing', async () => {
    const [ada, eve] = await Promise.all([registerPerson(server), registerPerson(server)])
    const api = apiClient(server.url, eve.session.access_token)
    expect((await api.post('/auth/sign-out', { refresh_token: ada.session.refresh_token })).status).toBe(204)
    expect((await api.post('/auth/sign-out', { refresh_token: 'nonsense' })).status).toBe(204)
    expect((await refresh(ada.session.refresh_token)).status).toBe(200)
  })

  it('401 without a bearer, 403 with an API key, 400 without a token', async () => {
    const tenant = await createTenant(server)
    const key = await addKey(server, tenant.id, tenant.owner)
    const body = { refresh_token: 'x' }
    expect((await apiClient(server.url).post('/auth/sign-out', body)).status).toBe(401)
    expect((await key.api.post('/auth/sign-out', body)).status).toBe(403)
    expect((await tenant.owner.api.post('/auth/sign-out', {})).status).toBe(400)
  })
})

describe('GET /auth/session', () => {
  it('200 for a learner, who may not use the rest of the platform', async () => {
    const tenant = await createTenant(server)
    const learner = await addPerson(server, tenant.id, { role: 'viewer', academyOnly: true })
    const { status, body } = await learner.api.get('/auth/session')
    expect(status).toBe(200)
    expect(body).toMatchObject({ user: { id: learner.id, academy_only: true }, tenant: { id: tenant.id } })
    expect((await learner.api.get('/tenants')).body.code).toBe('academy_only_account')
  })

  it('200 through an API key with its id, prefix, environment and scopes', async () => {
    const tenant = await createTenant(server)
    const bound = await addKey(server, tenant.id, tenant.owner, {
      environmentId: tenant.production,
      scopes: ['auth:read'],
    })
    const wide = await addKey(server, tenant.id, tenant.owner)
    const { body } = await bound.api.get('/auth/session')
    const environment = { id: tenant.production, name: 'Production', slug: 'production' }
    const scopes = ['auth:read']
    expect(body.via).toEqual({ type: 'api_key', id: bound.id, prefix: bound.raw.slice(0, 8), environment, scopes })
    expect((await wide.api.get('/auth/session')).body.via).toMatchObject({ environment: null, scopes: [] })
  })
})

describe('an access token is refused', () => {
  const claims = (accountId: string, secondsToLive = 900) => {
    const iat = Math.floor(Date.now() / 1000)
    return { iss: 'mandate', aud: 'mandate-api', sub: accountId, sid: randomUUID(), iat, exp: iat + secondsToLive }
  }
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  it('401 with alg none, with or without a signature', async () => {
    const { accountId, session } = await registerPerson(server)
    const unsigned = `${encode({ alg: 'none', typ: 'at+jwt' })}.${encode(claims(accountId))}.`
    expect((await me(unsigned)).status).toBe(401)
    expect((await me(unsigned + session.access_token.split('.')[2])).status).toBe(401)
  })

  it('401 when another key signed it', async () => {
    const { accountId } = await registerPerson(server)
    for (const key of ['', 'mandate', 'x'.repeat(32)]) {
      const signed = `${encode({ alg: 'HS256', typ: 'at+jwt' })}.${encode(claims(accountId))}`
      const signature = createHmac('sha256', key).update(signed).digest('base64url')
      expect((await me(`${signed}.${signature}`)).status).toBe(401)
    }
  })

  it('401 when its payload was changed', async () => {
    const [ada, eve] = await Promise.all([registerPerson(server), registerPerson(server)])
    const [header, , signature] = eve.session.access_token.split('.')
    expect((await me(`${header}.${encode(claims(ada.accountId))}.${signature}`)).status).toBe(401)
  })
})
