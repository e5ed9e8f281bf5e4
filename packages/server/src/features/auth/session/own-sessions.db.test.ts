import { describe, expect, it } from 'vitest'
import { noTenant } from '../../../db/database.ts'
import { newId } from '../../../db/ids/new-id.ts'
import { startSessionWithCode } from '../../../sessions/start-session.ts'
import { apiClient } from '../../../testing/api-client.ts'
import { addKey, addPerson, auditEntries, createTenant } from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import { password, type Registered, registerPerson, signIn } from '../testing/people.ts'

const server = useTestServer()

interface Tokens {
  access_token: string
  refresh_token: string
}

const ended = { status: 401, body: { error: 'this session has ended; sign in again' } }
const apiOf = ({ access_token }: Tokens) => apiClient(server.url, access_token)
const idOf = ({ access_token }: Tokens): string =>
  JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString()).sid
const list = (session: Tokens) => apiOf(session).get('/auth/sessions')
const listedIds = async (session: Tokens) => (await list(session)).body.data.map(({ id }: { id: string }) => id)
const revoke = (by: Tokens, id: string) => apiOf(by).delete(`/auth/sessions/${id}`)
const refresh = ({ refresh_token }: Tokens, headers?: Record<string, string>) =>
  apiClient(server.url).post('/auth/refresh', { refresh_token }, headers)
const signInAgain = async ({ email }: Registered): Promise<Tokens> => (await signIn(server, email)).body.session
const revocations = async (tenantId: string) =>
  (await auditEntries(server, tenantId)).filter(({ event_type }) => event_type === 'session.revoked')

