import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../../db/ids/new-id.ts'
import {
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  type TestPerson,
  type TestTenant,
} from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant

beforeEach(async () => {
  tenant = await createTenant(server)
})

const tooLong = 'x'.repeat(201)
const tooLongText = 'display_name must be at most 200 characters'
const learnerText =
  'Academy learners keep the viewer role. Use Give platform access on the Team page to give them a platform role.'
const ownerOnlyText = 'an API key bound to an environment cannot take an action reserved for owners'

async function stored(user: { id: string }) {
  const { rows } = await server.owner.query('select * from users where tenant_id = $1 and id = $2', [
    tenant.id,
    user.id,
  ])
  return rows[0]
}
const events = async () => (await auditEntries(server, tenant.id)).map((entry) => entry.event_type)

async function addSession(person: TestPerson): Promise<string> {
  const id = randomUUID()
  await server.owner.query('insert into sessions (id, account_id, created_at) values ($1, $2, now())', [
    id,
    person.accountId,
  ])
  return id
}
async function isRevoked(sessionId: string): Promise<boolean> {
  const { rows } = await server.owner.query('select renewal_ended_at, revoked_at from sessions where id = $1', [
    sessionId,
  ])
  return rows[0].renewal_ended_at !== null || rows[0].revoked_at !== null
}

describe('PUT /users/{user_id}, rule 1: fields', () => {
  it('200 an omitted field keeps its stored value', async () => {
    const user = await addPerson(server, tenant.id, { displayName: 'Ada', role: 'member' })
    const renamed = await tenant.owner.api.put(`/users/${user.id}`, { display_name: 'Ada L.' })
    expect(renamed).toMatchObject({ status: 200, body: { display_name: 'Ada L.', role: 'member' } })
    const moved = await tenant.owner.api.put(`/users/${user.id}`, { role: 'manager' })
    expect(moved).toMatchObject({ status: 200, body: { display_name: 'Ada L.', role: 'manager' } })
    expect((await tenant.owner.api.get(`/users/${user.id}`)).body).toMatchObject(moved.body)
  })

  it('a request cannot set how a person signs in: federated and mfa_enrolled are ignored', async () => {
    const signIn = { federated: true, mfa_enrolled: true, factors: ['totp'] }
    const unchanged = { federated: false, mfa_enrolled: false, factors: [] }
    const answer = await tenant.owner.api.put(`/users/${tenant.owner.id}`, { display_name: 'Ada', ...signIn })
    expect(answer).toMatchObject({ status: 200, body: { display_name: 'Ada', ...unchanged } })
    expect(await stored(tenant.owner)).toMatchObject({ federated: false, mfa_enrolled: false })
  })

  it.each([
    [{ role: 'admin' }, 'role'],
    [{ role: null }, 'role'],
    [{ role: 'OWNER' }, 'role'],
    [{ display_name: 7 }, 'display_name'],
    [{ display_name: null }, 'display_name'],
    ['{"display_name":"a\\ud800"}', 'display_name'],
    ['{"display_name":', 'body'],
    [[], 'body'],
  ])('400 %j, and error names %s', async (body, field) => {
    const user = await addPerson(server, tenant.id)
    const answer = await tenant.owner.api.put(`/users/${user.id}`, body)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatch(new RegExp(`^${field} `))
    expect(await events()).toEqual([])
  })

  it('400 for an id that is not a UUID, before any fault of the body', async () => {
    const answer = await tenant.owner.api.put('/users/me', { display_name: tooLong })
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('user_id') } })
  })
})

