import { describe, expect, it } from 'vitest'
import { addKey, addPerson, auditEntries, createTenant } from '../../../testing/arrange.ts'
import { mailsTo, tokenMailedTo } from '../../../testing/mail-box.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()

describe('POST /academy/invitations', () => {
  it('202 like an invitation of a user; the user is a pending learner with the viewer role', async () => {
    const tenant = await createTenant(server)
    const answer = await tenant.owner.api.post('/academy/invitations', { email: 'one@example.com' })
    expect(answer.status).toBe(202)
    expect(answer.body).toEqual({
      user_id: expect.any(String),
      tenant_id: tenant.id,
      email: 'one@example.com',
      role: 'viewer',
      read_only: false,
      message: expect.any(String),
      // The test server has no mail server. The response never has the link.
      mail_delivery: 'folder',
    })
    const { rows } = await server.owner.query('select * from users where id = $1', [answer.body.user_id])
    expect(rows).toMatchObject([{ academy_only: true, status: 'pending', role: 'viewer', access_scope: 'all' }])
    expect(await auditEntries(server, tenant.id)).toMatchObject([
      { event_type: 'user.invited', details: { academy_only: true } },
    ])
  })

  it('a learner takes no seat and can be invited when all seats are in use', async () => {
    const tenant = await createTenant(server, { plan: 'free' })
    for (let seat = 1; seat < 5; seat++) await addPerson(server, tenant.id)
    const answer = await tenant.owner.api.post('/academy/invitations', { email: 'two@example.com' })
    expect(answer.status).toBe(202)
  })

  it('inviting a pending learner again renews the invitation and disables the old token', async () => {
    const tenant = await createTenant(server)
    const first = await tenant.owner.api.post('/academy/invitations', { email: 'three@example.com' })
    const oldToken = await tokenMailedTo(server, 'three@example.com')
    const second = await tenant.owner.api.post('/academy/invitations', { email: 'Three@Example.com' })
    expect(second.body.user_id).toBe(first.body.user_id)
    expect(await tokenMailedTo(server, 'three@example.com')).not.toBe(oldToken)
    const { rows } = await server.owner.query('select kind from credential_lookup where tenant_id = $1', [tenant.id])
    expect(rows).toHaveLength(1)
  })

  it('409 already_member for a member, active or pending, and for a learner who accepted', async () => {
    const tenant = await createTenant(server)
    const [active, pending, learner] = await Promise.all([
      addPerson(server, tenant.id),
      addPerson(server, tenant.id, { status: 'pending' }),
      addPerson(server, tenant.id, { role: 'viewer', academyOnly: true }),
    ])
    for (const { email } of [active, pending, learner]) {
      const refused = await tenant.owner.api.post('/academy/invitations', { email: email.toUpperCase() })
      expect(refused).toMatchObject({ status: 409, body: { code: 'already_member' } })
      expect(await mailsTo(server, email)).toEqual([])
    }
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it('403 for anyone below manager, whatever the body; 400 for a malformed address', async () => {
    const tenant = await createTenant(server)
    for (const role of ['member', 'viewer'] as const) {
      const person = await addPerson(server, tenant.id, { role })
      expect((await person.api.post('/academy/invitations', { email: 'four@example.com' })).status).toBe(403)
      expect((await person.api.post('/academy/invitations', { email: 'nonsense' })).status).toBe(403)
    }
    expect((await tenant.owner.api.post('/academy/invitations', { email: 'nonsense' })).status).toBe(400)
  })

  it('403 academy_only_account for a learner who invites', async () => {
    const tenant = await createTenant(server)
    const learner = await addPerson(server, tenant.id, { role: 'viewer', academyOnly: true })
    const refused = await learner.api.post('/academy/invitations', { email: 'five@example.com' })
    expect(refused).toMatchObject({ status: 403, body: { code: 'academy_only_account' } })
  })

  it('a learner invited by a scoped manager or an environment-bound key starts scoped', async () => {
    const tenant = await createTenant(server)
    const scoped = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    for (const [at, { api }] of [scoped, bound].entries()) {
      const { body } = await api.post('/academy/invitations', { email: `scoped-${at}@example.com` })
      const { rows } = await server.owner.query('select access_scope from users where id = $1', [body.user_id])
      expect(rows).toEqual([{ access_scope: 'scoped' }])
    }
  })
})
