import { randomBytes, randomUUID } from 'node:crypto'
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
import { mailsTo } from '../../../testing/mail-box.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer({ faults: true })
let tenant: TestTenant

beforeEach(async () => {
  tenant = await createTenant(server)
})

const reset = (by: { api: TestPerson['api'] }, id: string) => by.api.post(`/users/${id}/reset-mfa`)

/** Gives a user a second factor with a recovery code. The user already has a session. */
async function enrol({ id, accountId }: TestPerson): Promise<void> {
  await server.owner.query('update users set mfa_enrolled = true where id = $1', [id])
  await server.owner.query(
    `insert into identity.totp_factors (id, account_id, secret_sealed, created_at, confirmed_at)
     values ($1, $2, 'sealed', now(), now())`,
    [randomUUID(), accountId],
  )
  await server.owner.query(
    'insert into identity.recovery_codes (account_id, code_hash, created_at) values ($1, $2, now())',
    [accountId, randomBytes(32)],
  )
}

async function state({ id, accountId, email }: TestPerson) {
  const { rows } = await server.owner.query(
    `select mfa_enrolled,
       (select count(*)::int from identity.recovery_codes where account_id = $2::uuid) as codes,
       (select count(*)::int from sessions where account_id = $2::text and revoked_at is null) as sessions
     from users where id = $1`,
    [id, accountId],
  )
  const factors = await server.services.identity.hasFactors(server.owner, accountId)
  return { ...rows[0], factors, mails: (await mailsTo(server, email)).length }
}

const enrolled = { mfa_enrolled: true, factors: true, codes: 1, sessions: 1, mails: 0 }
const cleared = { mfa_enrolled: false, factors: false, codes: 0, sessions: 0, mails: 1 }

describe('POST /users/{user_id}/reset-mfa', () => {
  it('rule 1: 200; factors cleared, marked as not enrolled, refresh tokens revoked, the user emailed, audited', async () => {
    const user = await addPerson(server, tenant.id)
    await enrol(user)
    expect(await state(user)).toEqual(enrolled)
    const { status, body } = await reset(tenant.owner, user.id)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: user.id, mfa_enrolled: false })
    expect(await state(user)).toEqual(cleared)
    expect(await auditEntries(server, tenant.id)).toMatchObject([
      { event_type: 'user.mfa_reset', actor_user_id: tenant.owner.id, resource_id: user.id },
    ])
    expect((await user.api.get('/users')).status).toBe(200)
  })

  it('rule 2: 502 if the factors cannot be cleared; nothing changes, and a retry is possible', async () => {
    const user = await addPerson(server, tenant.id)
    await enrol(user)
    const fault = [tenant.id, 'identity.clear_factors']
    await server.owner.query('insert into faults (tenant_id, name) values ($1, $2)', fault)
    expect((await reset(tenant.owner, user.id)).status).toBe(502)
    expect(await state(user)).toEqual(enrolled)
    expect(await auditEntries(server, tenant.id)).toEqual([])
    await server.owner.query('delete from faults where tenant_id = $1 and name = $2', fault)
    expect((await reset(tenant.owner, user.id)).status).toBe(200)
    expect(await state(user)).toEqual(cleared)
  })

  it('rule 2: a pending invitation has no factors: it is 200, and nothing is written or mailed', async () => {
    const pending = await addPerson(server, tenant.id, { status: 'pending' })
    await server.owner.query('insert into faults (tenant_id, name) values ($1, $2)', [
      tenant.id,
      'identity.clear_factors',
    ])
    const { status, body } = await reset(tenant.owner, pending.id)
    expect([status, body.mfa_enrolled]).toEqual([200, false])
    expect(await mailsTo(server, pending.email)).toEqual([])
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it('rule 3: 200: an owner may reset the MFA of all other users', async () => {
    for (const role of ['viewer', 'member', 'manager', 'owner'] as const) {
      const user = await addPerson(server, tenant.id, { role })
      expect((await reset(tenant.owner, user.id)).status).toBe(200)
    }
    const learner = await addPerson(server, tenant.id, { role: 'viewer', academyOnly: true })
    expect((await reset(tenant.owner, learner.id)).status).toBe(200)
  })

  it('rule 3: a manager may reset the MFA of members and viewers; 403 for managers and owners', async () => {
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    for (const [role, expected] of [
      ['viewer', 200],
      ['member', 200],
      ['manager', 403],
      ['owner', 403],
    ] as const) {
      const user = await addPerson(server, tenant.id, { role })
      expect((await reset(manager, user.id)).status).toBe(expected)
    }
  })

  it('rule 3: an environment-bound key has a manager’s rights, even an owner’s key', async () => {
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const member = await addPerson(server, tenant.id)
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    expect((await reset(key, member.id)).status).toBe(200)
    expect(await reset(key, manager.id)).toMatchObject({
      status: 403,
      body: { error: 'an API key bound to an environment cannot take an action reserved for owners' },
    })
    const wide = await addKey(server, tenant.id, tenant.owner)
    expect((await reset(wide, manager.id)).status).toBe(200)
  })

  it('rule 3: 403 for resetting one’s own MFA through this route, in person or by key', async () => {
    const key = await addKey(server, tenant.id, tenant.owner)
    expect((await reset(tenant.owner, tenant.owner.id)).status).toBe(403)
    expect((await reset(key, tenant.owner.id)).status).toBe(403)
  })

  it('rule 3: 403 for a member, viewer or learner, whatever the user; a refusal writes and audits nothing', async () => {
    const user = await addPerson(server, tenant.id, { role: 'viewer' })
    await enrol(user)
    for (const person of [
      await addPerson(server, tenant.id, { role: 'member' }),
      await addPerson(server, tenant.id, { role: 'viewer' }),
      await addPerson(server, tenant.id, { role: 'viewer', academyOnly: true }),
    ]) {
      for (const id of [user.id, person.id, newId()]) expect((await reset(person, id)).status).toBe(403)
    }
    expect(await state(user)).toEqual(enrolled)
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it('404 for an unknown id and for a user of another tenant, 400 for an id that is not a UUID', async () => {
    const other = await createTenant(server)
    await enrol(other.owner)
    for (const id of [newId(), other.owner.id]) expect((await reset(tenant.owner, id)).status).toBe(404)
    expect((await reset(tenant.owner, 'nonsense')).status).toBe(400)
    expect(await state(other.owner)).toEqual(enrolled)
  })
})
