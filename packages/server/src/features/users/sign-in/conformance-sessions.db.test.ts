import { beforeEach, expect, it } from 'vitest'
import { type ApiClient, apiClient } from '../../../testing/api-client.ts'
import { createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { tokenMailedTo } from '../../../testing/mail-box.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant
let count = 0

beforeEach(async () => {
  tenant = await createTenant(server)
})

interface SignedIn {
  id: string
  api: ApiClient
  refresh(): Promise<number>
}

/** Returns a signed-in user who was invited and joined through the mailed link. */
async function join(role: string): Promise<SignedIn> {
  const email = `joins-${++count}@example.com`
  await tenant.owner.api.post(`/tenants/${tenant.id}/invite`, { email, role })
  const token = await tokenMailedTo(server, email)
  const body = { token, password: 'a long enough pass phrase 71' }
  const joined = (await apiClient(server.url).post('/auth/invitations/accept', body)).body
  let { refresh_token } = joined.session
  const refresh = async () => {
    const { status, body } = await apiClient(server.url).post('/auth/refresh', { refresh_token })
    refresh_token = body.session?.refresh_token ?? refresh_token
    return status
  }
  return { id: joined.user.id, api: apiClient(server.url, joined.session.access_token), refresh }
}

it('after a role change the current sign-in continues with the new role and cannot be renewed: the user signs in again', async () => {
  const person = await join('manager')
  expect(await person.refresh()).toBe(200)
  await tenant.owner.api.put(`/users/${person.id}`, { role: 'viewer' })
  expect((await person.api.get(`/users/${person.id}`)).body.role).toBe('viewer')
  expect((await person.api.post('/api-keys', { name: 'k' })).status).toBe(403)
  expect(await person.refresh()).toBe(401)
})

it('after a change of the display name only, the sign-in can be renewed', async () => {
  const person = await join('member')
  await tenant.owner.api.put(`/users/${person.id}`, { display_name: 'Someone', role: 'member' })
  expect(await person.refresh()).toBe(200)
})

it('after an MFA reset the refresh tokens of that user are revoked, and no others', async () => {
  const [person, other] = [await join('member'), await join('member')]
  expect((await tenant.owner.api.post(`/users/${person.id}/reset-mfa`)).status).toBe(200)
  expect([await person.refresh(), await other.refresh()]).toEqual([401, 200])
})

it('after a removal neither the session nor its refresh token works', async () => {
  const person = await join('member')
  await tenant.owner.api.delete(`/users/${person.id}`)
  expect((await person.api.get('/tenants')).status).toBe(401)
  expect(await person.refresh()).toBe(401)
})
