import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../../db/ids/new-id.ts'
import {
  addAgent,
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  giveEnvironment,
  grantAgent,
  type TestPerson,
  type TestTenant,
} from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer({ faults: true })
let tenant: TestTenant

beforeEach(async () => {
  tenant = await createTenant(server)
})

const ownerOnlyText = 'an API key bound to an environment cannot take an action reserved for owners'
const events = async () => (await auditEntries(server, tenant.id)).map((entry) => entry.event_type)

async function count(table: string, where: string, ...values: unknown[]): Promise<number> {
  const { rows } = await server.owner.query(`select count(*)::int as count from ${table} where ${where}`, values)
  return rows[0].count
}

/** Counts everything that refers to a user. All counts are 1 while nothing is deleted. */
async function traces({ id, accountId, email }: TestPerson) {
  return {
    user: await count('users', 'id = $1', id),
    keys: await count('api_keys', 'created_by = $1', id),
    keyLookups: await count('credential_lookup', `tenant_id = $1 and kind = 'api_key'`, tenant.id),
    grants: await count('agent_grants', 'user_id = $1', id),
    access: await count('environment_access', 'user_id = $1', id),
    addresses: await count('email_lookup', 'address = lower($1)', email),
    accounts: await count('account_lookup', 'account_id = $1', accountId),
    signIn: await count('identity.accounts', 'id = $1', accountId),
    sessions: await count('sessions', 'account_id = $1', accountId),
    refreshTokens: await count(
      'refresh_tokens r join sessions s on s.id = r.session_id',
      's.account_id = $1',
      accountId,
    ),
    ownedAgents: await count('agents', 'owner_user_id = $1', id),
    reportsGenerated: await count('reports', 'generated_by = $1', id),
  }
}

async function addFullPerson(): Promise<{ person: TestPerson; key: Awaited<ReturnType<typeof addKey>> }> {
  const person = await addPerson(server, tenant.id, { role: 'manager', displayName: 'Max' })
  const key = await addKey(server, tenant.id, person)
  const agent = await addAgent(server, tenant.id, { ownerUserId: person.id, environmentId: tenant.development })
  await grantAgent(server, tenant.id, person.id, agent)
  await giveEnvironment(server, tenant.id, person.id, tenant.development)
  await server.owner.query(
    `insert into refresh_tokens (token_hash, session_id, issued_at, expires_at)
     select $1, id, now(), now() from sessions where account_id = $2`,
    [randomBytes(32), person.accountId],
  )
  await server.owner.query(
    `insert into reports (tenant_id, id, title, generated_by, snapshot, created_at) values ($1, $2, 'r', $3, '{}', now())`,
    [tenant.id, newId(), person.id],
  )
  return { person, key }
}

const setFault = (on: boolean) =>
  server.owner.query(
    on
      ? 'insert into faults (tenant_id, name) values ($1, $2)'
      : 'delete from faults where tenant_id = $1 and name = $2',
    [tenant.id, 'identity.delete_account'],
  )