describe('GET /auth/sessions', () => {
  it('200: the sessions of the account with their clients, newest use first; current marks the one of the request', async () => {
    const person = await registerPerson(server)
    const credentials = { email: person.email, password }
    const { body } = await apiClient(server.url).post('/auth/sign-in', credentials, { 'user-agent': 'Laptop/1\t2' })
    const laptop: Tokens = body.session
    const answer = await list(laptop)
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.body)).toEqual(['data'])
    expect(answer.body.data).toEqual([
      {
        id: idOf(laptop),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        last_used_at: answer.body.data[0].created_at,
        ip: '127.0.0.1',
        user_agent: 'Laptop/1 2',
        current: true,
      },
      expect.objectContaining({ id: idOf(person.session), current: false }),
    ])
    expect((await list(person.session)).body.data.map(({ current }: { current: boolean }) => current)).toEqual([
      false,
      true,
    ])
  })

  it('a refresh changes when, and by which client, the session was last used; a read does not', async () => {
    const person = await registerPerson(server)
    const other = await signInAgain(person)
    await apiOf(person.session).get('/auth/session')
    expect(await listedIds(other)).toEqual([idOf(other), idOf(person.session)])
    const { body } = await refresh(person.session, { 'user-agent': 'Phone/2' })
    const [first, second] = (await list(other)).body.data
    expect(first).toMatchObject({ id: idOf(body.session), user_agent: 'Phone/2', current: false })
    expect(first.last_used_at > first.created_at).toBe(true)
    expect(second).toMatchObject({ id: idOf(other), current: true })
  })

  it('shows no session that was revoked, has expired, was idle for too long, or cannot be renewed any more', async () => {
    const person = await registerPerson(server)
    const [revoked, expired, idle, oldRole, spent] = await Promise.all([1, 2, 3, 4, 5].map(() => signInAgain(person)))
    const change = (session: Tokens | undefined, set: string) =>
      server.owner.query(`update sessions set ${set} where id = $1`, [idOf(session as Tokens)])
    await change(revoked, 'revoked_at = now()')
    await change(expired, 'expires_at = now()')
    await change(idle, "last_used_at = now() - interval '8 days'")
    await change(oldRole, "renewal_ended_at = now(), last_used_at = now() - interval '16 minutes'")
    await server.owner.query('update refresh_tokens set expires_at = now() where session_id = $1', [
      idOf(spent as Tokens),
    ])
    expect(await listedIds(person.session)).toEqual([idOf(person.session)])
  })

  it('shows a session that cannot be renewed until its last access token expires', async () => {
    const person = await registerPerson(server)
    const other = await signInAgain(person)
    await server.owner.query('update sessions set renewal_ended_at = now() where id = $1', [idOf(other)])
    expect(await listedIds(person.session)).toContain(idOf(other))
  })

  it('shows no federated sign-in whose code was not exchanged within its minute', async () => {
    const person = await registerPerson(server)
    const start = (now: Date) =>
      server.services.db.transaction(noTenant, (tx) =>
        startSessionWithCode(
          tx,
          {
            accountId: person.accountId,
            client: { ip: null, userAgent: null },
            now: now.toISOString(),
            lifetimes: server.services.config,
          },
          'secret',
        ),
      )
    await start(new Date(Date.now() - 61_000))
    expect(await listedIds(person.session)).toEqual([idOf(person.session)])
    await start(new Date())
    const { body } = await list(person.session)
    expect(body.data).toMatchObject([{ ip: null, user_agent: null, current: false }, { current: true }])
  })

  it('has at most 100 sessions, the last used ones; each of the others can still be ended', async () => {
    const person = await registerPerson(server)
    const ids = Array.from({ length: 120 }, () => newId())
    await server.owner.query(
      `insert into sessions (id, account_id, created_at, last_used_at)
       select id, $2, now(), now() - interval '1 hour' - n * interval '1 minute'
       from unnest($1::uuid[]) with ordinality as given (id, n)`,
      [ids, person.accountId],
    )
    await server.owner.query(
      `insert into refresh_tokens (token_hash, session_id, issued_at, expires_at)
       select sha256(id::text::bytea), id, now(), now() + interval '1 day' from unnest($1::uuid[]) as id`,
      [ids],
    )
    expect(await listedIds(person.session)).toEqual([idOf(person.session), ...ids.slice(0, 99)])
    expect((await revoke(person.session, ids[119] as string)).status).toBe(204)
    expect((await revoke(person.session, ids[0] as string)).status).toBe(204)
    expect(await listedIds(person.session)).toEqual([idOf(person.session), ...ids.slice(1, 100)])
  })

  it('shows no session of another account, in the same tenant or in another', async () => {
    const person = await registerPerson(server)
    await addPerson(server, person.tenantId)
    await registerPerson(server)
    expect(await listedIds(person.session)).toEqual([idOf(person.session)])
  })

  it('200 for a learner; 403 for an API key, also a bound or a read-only key; 401 without a credential', async () => {
    const tenant = await createTenant(server)
    const learner = await addPerson(server, tenant.id, { role: 'viewer', academyOnly: true })
    expect((await learner.api.get('/auth/sessions')).status).toBe(200)
    for (const options of [{}, { environmentId: tenant.development }, { scopes: ['*:read'] }]) {
      const key = await addKey(server, tenant.id, tenant.owner, options)
      expect((await key.api.get('/auth/sessions')).status).toBe(403)
      expect((await key.api.delete(`/auth/sessions/${newId()}`)).status).toBe(403)
    }
    expect((await apiClient(server.url).get('/auth/sessions')).status).toBe(401)
  })

  it('401 for a session that has ended, and for a removed user', async () => {
    const person = await registerPerson(server)
    const other = await signInAgain(person)
    expect((await revoke(person.session, idOf(other))).status).toBe(204)
    expect(await list(other)).toMatchObject(ended)
    await server.owner.query('delete from users where id = $1', [person.userId])
    expect((await list(person.session)).status).toBe(401)
  })
})

