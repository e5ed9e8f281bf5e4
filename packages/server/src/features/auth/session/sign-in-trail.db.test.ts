import { expect, it, vi } from 'vitest'
import { apiClient } from '../../../testing/api-client.ts'
import { addKey, addPerson, auditEntries } from '../../../testing/arrange.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { newAddress, registerPerson, signIn } from '../testing/people.ts'
import { recordSignInFailures } from './sign-in-failures.ts'

const server = useOwnServer()

const trailOf = async (tenantId: string) =>
  (await auditEntries(server, tenantId)).filter(({ event_type }) => /^user\.sign/.test(event_type))
const counted = async (tenantId: string): Promise<number> => {
  const text = 'select coalesce(sum(attempts), 0)::int as sum from sign_in_failures where tenant_id = $1'
  return (await server.owner.query(text, [tenantId])).rows[0].sum
}
const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

it('a sign-in and a sign-out are entries of the tenant with the person, the client and the request', async () => {
  const { tenantId, userId, email } = await registerPerson(server)
  const { body } = await signIn(server, email)
  const api = apiClient(server.url, body.session.access_token)
  await api.post('/auth/sign-out', { refresh_token: body.session.refresh_token })
  await api.post('/auth/sign-out', { refresh_token: body.session.refresh_token })
  const trail = await trailOf(tenantId)
  expect(trail.map(({ event_type }) => event_type)).toEqual(['user.signed_in', 'user.signed_out'])
  for (const entry of trail) {
    expect(entry).toMatchObject({ category: 'people', actor_user_id: userId, actor_email: email, resource_id: userId })
    expect(entry.ip).toBe('127.0.0.1')
    expect(entry.request_id).toMatch(/./)
  }
  expect(trail[0].details).toEqual({ by: 'password' })
  expect(JSON.stringify(trail)).not.toContain(body.session.refresh_token)
})

it('the wrong passwords of a stranger become one entry per minute, however many there are', async () => {
  const { tenantId, userId, email } = await registerPerson(server)
  const refused = await Promise.all(
    Array.from({ length: 20 }, () => signIn(server, email.toUpperCase(), 'not the word')),
  )
  expect(refused.map(({ status }) => status)).toEqual(Array(20).fill(401))
  await vi.waitFor(async () => expect(await counted(tenantId)).toBe(20), { timeout: 60_000 })
  expect(await trailOf(tenantId)).toEqual([])
  await recordSignInFailures(server.services, minutesFromNow(2))
  await recordSignInFailures(server.services, minutesFromNow(2))
  const trail = await trailOf(tenantId)
  expect(trail.length).toBeLessThanOrEqual(2)
  expect(trail.reduce((sum, { details }) => sum + details.attempts, 0)).toBe(20)
  expect(trail[0]).toMatchObject({ event_type: 'user.sign_in_failed', actor_type: 'system', resource_id: userId })
  expect(trail[0].ip).toBe('127.0.0.1')
  expect(await counted(tenantId)).toBe(0)
})

it('failures of the current minute are not recorded yet, and failures of an unknown address are not stored', async () => {
  const { tenantId, email } = await registerPerson(server)
  await signIn(server, newAddress(), 'not the word')
  await signIn(server, email, 'not the word')
  await vi.waitFor(async () => expect(await counted(tenantId)).toBe(1), { timeout: 60_000 })
  await recordSignInFailures(server.services, minutesFromNow(0))
  expect(await trailOf(tenantId)).toEqual([])
  const { rows } = await server.owner.query('select distinct tenant_id from sign_in_failures')
  expect(rows.map(({ tenant_id }) => tenant_id)).toEqual([tenantId])
})

it('are shown to owners and managers only, and not to scoped users and environment-bound keys', async () => {
  const { tenantId, userId, email } = await registerPerson(server)
  const { body } = await signIn(server, email)
  const api = apiClient(server.url, body.session.access_token)
  const environment = (await api.get('/environments')).body.data[0].id
  const [manager, scoped, member, viewer] = await Promise.all([
    addPerson(server, tenantId, { role: 'manager' }),
    addPerson(server, tenantId, { role: 'manager', accessScope: 'scoped' }),
    addPerson(server, tenantId, { role: 'member' }),
    addPerson(server, tenantId, { role: 'viewer' }),
  ])
  const bound = await addKey(server, tenantId, { id: userId }, { environmentId: environment })
  const seen = async (caller: { api: typeof api }) =>
    (await caller.api.get('/audit?event_type=user.signed_in')).body.data.length
  expect(await Promise.all([{ api }, manager].map(seen))).toEqual([1, 1])
  expect(await Promise.all([scoped, member, viewer, bound].map(seen))).toEqual([0, 0, 0, 0])
})
