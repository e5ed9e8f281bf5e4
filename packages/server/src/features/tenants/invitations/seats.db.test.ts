import { describe, expect, it } from 'vitest'
import { addPerson, auditEntries, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import { countSeats } from './seats.ts'

const server = useTestServer()
let count = 0

const invite = (tenant: TestTenant) =>
  tenant.owner.api.post(`/tenants/${tenant.id}/invite`, { email: `seat-${++count}@example.com`, role: 'member' })
const seatsOf = (tenant: TestTenant) => countSeats(server.services.db.reader(tenant.id))
const limit = (tenant: TestTenant, users: number) =>
  server.owner.query('update tenants set max_users_override = $2 where id = $1', [tenant.id, users])
const sorted = (answers: { status: number }[]) => answers.map(({ status }) => status).sort()

describe('seats', () => {
  it('400 without a code for an invitation if users and pending invitations fill the plan; learners take no seat', async () => {
    const tenant = await createTenant(server, { plan: 'free' })
    await Promise.all([
      addPerson(server, tenant.id),
      addPerson(server, tenant.id, { status: 'pending' }),
      addPerson(server, tenant.id, { academyOnly: true, role: 'viewer' }),
      addPerson(server, tenant.id, { academyOnly: true, role: 'viewer', status: 'pending' }),
    ])
    expect([(await invite(tenant)).status, (await invite(tenant)).status]).toEqual([202, 202])
    expect(await seatsOf(tenant)).toBe(5)
    const refused = await invite(tenant)
    expect(refused).toMatchObject({ status: 400, body: { error: expect.any(String) } })
    expect(Object.keys(refused.body)).toEqual(['error'])
    expect(refused.body.error, 'names the command that raises the limit').toContain('mandate operator set-plan')
    expect(await seatsOf(tenant)).toBe(5)
    expect(await auditEntries(server, tenant.id)).toHaveLength(2)
  })

  it('an operator’s limit replaces the plan’s, higher or lower; a plan without a limit has none', async () => {
    const [wider, narrower, unlimited] = await Promise.all([
      createTenant(server, { plan: 'free' }),
      createTenant(server, { plan: 'enterprise' }),
      createTenant(server, { plan: 'enterprise' }),
    ])
    await Promise.all([limit(wider, 7), limit(narrower, 2)])
    const invited = async (tenant: TestTenant, times: number) => {
      const statuses: number[] = []
      for (let i = 0; i < times; i++) statuses.push((await invite(tenant)).status)
      return statuses
    }
    expect(await invited(wider, 7)).toEqual([202, 202, 202, 202, 202, 202, 400])
    expect(await invited(narrower, 2)).toEqual([202, 400])
    expect(await invited(unlimited, 6)).toEqual(Array(6).fill(202))
  })

  it('400 for all but one of 30 concurrent invitations for one free seat', async () => {
    // Runs several rounds. In the first round the server is still opening connections, so the requests may not overlap.
    for (let round = 0; round < 4; round++) {
      const tenant = await createTenant(server, { plan: 'free' })
      await limit(tenant, 2)
      const answers = await Promise.all(Array.from({ length: 30 }, () => invite(tenant)))
      expect(sorted(answers)).toEqual([202, ...Array(29).fill(400)])
      expect(await seatsOf(tenant)).toBe(2)
      expect(await auditEntries(server, tenant.id)).toHaveLength(1)
    }
  })

  it('of a concurrent invitation and platform-access grant for the last seat, one gets it', async () => {
    for (let round = 0; round < 8; round++) {
      const tenant = await createTenant(server)
      await limit(tenant, 2)
      const learners = await Promise.all(
        Array.from({ length: 3 }, () => addPerson(server, tenant.id, { academyOnly: true, role: 'viewer' })),
      )
      const grants = learners.map(
        ({ id }) =>
          () =>
            tenant.owner.api.post(`/users/${id}/platform-access`, { role: 'member' }),
      )
      const invitations = Array.from({ length: 3 }, () => () => invite(tenant))
      const answers = await Promise.all([...grants, ...invitations].map((send) => send()))
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((status) => status < 300)).toHaveLength(1)
      for (const status of statuses.slice(0, 3)) expect([200, 409]).toContain(status)
      for (const status of statuses.slice(3)) expect([202, 400]).toContain(status)
      expect(await seatsOf(tenant)).toBe(2)
    }
  })
})
