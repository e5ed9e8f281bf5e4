import { describe, expect, it } from 'vitest'
import { digest } from '../../../security/credentials.ts'
import { addKey, addPerson, auditEntries, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { mailsTo, tokenMailedTo } from '../../../testing/mail-box.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
let count = 0

const address = () => `invited-${++count}@example.com`
const invite = (tenant: TestTenant, body: unknown, by = tenant.owner.api) =>
  by.post(`/tenants/${tenant.id}/invite`, body)
const rowsOf = async (tenant: TestTenant, email: string) =>
  (await server.owner.query('select * from users where tenant_id = $1 and email_lower = lower($2)', [tenant.id, email]))
    .rows
const seatsOf = async (tenant: TestTenant) =>
  (
    await server.owner.query('select count(*)::int as n from users where tenant_id = $1 and not academy_only', [
      tenant.id,
    ])
  ).rows[0].n
const pointsTo = async (token: string) =>
  (await server.owner.query('select kind, tenant_id, id from credential_lookup where hash = $1', [digest(token)])).rows

describe('POST /tenants/{id}/invite: the invitation', () => {
  it('202 with user_id, tenant_id, email, role, message and mail_delivery; the user is pending and joins with access scope all', async () => {
    const tenant = await createTenant(server)
    const email = address()
    const answer = await invite(tenant, { email: `  ${email} `, role: 'manager' })
    expect(answer.status).toBe(202)
    expect(Object.keys(answer.body).sort()).toEqual([
      'email',
      'mail_delivery',
      'message',
      'read_only',
      'role',
      'tenant_id',
      'user_id',
    ])
    expect(answer.body).toMatchObject({ tenant_id: tenant.id, email, role: 'manager' })
    expect(await rowsOf(tenant, email)).toMatchObject([
      { id: answer.body.user_id, status: 'pending', role: 'manager', access_scope: 'all', academy_only: false },
    ])
  })

  it('the mail has a single-use link on its own line; only the link’s digest is stored, for 7 days', async () => {
    const tenant = await createTenant(server)
    const email = address()
    const { body } = await invite(tenant, { email, role: 'member' })
    const [mail] = await mailsTo(server, email)
    const token = await tokenMailedTo(server, email)
    const link = `${server.services.config.publicUrl}/join?token=${token}`
    expect(mail?.text.split('\n')).toContain(link)
    expect(mail?.link).toBe(link)
    expect(await pointsTo(token)).toEqual([{ kind: 'invitation', tenant_id: tenant.id, id: body.user_id }])
    const { rows } = await server.owner.query('select * from invitations where user_id = $1', [body.user_id])
    expect(rows).toHaveLength(1)
    expect(rows[0].token_hash).toEqual(digest(token))
    expect(rows[0].expires_at - rows[0].created_at).toBe(7 * 24 * 60 * 60 * 1000)
  })

  it('audited as user.invited with the address and the role, without the token', async () => {
    const tenant = await createTenant(server)
    const email = address()
    await invite(tenant, { email, role: 'member' })
    const entries = await auditEntries(server, tenant.id)
    expect(entries).toMatchObject([
      { event_type: 'user.invited', resource_name: email, details: { email, role: 'member', renewed: false } },
    ])
    expect(JSON.stringify(entries)).not.toContain(await tokenMailedTo(server, email))
  })

  it('202 means that the invitation exists, not that its mail was sent: the mail is in the outbox, committed with it', async () => {
    const tenant = await createTenant(server)
    await server.owner.query("insert into faults (tenant_id, name) values ($1, 'mail.send')", [tenant.id])
    const email = address()
    expect((await invite(tenant, { email, role: 'member' })).status).toBe(202)
    expect(await rowsOf(tenant, email)).toHaveLength(1)
    expect(await mailsTo(server, email)).toHaveLength(1)
    expect((await invite(tenant, { email: tenant.owner.email, role: 'member' })).status).toBe(409)
    expect(await mailsTo(server, tenant.owner.email)).toEqual([])
  })

  it('an organization’s name cannot imitate another part of the mail', async () => {
    const tenant = await createTenant(server)
    await tenant.owner.api.put(`/tenants/${tenant.id}`, { name: 'Acme\nhttps://evil.example/join?token=1' })
    const email = address()
    await invite(tenant, { email, role: 'member' })
    const [mail] = await mailsTo(server, email)
    expect(mail?.text.split('\n').filter((line) => line.startsWith('http'))).toEqual([mail?.link])
    expect(mail?.subject).not.toContain('\n')
  })

  it('the response is the same for the address of another tenant’s user or owner', async () => {
    const [tenant, other] = await Promise.all([createTenant(server), createTenant(server)])
    const elsewhere = await invite(tenant, { email: other.owner.email, role: 'owner' })
    const unknown = await invite(tenant, { email: address(), role: 'owner' })
    expect(elsewhere.status).toBe(202)
    expect(Object.keys(elsewhere.body)).toEqual(Object.keys(unknown.body))
    expect(elsewhere.body.message.replace(elsewhere.body.email, '')).toBe(
      unknown.body.message.replace(unknown.body.email, ''),
    )
  })
})

describe('POST /tenants/{id}/invite: permissions', () => {
  it("403 unless id is the caller's tenant, and for anyone below manager, whatever the body", async () => {
    const [tenant, other] = await Promise.all([createTenant(server), createTenant(server)])
    const email = address()
    expect((await invite(other, { email, role: 'member' }, tenant.owner.api)).status).toBe(403)
    expect((await invite(other, { email: 'nonsense' }, tenant.owner.api)).status).toBe(403)
    for (const role of ['member', 'viewer'] as const) {
      const person = await addPerson(server, tenant.id, { role })
      const key = await addKey(server, tenant.id, person)
      for (const { api } of [person, key]) {
        expect((await invite(tenant, { email, role: 'viewer' }, api)).status).toBe(403)
        expect((await invite(tenant, { email: 'nonsense', role: 'viewer' }, api)).status).toBe(403)
      }
    }
    expect([await rowsOf(tenant, email), await rowsOf(other, email)]).toEqual([[], []])
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it('only an owner invites an owner: 403 for a manager and for an environment-bound key, even an owner’s', async () => {
    const tenant = await createTenant(server)
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    for (const { api } of [manager, bound]) {
      expect((await invite(tenant, { email: address(), role: 'owner' }, api)).status).toBe(403)
      expect((await invite(tenant, { email: 'nonsense', role: 'owner' }, api)).status).toBe(403)
      expect((await invite(tenant, { email: address(), role: 'manager' }, api)).status).toBe(202)
    }
    const refused = await invite(tenant, { email: address(), role: 'owner' }, bound.api)
    expect(refused.body).toEqual({ error: 'an API key bound to an environment cannot make anyone an owner' })
    const wide = await addKey(server, tenant.id, tenant.owner)
    expect((await invite(tenant, { email: address(), role: 'owner' }, wide.api)).status).toBe(202)
  })

  it('an invitation by a scoped manager or an environment-bound key starts scoped without grants', async () => {
    const tenant = await createTenant(server)
    const scoped = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const scopedKey = await addKey(server, tenant.id, scoped)
    for (const { api } of [scoped, bound, scopedKey]) {
      const email = address()
      const { body } = await invite(tenant, { email, role: 'manager' }, api)
      expect(await rowsOf(tenant, email)).toMatchObject([{ access_scope: 'scoped' }])
      const { rows } = await server.owner.query(
        'select id from agent_grants where user_id = $1 union all select id from environment_access where user_id = $1',
        [body.user_id],
      )
      expect(rows).toEqual([])
    }
  })
})

describe('POST /tenants/{id}/invite: the address', () => {
  it.each([
    '',
    '  ',
    'nonsense',
    'a@b',
    '@example.com',
    'a b@example.com',
    'a@example.com, b@example.com',
    'a@exa\r\nmple.com',
  ])('400 for the address %j', async (email) => {
    const tenant = await createTenant(server)
    const refused = await invite(tenant, { email, role: 'member' })
    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^email /) } })
    expect(await seatsOf(tenant)).toBe(1)
  })

  it('400 for a role out of the enum, and for a body without one', async () => {
    const tenant = await createTenant(server)
    expect((await invite(tenant, { email: address(), role: 'admin' })).status).toBe(400)
    expect((await invite(tenant, { email: address() })).status).toBe(400)
  })

  it('409 academy_learner_exists for a learner, in upper or lower case, before seats are counted', async () => {
    const tenant = await createTenant(server, { plan: 'free' })
    const accepted = await addPerson(server, tenant.id, {
      role: 'viewer',
      academyOnly: true,
      email: 'Ann.Lee@Example.com',
    })
    const pending = await addPerson(server, tenant.id, { role: 'viewer', academyOnly: true, status: 'pending' })
    for (let seat = 1; seat < 5; seat++) await addPerson(server, tenant.id)
    const texts = {
      [accepted.email.toUpperCase()]:
        'This person is already an Academy learner in your organization. Use Give platform access on the Team page.',
      [pending.email.toUpperCase()]:
        'This person already has a pending Academy invitation in your organization. Once they accept it, use Give platform access on the Team page.',
    }
    for (const [email, text] of Object.entries(texts)) {
      const refused = await invite(tenant, { email, role: 'viewer' })
      expect(refused.status).toBe(409)
      expect(refused.body).toEqual({ error: text, message: text, code: 'academy_learner_exists' })
    }
    expect(await auditEntries(server, tenant.id)).toEqual([])
    expect(await mailsTo(server, pending.email)).toEqual([])
  })

  it('409 already_member for an active user of the tenant, in upper or lower case', async () => {
    const tenant = await createTenant(server)
    const refused = await invite(tenant, { email: tenant.owner.email.toUpperCase(), role: 'member' })
    expect(refused).toMatchObject({ status: 409, body: { code: 'already_member' } })
    expect(await rowsOf(tenant, tenant.owner.email)).toMatchObject([{ role: 'owner', status: 'active' }])
  })
})