describe('DELETE /users/{user_id}: a removal', () => {
  it('204, and the user’s data is deleted: keys deleted, agents and reports kept without the user', async () => {
    const { person } = await addFullPerson()
    const before = await traces(person)
    expect(Object.values(before).every((found) => found > 0)).toBe(true)
    const answer = await tenant.owner.api.delete(`/users/${person.id}`)
    expect([answer.status, answer.body]).toEqual([204, undefined])
    expect(new Set(Object.values(await traces(person)))).toEqual(new Set([0]))
    expect(await count('agents', 'tenant_id = $1 and owner_user_id is null', tenant.id)).toBe(1)
    expect(await count('reports', 'tenant_id = $1 and generated_by is null', tenant.id)).toBe(1)
    expect((await tenant.owner.api.get(`/users/${person.id}`)).status).toBe(404)
    expect((await tenant.owner.api.delete(`/users/${person.id}`)).status).toBe(404)
  })

  it('401 at once for the removed user, and for every key they created', async () => {
    const { person, key } = await addFullPerson()
    expect((await person.api.get('/users')).status).toBe(200)
    expect((await key.api.get('/users')).status).toBe(200)
    await tenant.owner.api.delete(`/users/${person.id}`)
    expect((await person.api.get('/users')).status).toBe(401)
    expect(await key.api.get('/users')).toMatchObject({ status: 401, body: { error: 'invalid API key', code: 401 } })
  })

  it('rule 5: audited as user.removed, with the user’s name and the caller', async () => {
    const { person } = await addFullPerson()
    await tenant.owner.api.delete(`/users/${person.id}`)
    expect((await auditEntries(server, tenant.id)).at(-1)).toMatchObject({
      event_type: 'user.removed',
      actor_user_id: tenant.owner.id,
      resource_id: person.id,
      resource_name: 'Max',
    })
  })

  it('each key that ends has an entry api_key.revoked, which says whose key it was; a key that had ended has none', async () => {
    const { person, key } = await addFullPerson()
    const [{ key_prefix }] = (await tenant.owner.api.get('/api-keys')).body.data
    const bound = await addKey(server, tenant.id, person, {
      environmentId: tenant.development,
      scopes: ['audit:read'],
      expiresAt: '2999-01-01T00:00:00.000Z',
    })
    const revoked = await addKey(server, tenant.id, person)
    await tenant.owner.api.delete(`/api-keys/${revoked.id}`)
    const before = await auditEntries(server, tenant.id)
    await tenant.owner.api.delete(`/users/${person.id}`)
    const entries = (await auditEntries(server, tenant.id)).slice(before.length)
    const ofMax = { because: 'user_removed', created_by: person.id, created_by_name: 'Max' }
    expect(entries).toMatchObject([
      {
        event_type: 'api_key.revoked',
        actor_user_id: tenant.owner.id,
        resource_id: key.id,
        environment_id: null,
        details: { ...ofMax, key_prefix, name: 'test key', scopes: [] },
      },
      {
        event_type: 'api_key.revoked',
        resource_id: bound.id,
        environment_id: tenant.development,
        details: { ...ofMax, scopes: ['audit:read'], expires_at: '2999-01-01T00:00:00.000Z' },
      },
      { event_type: 'user.removed', resource_id: person.id, details: { api_keys_revoked: 2 } },
    ])
    expect(JSON.stringify(entries)).not.toContain(key.raw.slice(8))
  })

  it('the entry user.removed names the agents that have no owner now, at most 50, without archived ones', async () => {
    const { person } = await addFullPerson()
    await addAgent(server, tenant.id, { ownerUserId: person.id, status: 'archived' })
    for (let made = 1; made <= 51; made++)
      await addAgent(server, tenant.id, { ownerUserId: person.id, environmentId: tenant.development })
    await tenant.owner.api.delete(`/users/${person.id}`)
    const { details } = (await auditEntries(server, tenant.id)).at(-1)
    expect(details).toMatchObject({ role: 'manager', read_only: false, agents_owned: 52 })
    expect(details.agents).toHaveLength(50)
    const [{ id, name }] = details.agents
    expect((await tenant.owner.api.get(`/agents/${id}`)).body).toMatchObject({ name, owner_user_id: null })
  })

  it('the keys, sessions and rows of other users do not change', async () => {
    const { person: bystander, key } = await addFullPerson()
    const leaving = await addPerson(server, tenant.id)
    const before = await traces(bystander)
    await tenant.owner.api.delete(`/users/${leaving.id}`)
    expect(await traces(bystander)).toEqual(before)
    expect((await key.api.get('/users')).status).toBe(200)
  })
})

describe('DELETE /users/{user_id}: an invitation', () => {
  it('rule 5: audited as user.invitation.revoked; its token stops working and its seat is free', async () => {
    const { body } = await tenant.owner.api.post(`/tenants/${tenant.id}/invite`, {
      email: 'p@example.com',
      role: 'viewer',
    })
    await server.owner.query('update tenants set max_users_override = 2 where id = $1', [tenant.id])
    const invite = (email: string) =>
      tenant.owner.api.post(`/tenants/${tenant.id}/invite`, { email, role: 'viewer' }).then((answer) => answer.status)
    expect(await invite('q@example.com')).toBe(400)
    const ofIt = [`tenant_id = $1 and kind = 'invitation'`, tenant.id] as const
    expect(await count('credential_lookup', ...ofIt)).toBe(1)
    expect((await tenant.owner.api.delete(`/users/${body.user_id}`)).status).toBe(204)
    expect(await count('credential_lookup', ...ofIt)).toBe(0)
    expect(await count('invitations', 'user_id = $1', body.user_id)).toBe(0)
    expect((await events()).at(-1)).toBe('user.invitation.revoked')
    expect(await invite('q@example.com')).toBe(202)
  })
})

