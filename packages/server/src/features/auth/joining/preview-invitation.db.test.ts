import { describe, expect, it } from 'vitest'
import { newId } from '../../../db/ids/new-id.ts'
import { fingerprint } from '../../../sweeps/fingerprint.ts'
import { apiClient } from '../../../testing/api-client.ts'
import { addKey, addPerson, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { tokenMailedTo } from '../../../testing/mail-box.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import { newAddress, password, registerPerson } from '../testing/people.ts'

const server = useTestServer()

const gone = { status: 410, body: { error: 'this invitation has been used or has expired' } }
const preview = (token: unknown, credential?: string) =>
  apiClient(server.url, credential).post('/auth/invitations/preview', { token })

async function invite(tenant: TestTenant, { email = newAddress(), role = 'member', by = tenant.owner.api } = {}) {
  const { status } = await by.post(`/tenants/${tenant.id}/invite`, { email, role })
  expect(status).toBe(202)
  return { email, token: await tokenMailedTo(server, email) }
}

describe('POST /auth/invitations/preview', () => {
  it('200 with the organization, the role, who invited, the address and the end, without a credential', async () => {
    const tenant = await createTenant(server)
    const manager = await addPerson(server, tenant.id, { role: 'manager', displayName: 'Grace Hopper' })
    const { email, token } = await invite(tenant, { role: 'viewer', by: manager.api })
    const { rows } = await server.owner.query('select expires_at from invitations where tenant_id = $1', [tenant.id])
    const { status, body } = await preview(token)
    expect(status).toBe(200)
    expect(body).toEqual({
      organization: tenant.name,
      role: 'viewer',
      read_only: false,
      invited_by: 'Grace Hopper',
      email,
      expires_at: rows[0].expires_at.toISOString(),
    })
  })

  it('200 with read_only of an invitation for an auditor', async () => {
    const { id, owner } = await createTenant(server)
    const email = newAddress()
    const body = { email, role: 'manager', read_only: true }
    expect((await owner.api.post(`/tenants/${id}/invite`, body)).status).toBe(202)
    expect((await preview(await tokenMailedTo(server, email))).body).toMatchObject({ role: 'manager', read_only: true })
  })

  it('invited_by is null for a person without a name, and for a person who was removed; never an address', async () => {
    const tenant = await createTenant(server)
    const manager = await addPerson(server, tenant.id, { role: 'manager', displayName: 'Grace Hopper' })
    const nameless = await invite(tenant)
    expect((await preview(nameless.token)).body.invited_by).toBeNull()
    const removed = await invite(tenant, { by: manager.api })
    expect((await tenant.owner.api.delete(`/users/${manager.id}`)).status).toBe(204)
    expect((await preview(removed.token)).body).toMatchObject({ invited_by: null, email: removed.email })
  })

  it('invited_by is the creator of the API key that invited', async () => {
    const tenant = await createTenant(server)
    const manager = await addPerson(server, tenant.id, { role: 'manager', displayName: 'Grace Hopper' })
    const key = await addKey(server, tenant.id, manager)
    const { token } = await invite(tenant, { by: key.api })
    expect((await preview(token)).body.invited_by).toBe('Grace Hopper')
  })

  it('writes nothing: the invitation can be previewed again, and accepted', async () => {
    const tenant = await createTenant(server)
    const { token } = await invite(tenant)
    const before = await fingerprint(server, [tenant.id])
    const [first, second] = [await preview(token), await preview(token)]
    expect(second).toMatchObject({ status: 200, body: first.body })
    expect((await preview('nonsense')).status).toBe(410)
    expect(await fingerprint(server, [tenant.id])).toBe(before)
    const accepted = await apiClient(server.url).post('/auth/invitations/accept', { token, password })
    expect(accepted.status).toBe(200)
    expect(await preview(token)).toMatchObject(gone)
  })

  it('410 for an unknown, expired, renewed or withdrawn token, as for the acceptance', async () => {
    const tenant = await createTenant(server)
    const first = await invite(tenant)
    const second = await invite(tenant, { email: first.email, role: 'viewer' })
    expect(await preview(first.token)).toMatchObject(gone)
    expect((await preview(second.token)).body.role).toBe('viewer')
    await server.owner.query('update invitations set expires_at = now() where tenant_id = $1', [tenant.id])
    const withdrawn = await invite(tenant)
    const { rows } = await server.owner.query('select id from users where email = $1', [withdrawn.email])
    await tenant.owner.api.delete(`/users/${rows[0].id}`)
    for (const token of [second.token, withdrawn.token, 'nonsense', newId()]) {
      expect(await preview(token)).toMatchObject(gone)
    }
  })

  it('410 for a token of another kind: an API key, a refresh token, a token to verify an address', async () => {
    const tenant = await createTenant(server)
    const key = await addKey(server, tenant.id, tenant.owner)
    const person = await registerPerson(server)
    const verification = await tokenMailedTo(server, person.email)
    for (const token of [key.raw, person.session.refresh_token, verification]) {
      expect(await preview(token)).toMatchObject(gone)
    }
  })

  it('the answer does not depend on whether the address has an account, or on who asks', async () => {
    const tenant = await createTenant(server)
    const elsewhere = await registerPerson(server)
    const known = await invite(tenant, { email: elsewhere.email })
    const unknown = await invite(tenant)
    const without = ({ email: _, expires_at: __, ...rest }: Record<string, unknown>) => rest
    const answers = [await preview(known.token), await preview(unknown.token)]
    expect(without(answers[0]?.body)).toEqual(without(answers[1]?.body))
    expect(await preview(known.token, elsewhere.session.access_token)).toMatchObject({ body: answers[0]?.body })
    expect(await preview(known.token, 'nonsense')).toMatchObject({ body: answers[0]?.body })
  })

  it('200 for an invited learner, with the role viewer', async () => {
    const tenant = await createTenant(server)
    const email = newAddress()
    await tenant.owner.api.post('/academy/invitations', { email })
    expect((await preview(await tokenMailedTo(server, email))).body).toMatchObject({ email, role: 'viewer' })
  })

  it('400 for a token that is missing, empty, too long or not a text', async () => {
    for (const token of [undefined, '', 'x'.repeat(501), 7, null, 'a\u0000b']) {
      expect((await preview(token)).status).toBe(400)
    }
  })
})
