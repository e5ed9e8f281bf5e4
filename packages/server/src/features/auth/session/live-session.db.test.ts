import { describe, expect, it } from 'vitest'
import { apiClient } from '../../../testing/api-client.ts'
import { addKey, addPerson, createTenant } from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import { password, type Registered, registerPerson, signIn } from '../testing/people.ts'

const server = useTestServer()

const apiOf = (person: Registered) => apiClient(server.url, person.session.access_token)
const ended = { status: 401, body: { error: 'this session has ended; sign in again' } }
const signOut = (person: Registered) =>
  apiOf(person).post('/auth/sign-out', { refresh_token: person.session.refresh_token })

describe('an access token whose session has ended', () => {
  it('creates no API key and enrols no factor, but still reads', async () => {
    const person = await registerPerson(server)
    expect((await signOut(person)).status).toBe(204)
    expect(await apiOf(person).post('/api-keys', { name: 'outlasts' })).toMatchObject(ended)
    expect(await apiOf(person).post('/auth/mfa/totp', { password })).toMatchObject(ended)
    expect((await apiOf(person).get('/auth/session')).status).toBe(200)
    const { rows } = await server.owner.query('select 1 from api_keys where created_by = $1', [person.userId])
    expect(rows).toEqual([])
  })

  it('gives no user more rights and removes no second factor', async () => {
    const tenant = await createTenant(server)
    const { owner } = tenant
    const accomplice = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    await server.owner.query('update sessions set revoked_at = now() where account_id = $1', [owner.accountId])
    expect(await owner.api.put(`/users/${accomplice.id}`, { role: 'owner' })).toMatchObject(ended)
    expect(await owner.api.put(`/users/${accomplice.id}/access-scope`, { access_scope: 'all' })).toMatchObject(ended)
    expect(await owner.api.post(`/users/${accomplice.id}/reset-mfa`)).toMatchObject(ended)
    const { rows } = await server.owner.query('select role, access_scope from users where id = $1', [accomplice.id])
    expect(rows).toEqual([{ role: 'viewer', access_scope: 'scoped' }])
  })

  it('401 for a session past its maximum lifetime too', async () => {
    const person = await registerPerson(server)
    await server.owner.query('update sessions set expires_at = now() where account_id = $1', [person.accountId])
    expect(await apiOf(person).post('/api-keys', { name: 'outlasts' })).toMatchObject(ended)
  })

  it('does not stop the API keys of that person', async () => {
    const person = await registerPerson(server)
    const key = await addKey(server, person.tenantId, { id: person.userId })
    await signOut(person)
    expect((await key.api.post('/api-keys', { name: 'through a key' })).status).toBe(201)
  })

  it('a new role does not stop the current sign-in', async () => {
    const person = await registerPerson(server)
    const { body } = await apiOf(person).get('/auth/session')
    await server.owner.query('update sessions set renewal_ended_at = now() where account_id = $1', [person.accountId])
    expect((await apiOf(person).post('/api-keys', { name: body.user.id })).status).toBe(201)
    const { refresh_token } = person.session
    expect((await apiClient(server.url).post('/auth/refresh', { refresh_token })).status).toBe(401)
  })
})

describe('a sign-out during the creation of keys', () => {
  it('no key is created after the response to the sign-out', async () => {
    for (let round = 0; round < 12; round++) {
      const person = await registerPerson(server)
      const creations = Array.from({ length: 6 }, (_, n) => apiOf(person).post('/api-keys', { name: `key ${n}` }))
      const answered = signOut(person).then(async (answer) => {
        const { rows } = await server.owner.query('select id from api_keys where created_by = $1', [person.userId])
        return { status: answer.status, created: rows.length }
      })
      const { status, created } = await answered
      expect(status).toBe(204)
      const answers = await Promise.all(creations)
      const { rows } = await server.owner.query('select id from api_keys where created_by = $1', [person.userId])
      expect(rows).toHaveLength(created)
      expect(answers.filter((answer) => answer.status === 201)).toHaveLength(created)
      expect(answers.every((answer) => answer.status === 201 || answer.status === 401)).toBe(true)
    }
  })

  it('a creation that waits for the revocation of its session is refused and stores nothing', async () => {
    const person = await registerPerson(server)
    const client = await server.owner.connect()
    try {
      await client.query('begin')
      await client.query('update sessions set revoked_at = now() where account_id = $1', [person.accountId])
      const creation = apiOf(person).post('/api-keys', { name: 'late' })
      await expect
        .poll(async () => {
          const { rows } = await server.owner.query(
            "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
          )
          return rows.length
        })
        .toBe(1)
      await client.query('commit')
      expect(await creation).toMatchObject(ended)
    } finally {
      client.release()
    }
    const { rows } = await server.owner.query('select 1 from api_keys where created_by = $1', [person.userId])
    expect(rows).toEqual([])
  })
})

describe('the first second factor', () => {
  const old = (person: Registered) =>
    server.owner.query("update sessions set created_at = now() - interval '6 minutes' where account_id = $1", [
      person.accountId,
    ])

  it('403 fresh_sign_in_required without the password if the sign-in is older than five minutes', async () => {
    const person = await registerPerson(server)
    await old(person)
    expect(await apiOf(person).post('/auth/mfa/totp')).toMatchObject({
      status: 403,
      body: { code: 'fresh_sign_in_required' },
    })
    const { rows } = await server.owner.query('select 1 from identity.totp_factors where account_id = $1', [
      person.accountId,
    ])
    expect(rows).toEqual([])
  })

  it('200 with the password, 401 with a wrong password, 200 right after another sign-in', async () => {
    const person = await registerPerson(server)
    await old(person)
    expect((await apiOf(person).post('/auth/mfa/totp', { password: 'wrong password' })).status).toBe(401)
    expect((await apiOf(person).post('/auth/mfa/totp', { password })).status).toBe(200)
    const again = (await signIn(server, person.email)).body.session.access_token
    expect((await apiClient(server.url, again).post('/auth/mfa/totp')).status).toBe(200)
  })
})
