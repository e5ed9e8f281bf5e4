import type { Approval } from '@mandate/contract/approvals'
import { beforeEach, describe, expect, it } from 'vitest'
import { readOnlyText } from '../../../authz/declared-access.ts'
import { fingerprint } from '../../../sweeps/fingerprint.ts'
import {
  addAgent,
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  type TestPerson,
  type TestTenant,
} from '../../../testing/arrange.ts'
import { mailsTo, tokenMailedTo } from '../../../testing/mail-box.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import { addPendingCall, createScene } from '../../approvals/testing/held-calls.ts'

const server = useTestServer()
let tenant: TestTenant
let user: TestPerson

beforeEach(async () => {
  tenant = await createTenant(server)
  user = await addPerson(server, tenant.id, { role: 'manager' })
})

const readOnly = (of: { id: string }, value: unknown = true, by = tenant.owner.api) =>
  by.put(`/users/${of.id}`, { read_only: value })
const refused = { status: 403, body: { error: readOnlyText } }

describe('read_only of a user', () => {
  it('an owner sets and removes it, from the next request of the user, and each change is audited', async () => {
    const create = (name = 'policy') => user.api.post('/policies', { name, rules: [] })
    expect((await create()).status).toBe(201)
    expect(await readOnly(user)).toMatchObject({ status: 200, body: { read_only: true, role: 'manager' } })
    expect(await create()).toMatchObject(refused)
    expect((await user.api.get('/audit/verify')).status).toBe(200)
    expect((await user.api.post('/audit/verifications')).status).toBe(202)
    expect((await readOnly(user, true)).status).toBe(200)
    expect(await readOnly(user, false)).toMatchObject({ status: 200, body: { read_only: false } })
    expect((await create('another')).status).toBe(201)
    const changes = (await auditEntries(server, tenant.id)).filter(
      ({ event_type }) => event_type === 'user.read_only_changed',
    )
    expect(changes).toMatchObject([
      { resource_id: user.id, actor_user_id: tenant.owner.id, details: { old_read_only: false, new_read_only: true } },
      { resource_id: user.id, details: { old_read_only: true, new_read_only: false } },
    ])
  })

  it('keys that were made before are read-only too, and the cache of keys does not keep the old rights', async () => {
    const { api } = await addKey(server, tenant.id, user)
    const create = () => api.post('/policies', { name: 'policy', rules: [] })
    expect((await create()).status).toBe(201)
    expect((await api.get('/policies')).status).toBe(200)
    await readOnly(user)
    expect(await create()).toMatchObject(refused)
    expect((await api.get('/policies')).status).toBe(200)
    expect(await api.post('/api-keys', { name: 'another' })).toMatchObject(refused)
  })

  it('a role and read_only change together, so there is no moment in which the user may change something', async () => {
    const { body } = await tenant.owner.api.put(`/users/${user.id}`, { role: 'owner', read_only: true })
    expect(body).toMatchObject({ role: 'owner', read_only: true })
    expect(await user.api.put('/governance-gate', { gate: 'enforce' })).toMatchObject(refused)
    expect((await user.api.get(`/users/${tenant.owner.id}/removal-preview`)).status).toBe(200)
  })

  it('403 for everyone but owners, with any value; nothing is written', async () => {
    const other = await addPerson(server, tenant.id)
    const before = await fingerprint(server, [tenant.id])
    for (const value of [true, false, 'nonsense', null])
      for (const of of [other, user, tenant.owner])
        expect(await readOnly(of, value, user.api)).toMatchObject({
          status: 403,
          body: { error: 'only an owner may set or remove read_only' },
        })
    expect(await fingerprint(server, [tenant.id])).toBe(before)
    expect((await readOnly(other, 'nonsense')).status).toBe(400)
  })

  it('a read-only owner cannot remove it from themselves or others, and may change their own name', async () => {
    const owner = await addPerson(server, tenant.id, { role: 'owner' })
    await Promise.all([readOnly(owner), readOnly(user)])
    const key = await addKey(server, tenant.id, owner)
    for (const api of [owner.api, key.api]) {
      expect(await readOnly(owner, false, api)).toMatchObject(refused)
      expect(await readOnly(user, false, api)).toMatchObject(refused)
      expect(await api.put(`/users/${owner.id}`, { display_name: 'A', role: 'owner' })).toMatchObject(refused)
      expect(await api.put(`/users/${user.id}`, { display_name: 'A' })).toMatchObject(refused)
      expect((await api.put(`/users/${owner.id}`, { display_name: 'Auditor' })).status).toBe(200)
    }
  })

  it('409 for the last owner who can make changes; read-only, pending and learning owners do not count', async () => {
    const other = await addPerson(server, tenant.id, { role: 'owner' })
    await addPerson(server, tenant.id, { role: 'owner', status: 'pending' })
    await addPerson(server, tenant.id, { role: 'owner', academyOnly: true })
    expect((await readOnly(other)).status).toBe(200)
    const before = await fingerprint(server, [tenant.id])
    expect(await readOnly(tenant.owner)).toMatchObject({
      status: 409,
      body: { error: 'the organization needs an owner who is not read-only; make another user an owner first' },
    })
    expect((await tenant.owner.api.put(`/users/${tenant.owner.id}`, { role: 'viewer' })).status).toBe(409)
    expect((await tenant.owner.api.delete('/users/me')).status).toBe(409)
    expect(await fingerprint(server, [tenant.id])).toBe(before)
    await readOnly(other, false)
    expect((await readOnly(tenant.owner)).status).toBe(200)
  })

  it('a read-only owner may leave', async () => {
    const owner = await addPerson(server, tenant.id, { role: 'owner' })
    await readOnly(owner)
    expect((await owner.api.delete('/users/me')).status).toBe(204)
  })

  it('include=may lists no change that the user may make except their own name', async () => {
    await readOnly(user)
    const self = (await user.api.get(`/users/${user.id}?include=may`)).body
    expect(self.may).toEqual(['updateUser'])
    expect(self.may_not).toMatchObject({ 'updateUser:read_only': readOnlyText, 'updateUser:role': readOnlyText })
    const { body } = await user.api.get('/tenants?include=may')
    expect(body.tenant.may).toEqual([])
  })

  it('ends what agents do for the user, and nobody may delegate for them', async () => {
    const agent = await addAgent(server, tenant.id, { environmentId: tenant.development })
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const delegation = { agent_id: agent, tools: ['mcp:files/*'], expires_at }
    const { body } = await user.api.post('/delegations', delegation)
    await readOnly(user)
    const { data } = (await tenant.owner.api.get('/delegations')).body
    expect(data).toMatchObject([{ id: body.id, state: 'ended' }])
    const again = await tenant.owner.api.post('/delegations', { ...delegation, subject_user_id: user.id })
    expect(again).toMatchObject({ status: 409, body: { error: expect.stringContaining('read-only') } })
  })
})