describe('DELETE /users/{user_id}: refusals', () => {
  it('rule 1: only an owner removes a user or withdraws an invitation; others get 403, whatever the user', async () => {
    const target = await addPerson(server, tenant.id, { role: 'viewer' })
    const pending = await addPerson(server, tenant.id, { status: 'pending' })
    for (const role of ['viewer', 'member', 'manager'] as const) {
      const person = await addPerson(server, tenant.id, { role })
      for (const id of [target.id, pending.id, person.id, newId()]) {
        expect((await person.api.delete(`/users/${id}`)).status).toBe(403)
      }
    }
    const learner = await addPerson(server, tenant.id, { role: 'viewer', academyOnly: true })
    expect(await learner.api.delete(`/users/${target.id}`)).toMatchObject({
      status: 403,
      body: { code: 'academy_only_account' },
    })
    expect(await events()).toEqual([])
  })

  it('rule 1: 403 for an environment-bound API key, even an owner’s; an owner’s tenant-wide key may', async () => {
    const target = await addPerson(server, tenant.id)
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    for (const id of [target.id, tenant.owner.id, newId()]) {
      expect(await bound.api.delete(`/users/${id}`)).toMatchObject({ status: 403, body: { error: ownerOnlyText } })
    }
    const wide = await addKey(server, tenant.id, tenant.owner)
    expect((await wide.api.delete(`/users/${target.id}`)).status).toBe(204)
  })

  it('rule 2: 400 for removing oneself, also through one’s own key', async () => {
    await addPerson(server, tenant.id, { role: 'owner' })
    const key = await addKey(server, tenant.id, tenant.owner)
    for (const api of [tenant.owner.api, key.api]) {
      expect((await api.delete(`/users/${tenant.owner.id}`)).status).toBe(400)
    }
  })

  it('400 for an id that is not a UUID; 404 for an unknown id and for a user of another tenant', async () => {
    const other = await createTenant(server)
    expect((await tenant.owner.api.delete('/users/nonsense')).status).toBe(400)
    for (const id of [newId(), other.owner.id]) {
      expect((await tenant.owner.api.delete(`/users/${id}`)).status).toBe(404)
    }
    expect((await other.owner.api.get('/users')).status).toBe(200)
  })
})

/** Locks the tenant, runs `request` and then `meanwhile`, and releases the lock. */
async function behindTenantLock<T>(request: () => Promise<T>, meanwhile: string, values: unknown[]): Promise<T> {
  const client = await server.owner.connect()
  try {
    await client.query('begin')
    await client.query('select from tenants where id = $1 for update', [tenant.id])
    const answer = request()
    await expect
      .poll(() => count('pg_stat_activity', "wait_event_type = 'Lock' and datname = current_database()"))
      .toBe(1)
    await client.query(meanwhile, values)
    await client.query('commit')
    return await answer
  } finally {
    client.release()
  }
}