describe('PUT /users/{user_id}, rule 2: the display name', () => {
  it('is cleaned before it is stored; a name with nothing left is stored empty', async () => {
    const { api, id } = tenant.owner
    const given = '\u202e\u0000 Ada\t\n Love\u200flace \ufeff'
    expect((await api.put(`/users/${id}`, { display_name: given })).body.display_name).toBe('Ada Lovelace')
    expect((await stored(tenant.owner)).display_name).toBe('Ada Lovelace')
    expect((await api.put(`/users/${id}`, { display_name: ' \u200e\u0007' })).body.display_name).toBe('')
  })

  it('200 for 200 characters after cleaning, counted as code points, and never cut', async () => {
    const name = '👩'.repeat(200)
    const { status, body } = await tenant.owner.api.put(`/users/${tenant.owner.id}`, {
      display_name: `${name}  \u200e`,
    })
    expect([status, body.display_name]).toEqual([200, name])
  })

  it('400 with the exact text for more than 200, before anything is read or written: before every 403 and 404', async () => {
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    const learner = await addPerson(server, tenant.id, { role: 'viewer', academyOnly: true })
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const refused = { status: 400, body: { error: tooLongText } }
    const body = { display_name: tooLong, role: 'owner' }
    expect(await tenant.owner.api.put(`/users/${newId()}`, body)).toMatchObject(refused)
    expect(await viewer.api.put(`/users/${tenant.owner.id}`, body)).toMatchObject(refused)
    expect(await viewer.api.put(`/users/${tenant.owner.id}`, { ...body, role: 'nonsense' })).toMatchObject(refused)
    expect(await learner.api.put(`/users/${tenant.owner.id}`, body)).toMatchObject(refused)
    expect(await key.api.put(`/users/${tenant.owner.id}`, body)).toMatchObject(refused)
    expect(await events()).toEqual([])
  })

  it('401 and the 403 of a key scope still come before it', async () => {
    const readOnly = await addKey(server, tenant.id, tenant.owner, { scopes: ['*:read'] })
    const answer = await readOnly.api.put(`/users/${tenant.owner.id}`, { display_name: tooLong })
    expect(answer).toMatchObject({
      status: 403,
      body: { error: 'API key scope does not permit this operation', code: 403 },
    })
  })
})

describe('PUT /users/{user_id}, rule 3: permissions', () => {
  it('200 anyone may change their own display name', async () => {
    for (const role of ['viewer', 'member', 'manager', 'owner'] as const) {
      const person = await addPerson(server, tenant.id, { role, accessScope: 'scoped' })
      expect((await person.api.put(`/users/${person.id}`, { display_name: 'Me' })).body.display_name).toBe('Me')
    }
  })

  it('200: an owner may change any user’s display name and role, also those of a pending invitation', async () => {
    for (const role of ['viewer', 'member', 'manager', 'owner'] as const) {
      const user = await addPerson(server, tenant.id, { role })
      const { status, body } = await tenant.owner.api.put(`/users/${user.id}`, { display_name: 'N', role: 'owner' })
      expect([status, body.display_name, body.role]).toEqual([200, 'N', 'owner'])
    }
    const pending = await addPerson(server, tenant.id, { status: 'pending' })
    expect((await tenant.owner.api.put(`/users/${pending.id}`, { role: 'owner' })).body).toMatchObject({
      role: 'owner',
      status: 'pending',
    })
  })

  it('a manager may change any user except an owner and may not make anyone an owner', async () => {
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const peer = await addPerson(server, tenant.id, { role: 'manager' })
    const pendingOwner = await addPerson(server, tenant.id, { role: 'owner', status: 'pending' })
    const change = { display_name: 'N', role: 'member' }
    expect((await manager.api.put(`/users/${peer.id}`, change)).status).toBe(200)
    for (const owner of [tenant.owner, pendingOwner]) {
      expect((await manager.api.put(`/users/${owner.id}`, { display_name: 'N' })).status).toBe(403)
      expect((await manager.api.put(`/users/${owner.id}`, { role: 'nonsense' })).status).toBe(403)
    }
    expect((await manager.api.put(`/users/${peer.id}`, { role: 'owner' })).status).toBe(403)
    expect((await manager.api.put(`/users/${manager.id}`, { role: 'owner' })).status).toBe(403)
    expect((await manager.api.put(`/users/${peer.id}`, { role: 'nonsense' })).status).toBe(400)
    expect((await manager.api.put(`/users/${newId()}`, { role: 'nonsense' })).status).toBe(404)
    expect((await manager.api.put(`/users/${manager.id}`, { role: 'viewer' })).body.role).toBe('viewer')
    expect((await manager.api.put(`/users/${peer.id}`, change)).status).toBe(403)
  })

  it('403 for a member or viewer who sends role, or who changes another user', async () => {
    for (const role of ['viewer', 'member'] as const) {
      const person = await addPerson(server, tenant.id, { role })
      for (const sent of [role, 'owner', 'nonsense', null]) {
        expect((await person.api.put(`/users/${person.id}`, { role: sent })).status).toBe(403)
      }
      for (const id of [tenant.owner.id, newId()]) {
        expect((await person.api.put(`/users/${id}`, { display_name: 'N' })).status).toBe(403)
        expect((await person.api.put(`/users/${id}`, '{')).status).toBe(403)
      }
      expect((await person.api.put(`/users/${person.id}`, '{')).status).toBe(400)
    }
    expect(await events()).toEqual([])
  })

  it('404 for an unknown id and a user of another tenant', async () => {
    const other = await createTenant(server)
    for (const id of [newId(), other.owner.id]) {
      const answer = await tenant.owner.api.put(`/users/${id}`, { role: 'member' })
      expect(answer).toMatchObject({ status: 404, body: { error: 'user not found' } })
    }
    expect((await other.owner.api.get(`/users/${other.owner.id}`)).body.role).toBe('owner')
  })
})

