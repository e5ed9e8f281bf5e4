import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  type NewPerson,
  type TestTenant,
} from '../../testing/arrange.ts'
import { mailsTo } from '../../testing/mail-box.ts'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()

const addLearner = (tenant: TestTenant, person: NewPerson = {}) =>
  addPerson(server, tenant.id, { role: 'viewer', academyOnly: true, ...person })
const grant = (by: { api: TestTenant['owner']['api'] }, userId: string, role: unknown = 'member') =>
  by.api.post(`/users/${userId}/platform-access`, { role })
const rowOf = async (userId: string) =>
  (await server.owner.query('select * from users where id = $1', [userId])).rows[0]

async function addSession(accountId: string): Promise<string> {
  const id = randomUUID()
  await server.owner.query('insert into sessions (id, account_id, created_at) values ($1, $2, now())', [id, accountId])
  return id
}
const isRevoked = async (sessionId: string) =>
  (await server.owner.query('select renewal_ended_at from sessions where id = $1', [sessionId])).rows[0]
    .renewal_ended_at !== null

describe('POST /users/{user_id}/platform-access', () => {
  it.each(['viewer', 'member', 'manager'] as const)(
    '200 gives an accepted learner the role %s: they are no longer a learner, and both roles are audited',
    async (role) => {
      const tenant = await createTenant(server)
      const learner = await addLearner(tenant)
      const answer = await grant(tenant.owner, learner.id, role)
      expect(answer).toMatchObject({
        status: 200,
        body: { id: learner.id, role, academy_only: false, status: 'active' },
      })
      expect(await auditEntries(server, tenant.id)).toMatchObject([
        {
          event_type: 'user.platform_access_granted',
          resource_id: learner.id,
          details: { role_held: 'viewer', role_given: role, access_scope: 'all' },
        },
      ])
      expect(await mailsTo(server, learner.email)).toMatchObject([{ subject: `Welcome to ${tenant.name}` }])
    },
  )

  it('applies from the person’s next request', async () => {
    const tenant = await createTenant(server)
    const learner = await addLearner(tenant)
    const before = await learner.api.get('/tenants')
    expect(before).toMatchObject({ status: 403, body: { code: 'academy_only_account' } })
    await grant(tenant.owner, learner.id)
    expect((await learner.api.get('/tenants')).status).toBe(200)
  })

  it('403 for callers below manager, whatever the user and the body', async () => {
    const tenant = await createTenant(server)
    const learner = await addLearner(tenant)
    for (const role of ['member', 'viewer'] as const) {
      const person = await addPerson(server, tenant.id, { role })
      expect((await grant(person, learner.id)).status).toBe(403)
      expect((await grant(person, learner.id, 'owner')).status).toBe(403)
      expect((await grant(person, randomUUID())).status).toBe(403)
    }
    expect(await rowOf(learner.id)).toMatchObject({ academy_only: true })
  })

  it('403 academy_only_account for a learner, also for themselves', async () => {
    const tenant = await createTenant(server)
    const learner = await addLearner(tenant, { role: 'manager' })
    const refused = await grant(learner, learner.id)
    expect(refused).toMatchObject({ status: 403, body: { code: 'academy_only_account' } })
    expect(refused.body.error).toBe(refused.body.message)
  })

  it.each(['owner', 'admin', null, 7])('400 for the role %j', async (role) => {
    const tenant = await createTenant(server)
    const learner = await addLearner(tenant)
    expect((await grant(tenant.owner, learner.id, role)).status).toBe(400)
    expect(await rowOf(learner.id)).toMatchObject({ academy_only: true, role: 'viewer' })
  })

  it('404 for an unknown user, before the body’s 400; 400 for an id that is not a UUID', async () => {
    const [tenant, other] = await Promise.all([createTenant(server), createTenant(server)])
    const foreign = await addLearner(other)
    for (const id of [randomUUID(), foreign.id]) {
      expect((await grant(tenant.owner, id)).status).toBe(404)
      expect((await grant(tenant.owner, id, 'owner')).status).toBe(404)
    }
    expect((await grant(tenant.owner, 'nonsense')).status).toBe(400)
    expect(await rowOf(foreign.id)).toMatchObject({ academy_only: true })
  })

  it('400 for a pending invitation and for a user who already has platform access, an owner too', async () => {
    const tenant = await createTenant(server)
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const pending = await addLearner(tenant, { status: 'pending' })
    const member = await addPerson(server, tenant.id)
    for (const id of [pending.id, member.id, tenant.owner.id]) {
      const refused = await grant(manager, id)
      expect(refused.status).toBe(400)
      expect(refused.body.code).toBeUndefined()
    }
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it('a learner with a stored role other than viewer gets the sent role', async () => {
    const tenant = await createTenant(server)
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const learner = await addLearner(tenant, { role: 'manager' })
    expect(await grant(manager, learner.id, 'member')).toMatchObject({ status: 200, body: { role: 'member' } })
    expect((await auditEntries(server, tenant.id))[0].details).toMatchObject({
      role_held: 'manager',
      role_given: 'member',
    })
  })

  it('a learner with the stored role owner needs an owner: 403 for a manager and for an owner’s bound key, before the body’s 400', async () => {
    const tenant = await createTenant(server)
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const learner = await addLearner(tenant, { role: 'owner' })
    for (const by of [manager, bound]) {
      expect((await grant(by, learner.id)).status).toBe(403)
      expect((await grant(by, learner.id, 'owner')).status).toBe(403)
    }
    expect(await rowOf(learner.id)).toMatchObject({ role: 'owner', academy_only: true })
    expect(await grant(tenant.owner, learner.id)).toMatchObject({ status: 200, body: { role: 'member' } })
  })

  it('409 without a code: the last owner keeps the role; a pending owner invitation does not count', async () => {
    const tenant = await createTenant(server)
    const learner = await addLearner(tenant, { role: 'owner' })
    await addPerson(server, tenant.id, { role: 'owner', status: 'pending' })
    // Another transaction has already changed the caller's role but has not committed. The request waits for this transaction and
    // then reads the owners.
    const demotion = await server.owner.connect()
    try {
      await demotion.query('begin')
      await demotion.query("update users set role = 'manager' where tenant_id = $1 and id = $2", [
        tenant.id,
        tenant.owner.id,
      ])
      const answer = grant(tenant.owner, learner.id)
      await waitForLock()
      await demotion.query('commit')
      expect(await answer).toMatchObject({ status: 409 })
      expect((await answer).body.code).toBeUndefined()
    } finally {
      demotion.release()
    }
    expect(await rowOf(learner.id)).toMatchObject({ role: 'owner', academy_only: true })
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it('409 seat_limit_reached with its text in error and message if all seats are in use; nothing is written', async () => {
    const tenant = await createTenant(server, { plan: 'free' })
    await Promise.all([1, 2, 3].map(() => addPerson(server, tenant.id)))
    await addPerson(server, tenant.id, { status: 'pending' })
    const learner = await addLearner(tenant)
    const text = 'Every seat on your plan is in use. Remove a user or choose a larger plan to free one.'
    const refused = await grant(tenant.owner, learner.id)
    expect(refused.status).toBe(409)
    expect(refused.body).toEqual({ error: text, message: text, code: 'seat_limit_reached' })
    expect(await rowOf(learner.id)).toMatchObject({ academy_only: true })
    expect(await auditEntries(server, tenant.id)).toEqual([])
    expect(await mailsTo(server, learner.email)).toEqual([])
  })

  it('of many learners who get access at the same time, exactly one gets the free seat', async () => {
    const tenant = await createTenant(server, { plan: 'free' })
    await Promise.all([1, 2, 3].map(() => addPerson(server, tenant.id)))
    const learners = await Promise.all(Array.from({ length: 12 }, () => addLearner(tenant)))
    const answers = await Promise.all(learners.map(({ id }) => grant(tenant.owner, id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(409)])
  })

  it('two concurrent requests for one learner: one succeeds with one entry, and the other is 400', async () => {
    for (let round = 0; round < 4; round++) {
      const tenant = await createTenant(server)
      const learner = await addLearner(tenant)
      const answers = await Promise.all([1, 2].map(() => grant(tenant.owner, learner.id)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
      expect(await auditEntries(server, tenant.id)).toHaveLength(1)
    }
  })

  it('the access scope becomes scoped when the caller is scoped or uses a bound key; otherwise it is kept', async () => {
    const tenant = await createTenant(server)
    const scoped = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const wide = await addKey(server, tenant.id, tenant.owner)
    const scopeGiven = async (by: { api: TestTenant['owner']['api'] }, accessScope: 'all' | 'scoped') => {
      const learner = await addLearner(tenant, { accessScope })
      return (await grant(by, learner.id)).body.access_scope
    }
    expect(await scopeGiven(scoped, 'all')).toBe('scoped')
    expect(await scopeGiven(bound, 'all')).toBe('scoped')
    expect(await scopeGiven(wide, 'all')).toBe('all')
    expect(await scopeGiven(tenant.owner, 'all')).toBe('all')
    expect(await scopeGiven(tenant.owner, 'scoped')).toBe('scoped')
  })

  it.each([
    ['manager', 'member', true],
    ['member', 'member', false],
    ['viewer', 'manager', false],
  ] as const)(
    'a learner with the stored role %s who gets %s: the sessions are revoked: %s',
    async (held, given, revoked) => {
      const tenant = await createTenant(server)
      const learner = await addLearner(tenant, { role: held })
      const [theirs, another] = await Promise.all([addSession(learner.accountId), addSession(tenant.owner.accountId)])
      expect((await grant(tenant.owner, learner.id, given)).status).toBe(200)
      expect(await isRevoked(theirs)).toBe(revoked)
      expect(await isRevoked(another)).toBe(false)
    },
  )

  it('a read-only key of an owner is 403', async () => {
    const tenant = await createTenant(server)
    const learner = await addLearner(tenant)
    const key = await addKey(server, tenant.id, tenant.owner, { scopes: ['*:read'] })
    expect(await grant(key, learner.id)).toMatchObject({ status: 403, body: { code: 403 } })
  })
})

/** Resolves when a statement of the application waits for a row lock. */
async function waitForLock(): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const { rows } = await server.owner.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    if (rows.length > 0) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('nothing waited for a lock')
}