describe('DELETE /auth/sessions/{session_id}', () => {
  it('204: the session is not refreshed any more and does nothing that needs a live session; other sessions continue', async () => {
    const person = await registerPerson(server)
    const [lost, kept] = [await signInAgain(person), await signInAgain(person)]
    const answer = await revoke(person.session, idOf(lost).toUpperCase())
    expect([answer.status, answer.body]).toEqual([204, undefined])
    expect((await refresh(lost)).status).toBe(401)
    expect(await apiOf(lost).post('/api-keys', { name: 'outlasts' })).toMatchObject(ended)
    expect((await apiOf(lost).get('/auth/session')).status).toBe(200)
    expect((await refresh(kept)).status).toBe(200)
    expect((await refresh(person.session)).status).toBe(200)
  })

  it('audited as session.revoked in the trail of the caller’s tenant, with whose session and how many', async () => {
    const person = await registerPerson(server)
    const { tenantId, userId, email, session } = person
    const id = idOf(await signInAgain(person))
    await revoke(session, id)
    expect(await revocations(tenantId)).toMatchObject([
      {
        category: 'people',
        actor_user_id: userId,
        resource_type: 'user',
        resource_id: userId,
        details: { email, sessions: 1, session_id: id, current: false },
      },
    ])
  })

  it('204 for the session of the request, like a sign-out', async () => {
    const person = await registerPerson(server)
    const other = await signInAgain(person)
    expect((await revoke(person.session, idOf(person.session))).status).toBe(204)
    expect((await refresh(person.session)).status).toBe(401)
    expect(await revoke(person.session, idOf(other))).toMatchObject(ended)
    expect(await listedIds(other)).toEqual([idOf(other)])
    expect(await revocations(person.tenantId)).toMatchObject([{ details: { current: true } }])
  })

  it('404 with one text for an unknown id, a session that has ended and a session of another account; nothing is written', async () => {
    const [person, stranger] = [await registerPerson(server), await registerPerson(server)]
    const colleague = await addPerson(server, person.tenantId, { role: 'viewer' })
    const { rows } = await server.owner.query('select id from sessions where account_id = $1', [colleague.accountId])
    const [over, expired] = [await signInAgain(person), await signInAgain(person)]
    await revoke(person.session, idOf(over))
    await server.owner.query('update sessions set expires_at = now() where id = $1', [idOf(expired)])
    for (const id of [newId(), idOf(over), idOf(expired), idOf(stranger.session), rows[0].id]) {
      expect(await revoke(person.session, id)).toMatchObject({ status: 404, body: { error: 'session not found' } })
    }
    expect((await revoke(person.session, 'nonsense')).status).toBe(400)
    expect(await revocations(person.tenantId)).toHaveLength(1)
    expect((await refresh(stranger.session)).status).toBe(200)
    expect((await colleague.api.get('/auth/sessions')).status).toBe(200)
  })

  it('an ended session ends no other session, whether it was revoked or has expired', async () => {
    const person = await registerPerson(server)
    for (const column of ['revoked_at', 'expires_at']) {
      const stolen = await signInAgain(person)
      await server.owner.query(`update sessions set ${column} = now() where id = $1`, [idOf(stolen)])
      expect(await revoke(stolen, idOf(person.session))).toMatchObject(ended)
    }
    expect((await refresh(person.session)).status).toBe(200)
    expect(await revocations(person.tenantId)).toEqual([])
  })
})

describe('at the same time', () => {
  it('one of several requests for one session is 204 and the others are 404; one entry is written', async () => {
    const person = await registerPerson(server)
    const id = idOf(await signInAgain(person))
    const answers = await Promise.all(Array.from({ length: 6 }, () => revoke(person.session, id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404, 404])
    expect(await revocations(person.tenantId)).toHaveLength(1)
  })

  it('of two sessions that end each other, exactly one stays', async () => {
    for (let round = 0; round < 10; round++) {
      const person = await registerPerson(server)
      const other = await signInAgain(person)
      const answers = await Promise.all([revoke(person.session, idOf(other)), revoke(other, idOf(person.session))])
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 401])
      const refreshed = await Promise.all([refresh(person.session), refresh(other)])
      expect(refreshed.map(({ status }) => status).sort()).toEqual([200, 401])
    }
  })

  it('a refresh of a session that is being ended gives no session that lasts', async () => {
    for (let round = 0; round < 10; round++) {
      const person = await registerPerson(server)
      const other = await signInAgain(person)
      const [answer, refreshed] = await Promise.all([revoke(person.session, idOf(other)), refresh(other)])
      expect(answer.status).toBe(204)
      if (refreshed.status === 200) expect((await refresh(refreshed.body.session)).status).toBe(401)
      else expect(refreshed.status).toBe(401)
      expect(await listedIds(person.session)).toEqual([idOf(person.session)])
    }
  })

  it('changes of a session and its end do not deadlock, and nothing is stored after the end was answered', async () => {
    for (let round = 0; round < 5; round++) {
      const person = await registerPerson(server)
      const [a, b] = [await signInAgain(person), await signInAgain(person)]
      const creations = [a, b, a, b].map((session, n) => apiOf(session).post('/api-keys', { name: `key ${n}` }))
      const answers = await Promise.all([
        ...creations,
        revoke(a, idOf(b)).then(async (answer) => {
          const { rows } = await server.owner.query('select revoked_at from sessions where id = $1', [idOf(b)])
          if (answer.status === 204) expect(rows[0].revoked_at).not.toBeNull()
          return answer
        }),
        revoke(person.session, idOf(a)),
        apiOf(person.session).post('/auth/password/change', { current_password: password, password: 'another horse' }),
      ])
      for (const { status } of answers) expect([201, 204, 401, 404]).toContain(status)
      expect(await listedIds(person.session)).toEqual([idOf(person.session)])
    }
  })
})