describe('PUT /users/{user_id}, rule 4: the last owner', () => {
  it('409 without a code if the last owner gives up the role; a pending owner invitation does not count', async () => {
    await addPerson(server, tenant.id, { role: 'owner', status: 'pending' })
    const answer = await tenant.owner.api.put(`/users/${tenant.owner.id}`, { role: 'manager', display_name: 'N' })
    expect(answer.status).toBe(409)
    expect(Object.keys(answer.body)).toEqual(['error'])
    expect(await stored(tenant.owner)).toMatchObject({ role: 'owner', display_name: '' })
    expect(await events()).toEqual([])
  })

  it('200 if another owner remains, and then 409 for the remaining owner', async () => {
    const second = await addPerson(server, tenant.id, { role: 'owner' })
    expect((await tenant.owner.api.put(`/users/${tenant.owner.id}`, { role: 'member' })).status).toBe(200)
    expect((await second.api.put(`/users/${second.id}`, { role: 'member' })).status).toBe(409)
    expect((await second.api.put(`/users/${second.id}`, { role: 'owner' })).status).toBe(200)
  })
})

describe('PUT /users/{user_id}, rule 5: time and effects', () => {
  it('a new role applies from the next request and revokes the sessions, without a 401', async () => {
    const user = await addPerson(server, tenant.id, { role: 'manager' })
    const session = await addSession(user)
    const ownSession = await addSession(tenant.owner)
    await tenant.owner.api.put(`/users/${user.id}`, { role: 'viewer' })
    expect(await isRevoked(session)).toBe(true)
    expect(await isRevoked(ownSession)).toBe(false)
    expect((await user.api.put(`/users/${tenant.owner.id}`, { display_name: 'N' })).status).toBe(403)
    expect((await user.api.get(`/users/${user.id}`)).body.role).toBe('viewer')
  })

  it('a change of the display name only keeps the user signed in and is audited as user.profile_updated', async () => {
    const user = await addPerson(server, tenant.id, { displayName: 'Old' })
    const session = await addSession(user)
    await tenant.owner.api.put(`/users/${user.id}`, { display_name: 'New', role: 'member' })
    expect(await isRevoked(session)).toBe(false)
    const [entry, ...more] = await auditEntries(server, tenant.id)
    expect(more).toEqual([])
    expect(entry).toMatchObject({
      event_type: 'user.profile_updated',
      actor_user_id: tenant.owner.id,
      resource_id: user.id,
      resource_name: 'New',
      details: { old_display_name: 'Old', new_display_name: 'New' },
    })
  })

  it('a role change is audited as user.role_changed with the old and new role, and the key that was used', async () => {
    const user = await addPerson(server, tenant.id, { role: 'member' })
    const key = await addKey(server, tenant.id, tenant.owner)
    await key.api.put(`/users/${user.id}`, { role: 'owner' })
    expect(await auditEntries(server, tenant.id)).toMatchObject([
      {
        event_type: 'user.role_changed',
        details: { old_role: 'member', new_role: 'owner', read_only: false },
        actor_user_id: tenant.owner.id,
        api_key_id: key.id,
        resource_type: 'user',
        resource_id: user.id,
      },
    ])
  })

  it('two changes write two entries; a request without changes writes nothing', async () => {
    const user = await addPerson(server, tenant.id, { displayName: 'Ada', role: 'member' })
    const session = await addSession(user)
    for (const body of [{}, { role: 'member' }, { display_name: ' Ada ' }, { display_name: 'Ada', role: 'member' }]) {
      expect((await tenant.owner.api.put(`/users/${user.id}`, body)).status).toBe(200)
    }
    expect((await tenant.owner.api.put(`/users/${tenant.owner.id}`, { role: 'owner' })).status).toBe(200)
    expect(await events()).toEqual([])
    expect(await isRevoked(session)).toBe(false)
    await tenant.owner.api.put(`/users/${user.id}`, { display_name: 'Bea', role: 'viewer' })
    expect((await events()).sort()).toEqual(['user.profile_updated', 'user.role_changed'])
  })

  it('a scoped user who becomes an owner sees everything, and is scoped again after losing the role', async () => {
    const user = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    expect((await tenant.owner.api.put(`/users/${user.id}`, { role: 'owner' })).body.access_scope).toBe('all')
    expect((await tenant.owner.api.put(`/users/${user.id}`, { role: 'member' })).body.access_scope).toBe('scoped')
  })
})