describe('approvals and read-only users', () => {
  it('a link that was mailed before stops working, and no further link is mailed', async () => {
    const scene = await createScene(server)
    const manager = await addPerson(server, scene.tenant.id, { role: 'manager' })
    const held: Approval = await addPendingCall(scene)
    const token = await tokenMailedTo(server, manager.email)
    const open = () => fetch(`${server.url}/approve?token=${encodeURIComponent(token)}`)
    expect((await open()).status).toBe(200)
    await scene.tenant.owner.api.put(`/users/${manager.id}`, { read_only: true })
    const body = new URLSearchParams({ token, outcome: 'approved' })
    const posted = await fetch(`${server.url}/approve`, { method: 'POST', body })
    expect([(await open()).status, posted.status]).toEqual([410, 410])
    expect((await manager.api.post(`/approvals/${held.id}/resolve`, { outcome: 'approved' })).body).toEqual(
      refused.body,
    )
    expect((await manager.api.get('/approvals?mine=true')).body.data).toEqual([])
    expect((await manager.api.get('/overview')).body.needs_me).toMatchObject({ approvals: 0, reviews: 0 })
    const mailed = (await mailsTo(server, manager.email)).length
    await addPendingCall(scene)
    expect(await mailsTo(server, manager.email)).toHaveLength(mailed)
  })

  it('they do not count as somebody else who could resolve what a user asked for', async () => {
    const agent = await addAgent(server, tenant.id, { environmentId: tenant.development })
    await addPerson(server, tenant.id, { role: 'owner', readOnly: true })
    await readOnly(user)
    const { body: review } = await tenant.owner.api.post(`/agents/${agent}/reviews`, { kind: 'attestation' })
    expect((await tenant.owner.api.get(`/reviews/${review.id}?include=may`)).body.may).toContain('resolveReview')
    const resolved = await tenant.owner.api.post(`/reviews/${review.id}/resolve`, {
      outcome: 'attested',
      comment: 'seen',
    })
    expect(resolved.status).toBe(200)
  })
})

describe('read_only of an invitation', () => {
  const invite = (body: object, by = tenant.owner.api) => by.post(`/tenants/${tenant.id}/invite`, body)
  const email = () => `auditor-${tenant.id.slice(-12)}@example.com`

  it('an owner sets it, renewing without the field keeps it, and the joined user has it', async () => {
    const sent = { email: email(), role: 'manager', read_only: true }
    expect(await invite(sent)).toMatchObject({ status: 202, body: { read_only: true } })
    const renewed = await invite({ email: email(), role: 'viewer' }, user.api)
    expect(renewed).toMatchObject({ status: 202, body: { role: 'viewer', read_only: true } })
    const invited = (await auditEntries(server, tenant.id)).filter(({ event_type }) => event_type === 'user.invited')
    expect(invited.map(({ details }) => details.read_only)).toEqual([true, true])
    const token = await tokenMailedTo(server, email())
    const { body } = await user.api.post('/auth/invitations/accept', { token, password: 'three grey herons walk' })
    expect(body.user).toMatchObject({ role: 'viewer', read_only: true })
    const joined = (await auditEntries(server, tenant.id)).find(({ event_type }) => event_type === 'user.joined')
    expect(joined.details).toMatchObject({ role: 'viewer', read_only: true, access_scope: 'all' })
  })

  it('403 for a manager who sends the field; nothing is written', async () => {
    const before = await fingerprint(server, [tenant.id])
    for (const read_only of [true, false, 7])
      expect(await invite({ email: email(), role: 'viewer', read_only }, user.api)).toMatchObject({
        status: 403,
        body: { error: 'only an owner may set or remove read_only' },
      })
    expect(await fingerprint(server, [tenant.id])).toBe(before)
  })
})
