// May take over 10 s: repeats each race of two owners, because one round does not meet every order.
import { describe, expect, it } from 'vitest'
import type { ApiAnswer } from '../../testing/api-client.ts'
import { addAgent, addPerson, createTenant, type TestPerson } from '../../testing/arrange.ts'
import { useTestServer } from '../../testing/use-test-server.ts'

const rounds = 20
const server = useTestServer()

type Act = (self: TestPerson, other: TestPerson) => Promise<ApiAnswer>

const demote: Act = (self, other) => self.api.put(`/users/${other.id}`, { role: 'manager' })
const demoteSelf: Act = (self) => self.api.put(`/users/${self.id}`, { role: 'manager' })
const remove: Act = (self, other) => self.api.delete(`/users/${other.id}`)
const narrow: Act = (self, other) => self.api.put(`/users/${other.id}`, { read_only: true })
const narrowSelf: Act = (self) => self.api.put(`/users/${self.id}`, { read_only: true })
const leave: Act = (self) => self.api.delete('/users/me')

/** Runs one round: two owners act at the same time, in a tenant with a member and possibly a third owner. */
async function race(first: Act, second: Act, { third = false } = {}) {
  const tenant = await createTenant(server)
  if (third) await addPerson(server, tenant.id, { role: 'owner' })
  const [a, b] = [tenant.owner, await addPerson(server, tenant.id, { role: 'owner' })]
  await addPerson(server, tenant.id)
  // Puts both owners into the server's cache before the race, so that neither request is delayed by reading its caller.
  await Promise.all([a.api.get('/users'), b.api.get('/users')])
  const answers = await Promise.all([first(a, b), second(b, a)])
  const { rows } = await server.owner.query(
    "select count(*)::int as owners from users where tenant_id = $1 and role = 'owner' and status = 'active' and not read_only",
    [tenant.id],
  )
  return { statuses: answers.map(({ status }) => status), owners: rows[0].owners as number }
}

describe('two concurrent owners never leave a tenant without an owner', () => {
  // The second request is 401 or 403 if the first one ended before it was authenticated, else 400 or 409.
  it.each([
    ['demote each other: they cannot both succeed, one gets 409', demote, demote, [403, 409]],
    ['remove each other: they cannot both succeed', remove, remove, [400, 401, 409]],
    ['one demotes, the other removes', demote, remove, [400, 401, 403, 409]],
    ['one demotes themselves, the other leaves', demoteSelf, leave, [409]],
    ['both demote themselves', demoteSelf, demoteSelf, [409]],
    ['make each other read-only', narrow, narrow, [403, 409]],
    ['both make themselves read-only', narrowSelf, narrowSelf, [409]],
    ['one makes the other read-only, who removes them', narrow, remove, [400, 401, 403, 409]],
    ['one makes themselves read-only, the other leaves', narrowSelf, leave, [409]],
    ['both leave', leave, leave, [409]],
    ['one removes the other, who leaves', remove, leave, [401, 404, 409]],
  ] as const)('%s', async (_, first, second, refusals) => {
    const met: number[] = []
    for (let round = 0; round < rounds; round++) {
      const { statuses, owners } = await race(first, second)
      const refused = statuses.filter((status) => status >= 300)
      expect(owners, statuses.join(' and ')).toBe(1)
      expect(refused).toHaveLength(1)
      expect(refusals).toContain(refused[0])
      met.push(...refused)
    }
    expect(met).toHaveLength(rounds)
  })
})

describe('two concurrent owners while a third remains', () => {
  it.each([
    ['demote each other: they cannot both succeed', demote, demote, [403, 409]],
    ['remove each other: they cannot both succeed', remove, remove, [401, 409]],
    ['make each other read-only: they cannot both succeed', narrow, narrow, [403, 409]],
    ['one demotes, the other removes: they cannot both succeed', demote, remove, [401, 403, 409]],
  ] as const)('%s', async (_, first, second, refusals) => {
    for (let round = 0; round < rounds; round++) {
      const { statuses, owners } = await race(first, second, { third: true })
      expect(owners, statuses.join(' and ')).toBe(2)
      expect(refusals).toContain(statuses.find((status) => status >= 300))
    }
  })
})

describe('a removal during other requests of or about the user', () => {
  it('leaves nothing of the user: no key, look-up, grant or access', async () => {
    for (let round = 0; round < rounds; round++) {
      const tenant = await createTenant(server)
      const { owner } = tenant
      const user = await addPerson(server, tenant.id, { role: 'manager' })
      const agent = await addAgent(server, tenant.id, { environmentId: tenant.development })
      const [removal] = await Promise.all([
        owner.api.delete(`/users/${user.id}`),
        user.api.post('/api-keys', { name: 'late' }),
        user.api.post('/api-keys', { name: 'later', environment_id: tenant.development }),
        owner.api.post(`/users/${user.id}/grants`, { resource_type: 'agent', resource_id: agent }),
        owner.api.post(`/users/${user.id}/environment-access`, { environment_id: tenant.development }),
        user.api.put(`/users/${user.id}`, { display_name: 'Still here' }),
      ])
      expect(removal.status).toBe(204)
      for (const table of ['api_keys', 'agent_grants', 'environment_access', 'credential_lookup', 'account_lookup']) {
        const { rows } = await server.owner.query(`select * from ${table} where tenant_id = $1`, [tenant.id])
        expect(rows.length, table).toBe(table === 'account_lookup' ? 1 : 0)
      }
    }
  })

  it('causes no 5xx for grants, access and the user’s own changes', async () => {
    for (let round = 0; round < rounds; round++) {
      const tenant = await createTenant(server)
      const { owner } = tenant
      const user = await addPerson(server, tenant.id, { role: 'manager' })
      const agent = await addAgent(server, tenant.id, { environmentId: tenant.development })
      const answers = await Promise.all([
        owner.api.delete(`/users/${user.id}`),
        owner.api.post(`/users/${user.id}/grants`, { resource_type: 'agent', resource_id: agent }),
        owner.api.post(`/users/${user.id}/environment-access`, { environment_id: tenant.development }),
        owner.api.put(`/users/${user.id}/access-scope`, { access_scope: 'scoped' }),
        owner.api.post(`/users/${user.id}/reset-mfa`),
        user.api.put(`/users/${user.id}`, { display_name: 'Still here' }),
        user.api.delete('/users/me'),
      ])
      expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([])
    }
  })
})
