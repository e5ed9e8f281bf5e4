import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../../db/ids/new-id.ts'
import { apiClient } from '../../../testing/api-client.ts'
import {
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  type TestPerson,
  type TestTenant,
} from '../../../testing/arrange.ts'
import { mailsTo, tokenMailedTo } from '../../../testing/mail-box.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
const password = 'a long enough pass phrase 71'
let tenant: TestTenant
let count = 0

beforeEach(async () => {
  tenant = await createTenant(server)
})

const revoke = (by: { api: TestPerson['api'] }, id: string) => by.api.post(`/users/${id}/revoke-sessions`)
const signIn = (email: string) => apiClient(server.url).post('/auth/sign-in', { email, password })
const refresh = (refresh_token: string) => apiClient(server.url).post('/auth/refresh', { refresh_token })
const live = async ({ accountId }: TestPerson): Promise<number> => {
  const text = 'select count(*)::int as n from sessions where account_id = $1 and revoked_at is null'
  return (await server.owner.query(text, [accountId])).rows[0].n
}
const revocations = async () =>
  (await auditEntries(server, tenant.id)).filter(({ event_type }) => event_type === 'session.revoked')

/** Lets a person join by invitation, and sign in once more. Returns the two sessions. */
async function join(role = 'member') {
  const email = `signed-out-${++count}@example.com`
  await tenant.owner.api.post(`/tenants/${tenant.id}/invite`, { email, role })
  const token = await tokenMailedTo(server, email)
  const { body } = await apiClient(server.url).post('/auth/invitations/accept', { token, password })
  const again = (await signIn(email)).body
  return { id: body.user.id as string, email, sessions: [body.session, again.session] }
}