describe('POST /tenants/{id}/invite: renewing', () => {
  it('inviting a pending address applies the new role, sends a new link, disables the old token and takes no second seat', async () => {
    const tenant = await createTenant(server)
    const email = address()
    const first = await invite(tenant, { email, role: 'member' })
    const oldToken = await tokenMailedTo(server, email)
    const second = await invite(tenant, { email: email.toUpperCase(), role: 'viewer' })
    expect(second).toMatchObject({ status: 202, body: { user_id: first.body.user_id, role: 'viewer', email } })
    const newToken = await tokenMailedTo(server, email)
    expect(await pointsTo(oldToken)).toEqual([])
    expect(await pointsTo(newToken)).toHaveLength(1)
    expect(await rowsOf(tenant, email)).toMatchObject([{ role: 'viewer', status: 'pending' }])
    const { rows } = await server.owner.query('select token_hash from invitations where tenant_id = $1', [tenant.id])
    expect(rows).toEqual([{ token_hash: digest(newToken) }])
    expect(await seatsOf(tenant)).toBe(2)
    expect((await auditEntries(server, tenant.id)).at(-1)).toMatchObject({
      event_type: 'user.invited',
      details: { renewed: true, old_role: 'member', role: 'viewer' },
    })
  })

  it('an invitation is renewed even if all seats are in use', async () => {
    const tenant = await createTenant(server, { plan: 'free' })
    const emails = [address(), address(), address(), address()]
    for (const email of emails) expect((await invite(tenant, { email, role: 'member' })).status).toBe(202)
    expect((await invite(tenant, { email: emails[0], role: 'manager' })).status).toBe(202)
    expect(await seatsOf(tenant)).toBe(5)
  })

  it('403 for a manager or a bound key who renews a pending owner’s invitation; its token and role do not change', async () => {
    const tenant = await createTenant(server)
    const email = address()
    await invite(tenant, { email, role: 'owner' })
    const token = await tokenMailedTo(server, email)
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    for (const { api } of [manager, bound]) {
      expect((await invite(tenant, { email, role: 'viewer' }, api)).status).toBe(403)
    }
    expect(await rowsOf(tenant, email)).toMatchObject([{ role: 'owner' }])
    expect(await pointsTo(token)).toHaveLength(1)
    expect(await mailsTo(server, email)).toHaveLength(1)
    expect((await invite(tenant, { email, role: 'viewer' })).status).toBe(202)
  })

  it('a scoped caller who renews an invitation makes it scoped', async () => {
    const tenant = await createTenant(server)
    const scoped = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
    const email = address()
    await invite(tenant, { email, role: 'viewer' })
    await invite(tenant, { email, role: 'manager' }, scoped.api)
    expect(await rowsOf(tenant, email)).toMatchObject([{ role: 'manager', access_scope: 'scoped' }])
    await invite(tenant, { email, role: 'member' })
    expect(await rowsOf(tenant, email)).toMatchObject([{ role: 'member', access_scope: 'scoped' }])
    await invite(tenant, { email, role: 'owner' })
    expect(await rowsOf(tenant, email)).toMatchObject([{ role: 'owner', access_scope: 'all' }])
  })

  it('many concurrent invitations of one address make one user with one valid token', async () => {
    for (let round = 0; round < 4; round++) {
      const tenant = await createTenant(server)
      const email = address()
      const spelt = (i: number) => (i % 2 ? email : email.toUpperCase())
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, i) => invite(tenant, { email: spelt(i), role: 'member' })),
      )
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(202))
      expect(new Set(answers.map(({ body }) => body.user_id)).size).toBe(1)
      const { rows } = await server.owner.query('select kind from credential_lookup where tenant_id = $1', [tenant.id])
      expect(rows).toEqual([{ kind: 'invitation' }])
    }
  })
})