describe('DELETE /users/{user_id}: rules 2 to 4, concurrent changes', () => {
  it('rule 2: 400 for the last owner if the caller loses the role during the request; a pending owner does not count', async () => {
    const caller = await addPerson(server, tenant.id, { role: 'owner' })
    await addPerson(server, tenant.id, { role: 'owner', status: 'pending' })
    const answer = await behindTenantLock(
      () => caller.api.delete(`/users/${tenant.owner.id}`),
      "update users set role = 'member' where id = $1",
      [caller.id],
    )
    expect(answer.status).toBe(400)
    expect((await tenant.owner.api.get('/users')).body.total).toBe(3)
  })

  it('409 if the caller loses the role during the request and the user is not the last owner', async () => {
    const caller = await addPerson(server, tenant.id, { role: 'owner' })
    const target = await addPerson(server, tenant.id)
    const answer = await behindTenantLock(
      () => caller.api.delete(`/users/${target.id}`),
      "update users set role = 'member' where id = $1",
      [caller.id],
    )
    expect(answer.status).toBe(409)
    expect(await count('users', 'id = $1', target.id)).toBe(1)
  })

  it.each([
    ['organization', 'select from tenants where id = $1 for update'],
    ['users', 'select from users where tenant_id = $1 for update'],
    ['environments', 'select from environment_access where tenant_id = $1 for update'],
  ])(
    'rule 4: 409 and nothing is removed while a concurrent change of the %s holds a lock; a retry is 204',
    async (_, lock) => {
      const { person } = await addFullPerson()
      const before = await traces(person)
      const client = await server.owner.connect()
      try {
        await client.query('begin')
        await client.query(lock, [tenant.id])
        expect((await tenant.owner.api.delete(`/users/${person.id}`)).status).toBe(409)
        await client.query('rollback')
      } finally {
        client.release()
      }
      expect(await traces(person)).toEqual(before)
      expect(await events()).toEqual([])
      expect((await tenant.owner.api.delete(`/users/${person.id}`)).status).toBe(204)
    },
  )

  it('rule 4: 409 if the sign-in account cannot be deleted; nothing is removed, and a retry is possible', async () => {
    const { person, key } = await addFullPerson()
    const before = await traces(person)
    await setFault(true)
    expect((await tenant.owner.api.delete(`/users/${person.id}`)).status).toBe(409)
    expect(await traces(person)).toEqual(before)
    expect(await events()).toEqual([])
    expect((await person.api.get('/users')).status).toBe(200)
    expect((await key.api.get('/users')).status).toBe(200)
    await setFault(false)
    expect((await tenant.owner.api.delete(`/users/${person.id}`)).status).toBe(204)
  })

  it('an invitation has no sign-in account, so it is withdrawn even if the identity provider fails', async () => {
    const pending = await addPerson(server, tenant.id, { status: 'pending' })
    await setFault(true)
    expect((await tenant.owner.api.delete(`/users/${pending.id}`)).status).toBe(204)
  })
})

describe('GET /users/{user_id}/removal-preview', () => {
  it('200 with what stops working: active keys and their last use, owned agents, open reviews; nothing changes', async () => {
    const { person, key } = await addFullPerson()
    await addKey(server, tenant.id, person, { expiresAt: '2020-01-01T00:00:00.000Z' })
    await addAgent(server, tenant.id, { ownerUserId: person.id, status: 'archived' })
    const agent = await addAgent(server, tenant.id, { ownerUserId: person.id })
    for (const [kind, status] of [
      ['onboarding', 'pending'],
      ['change', 'approved'],
    ]) {
      await server.owner.query(
        `insert into reviews (tenant_id, id, agent_id, kind, status, assigned_role, requested_by, opened_at)
         values ($1, $2, $3, $4, $5, 'manager', $6, now())`,
        [tenant.id, newId(), agent, kind, status, person.id],
      )
    }
    const path = `/users/${person.id}/removal-preview`
    expect((await tenant.owner.api.get(path)).body).toEqual({
      api_keys: { count: 1 },
      agents_owned: 2,
      open_reviews: 1,
    })
    await key.api.get('/users')
    const { status, body } = await tenant.owner.api.get(path)
    expect(status).toBe(200)
    expect(body.api_keys).toEqual({ count: 1, last_used_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) })
    expect(await events()).toEqual([])
    expect((await tenant.owner.api.get(`/users/${tenant.owner.id}/removal-preview`)).body).toEqual({
      api_keys: { count: 0 },
      agents_owned: 0,
      open_reviews: 0,
    })
  })

  it('403 for a caller who is not an owner and for a bound key, 404 for an unknown id and a user of another tenant, 400 for an id that is not a UUID', async () => {
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const other = await createTenant(server)
    expect((await manager.api.get(`/users/${tenant.owner.id}/removal-preview`)).status).toBe(403)
    expect((await bound.api.get(`/users/${manager.id}/removal-preview`)).status).toBe(403)
    expect((await tenant.owner.api.get(`/users/${newId()}/removal-preview`)).status).toBe(404)
    expect((await tenant.owner.api.get(`/users/${other.owner.id}/removal-preview`)).status).toBe(404)
    expect((await tenant.owner.api.get('/users/me/removal-preview')).status).toBe(400)
  })
})
