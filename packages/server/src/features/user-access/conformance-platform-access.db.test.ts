import { expect, it } from 'vitest'
import { addPerson, createTenant } from '../../testing/arrange.ts'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer({ faults: true })

it('200 for platform access even if the welcome mail cannot be sent', async () => {
  const tenant = await createTenant(server)
  await server.owner.query("insert into faults (tenant_id, name) values ($1, 'mail.send')", [tenant.id])
  const learner = await addPerson(server, tenant.id, { role: 'viewer', academyOnly: true })
  const answer = await tenant.owner.api.post(`/users/${learner.id}/platform-access`, { role: 'member' })
  expect(answer).toMatchObject({ status: 200, body: { role: 'member', academy_only: false } })
  expect((await learner.api.get('/tenants')).status).toBe(200)
})

it('an account with Academy access only is 403 academy_only_account until it chooses a plan, on every platform area', async () => {
  const tenant = await createTenant(server)
  const learner = await addPerson(server, tenant.id, { role: 'viewer', academyOnly: true })
  for (const path of ['/tenants', '/users', '/environments', '/agents', '/api-keys', '/policies', '/audit']) {
    const { status, body } = await learner.api.get(path)
    expect([path, status, body.code]).toEqual([path, 403, 'academy_only_account'])
    expect(body.message).toBe(body.error)
  }
})