describe('POST /users/{user_id}/revoke-sessions', () => {
  it('204: no session of the user is refreshed or does what needs a live session; the user can sign in again', async () => {
    const user = await join('manager')
    const answer = await revoke(tenant.owner, user.id)
    expect([answer.status, answer.body]).toEqual([204, undefined])
    for (const { refresh_token, access_token } of user.sessions) {
      expect((await refresh(refresh_token)).status).toBe(401)
      expect((await apiClient(server.url, access_token).post('/api-keys', { name: 'outlasts' })).status).toBe(401)
      expect((await apiClient(server.url, access_token).get('/auth/session')).status).toBe(200)
    }
    const next = (await signIn(user.email)).body.session
    expect((await refresh(next.refresh_token)).status).toBe(200)
    expect(await mailsTo(server, user.email)).toHaveLength(1)
  })

  it('audited as session.revoked in the tenant’s trail, with the user and how many sessions ended', async () => {
    const user = await join()
    await revoke(tenant.owner, user.id)
    await revoke(tenant.owner, user.id)
    const details = { email: user.email }
    expect(await revocations()).toMatchObject([
      {
        actor_user_id: tenant.owner.id,
        resource_type: 'user',
        resource_id: user.id,
        details: { ...details, sessions: 2 },
      },
      { actor_user_id: tenant.owner.id, resource_id: user.id, details: { ...details, sessions: 0 } },
    ])
  })

  it('leaves the sessions of others and the API keys of the user alone', async () => {
    const [user, other] = [await addPerson(server, tenant.id), await addPerson(server, tenant.id)]
    const key = await addKey(server, tenant.id, user)
    expect((await revoke(tenant.owner, user.id)).status).toBe(204)
    expect([await live(user), await live(other), await live(tenant.owner)]).toEqual([0, 1, 1])
    expect((await key.api.get('/tenants')).status).toBe(200)
  })

  it('204 for a pending invitation, which has no sessions: nothing is written', async () => {
    const pending = await addPerson(server, tenant.id, { status: 'pending' })
    expect((await revoke(tenant.owner, pending.id)).status).toBe(204)
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it('204 for an owner who ends the sessions of any other user, in person or with a key', async () => {
    const key = await addKey(server, tenant.id, tenant.owner)
    for (const by of [tenant.owner, key]) {
      for (const role of ['viewer', 'member', 'manager', 'owner'] as const) {
        expect((await revoke(by, (await addPerson(server, tenant.id, { role })).id)).status).toBe(204)
      }
      const learner = await addPerson(server, tenant.id, { role: 'viewer', academyOnly: true })
      expect((await revoke(by, learner.id)).status).toBe(204)
    }
  })

  it('a manager, a scoped manager and an owner’s bound key end those of members and viewers; 403 for managers and owners', async () => {
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const boundText = 'an API key bound to an environment cannot take an action reserved for owners'
    const text = 'only an owner may end the sessions of a manager or an owner'
    for (const [by, error] of [
      [await addPerson(server, tenant.id, { role: 'manager' }), text],
      [await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' }), text],
      [bound, boundText],
    ] as const) {
      for (const role of ['viewer', 'member'] as const) {
        expect((await revoke(by, (await addPerson(server, tenant.id, { role })).id)).status).toBe(204)
      }
      for (const role of ['manager', 'owner'] as const) {
        const user = await addPerson(server, tenant.id, { role })
        expect(await revoke(by, user.id)).toMatchObject({ status: 403, body: { error } })
        expect(await live(user)).toBe(1)
      }
    }
  })

  it('403 for one’s own id, in person or by key', async () => {
    const keys = [
      await addKey(server, tenant.id, tenant.owner),
      await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development }),
    ]
    for (const by of [tenant.owner, ...keys]) expect((await revoke(by, tenant.owner.id)).status).toBe(403)
    expect(await live(tenant.owner)).toBe(1)
  })

  it('403 for a member, viewer, learner or read-only key, whatever the user; a refusal writes and audits nothing', async () => {
    const user = await addPerson(server, tenant.id, { role: 'viewer' })
    for (const by of [
      await addPerson(server, tenant.id, { role: 'member' }),
      await addPerson(server, tenant.id, { role: 'viewer' }),
      await addPerson(server, tenant.id, { role: 'viewer', academyOnly: true }),
      await addKey(server, tenant.id, tenant.owner, { scopes: ['*:read'] }),
    ]) {
      for (const id of [user.id, newId()]) expect((await revoke(by, id)).status).toBe(403)
    }
    expect(await live(user)).toBe(1)
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it('404 for an unknown id and for a user of another tenant, 400 for an id that is not a UUID', async () => {
    const other = await createTenant(server)
    for (const id of [newId(), other.owner.id]) expect((await revoke(tenant.owner, id)).status).toBe(404)
    expect((await revoke(tenant.owner, 'nonsense')).status).toBe(400)
    expect(await live(other.owner)).toBe(1)
    expect(await auditEntries(server, other.id)).toEqual([])
  })

  it('401 for a caller whose session has ended or who was removed: a stolen token signs nobody out', async () => {
    const user = await addPerson(server, tenant.id)
    const [ended, removed] = [
      await addPerson(server, tenant.id, { role: 'manager' }),
      await addPerson(server, tenant.id, { role: 'manager' }),
    ]
    await server.owner.query('update sessions set revoked_at = now() where account_id = $1', [ended.accountId])
    await server.owner.query('delete from users where id = $1', [removed.id])
    for (const by of [ended, removed]) expect((await revoke(by, user.id)).status).toBe(401)
    expect(await live(user)).toBe(1)
  })
})

describe('at the same time', () => {
  it('a sign-in, a refresh and an end of all sessions leave no session that was opened before the end', async () => {
    for (let round = 0; round < 6; round++) {
      const user = await join()
      const [revoked, signedIn, refreshed] = await Promise.all([
        revoke(tenant.owner, user.id),
        signIn(user.email),
        refresh(user.sessions[0].refresh_token),
      ])
      expect(revoked.status).toBe(204)
      expect([200, 401]).toContain(signedIn.status)
      if (refreshed.status === 200) {
        expect((await refresh(refreshed.body.session.refresh_token)).status).toBe(401)
      } else expect(refreshed.status).toBe(401)
      expect((await refresh(user.sessions[1].refresh_token)).status).toBe(401)
    }
  })

  it('two owners who sign each other out both succeed, or one is signed out first', async () => {
    const other = await addPerson(server, tenant.id, { role: 'owner' })
    const answers = await Promise.all([revoke(tenant.owner, other.id), revoke(other, tenant.owner.id)])
    const succeeded = answers.filter(({ status }) => status === 204).length
    expect(succeeded).toBeGreaterThan(0)
    for (const { status } of answers) expect([204, 401, 409]).toContain(status)
    expect((await live(other)) + (await live(tenant.owner))).toBe(2 - succeeded)
  })

  it('the removal of a user and the end of their sessions do not fail with 5xx', async () => {
    for (let round = 0; round < 5; round++) {
      const user = await join()
      const ownSession = apiClient(server.url, user.sessions[0].access_token)
      const id = (await ownSession.get('/auth/sessions')).body.data.find((one: { current: boolean }) => !one.current).id
      const answers = await Promise.all([
        tenant.owner.api.delete(`/users/${user.id}`),
        revoke(tenant.owner, user.id),
        ownSession.delete(`/auth/sessions/${id}`),
      ])
      for (const { status } of answers) expect([204, 401, 404, 409]).toContain(status)
    }
  })
})