describe('PUT /users/{user_id}, rule 6: Academy learners', () => {
  it.each(['owner', 'manager', 'member'])(
    '409 academy_only_user with its text for role %s, and nothing is written',
    async (role) => {
      const learner = await addPerson(server, tenant.id, { role: 'viewer', academyOnly: true })
      const answer = await tenant.owner.api.put(`/users/${learner.id}`, { role, display_name: 'N' })
      expect(answer.status).toBe(409)
      expect(answer.body).toEqual({ error: learnerText, message: learnerText, code: 'academy_only_user' })
      expect(await stored(learner)).toMatchObject({ role: 'viewer', display_name: '' })
      expect(await events()).toEqual([])
    },
  )

  it('the 403 refusals of rule 3 come first', async () => {
    const learner = await addPerson(server, tenant.id, { role: 'viewer', academyOnly: true })
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const member = await addPerson(server, tenant.id, { role: 'member' })
    expect((await manager.api.put(`/users/${learner.id}`, { role: 'owner' })).status).toBe(403)
    expect((await member.api.put(`/users/${learner.id}`, { role: 'member' })).status).toBe(403)
    expect((await manager.api.put(`/users/${learner.id}`, { role: 'member' })).status).toBe(409)
  })

  it('200: their display name may change and role viewer is accepted, which corrects another stored role', async () => {
    const learner = await addPerson(server, tenant.id, { role: 'member', academyOnly: true })
    const { status, body } = await tenant.owner.api.put(`/users/${learner.id}`, { display_name: 'Lea', role: 'viewer' })
    expect([status, body.display_name, body.role]).toEqual([200, 'Lea', 'viewer'])
    expect((await tenant.owner.api.put(`/users/${learner.id}`, { role: 'viewer' })).status).toBe(200)
  })

  it('a learner may change their own display name; any other change is 403 academy_only_account', async () => {
    const learner = await addPerson(server, tenant.id, { role: 'viewer', academyOnly: true })
    expect((await learner.api.put(`/users/${learner.id}`, { display_name: 'Lea' })).body.display_name).toBe('Lea')
    const refused = { status: 403, body: { code: 'academy_only_account' } }
    expect(await learner.api.put(`/users/${learner.id}`, { role: 'viewer' })).toMatchObject(refused)
    expect(await learner.api.put(`/users/${learner.id}`, { role: 'nonsense' })).toMatchObject(refused)
    expect(await learner.api.put(`/users/${tenant.owner.id}`, { display_name: 'N' })).toMatchObject(refused)
  })
})

describe('PUT /users/{user_id}, rule 7: environment-bound keys', () => {
  it('403 with its texts: it makes no owner, changes no owner’s role and renames no other owner', async () => {
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const second = await addPerson(server, tenant.id, { role: 'owner' })
    const member = await addPerson(server, tenant.id)
    expect(await key.api.put(`/users/${member.id}`, { role: 'owner' })).toMatchObject({
      status: 403,
      body: { error: 'an API key bound to an environment cannot make anyone an owner' },
    })
    for (const [id, body] of [
      [tenant.owner.id, { role: 'member' }],
      [tenant.owner.id, { role: 'nonsense' }],
      [second.id, { role: 'member' }],
      [second.id, { display_name: 'N' }],
    ] as const) {
      expect(await key.api.put(`/users/${id}`, body)).toMatchObject({ status: 403, body: { error: ownerOnlyText } })
    }
    expect(await events()).toEqual([])
  })

  it('200: otherwise it changes users as a manager’s key would, also its own owner’s name', async () => {
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const member = await addPerson(server, tenant.id)
    expect((await key.api.put(`/users/${member.id}`, { role: 'manager', display_name: 'N' })).status).toBe(200)
    expect((await key.api.put(`/users/${tenant.owner.id}`, { display_name: 'Boss' })).body.display_name).toBe('Boss')
    const memberKey = await addKey(server, tenant.id, await addPerson(server, tenant.id), {
      environmentId: tenant.development,
    })
    expect((await memberKey.api.put(`/users/${member.id}`, { display_name: 'X' })).status).toBe(403)
  })
})
