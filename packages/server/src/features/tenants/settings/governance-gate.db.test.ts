import { describe, expect, it } from 'vitest'
import { addKey, addPerson, auditEntries, createTenant } from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()

describe('GET and PUT /governance-gate', () => {
  it('200 for any user of the tenant who reads', async () => {
    const tenant = await createTenant(server, { gate: 'enforce' })
    const viewer = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    expect(await viewer.api.get('/governance-gate')).toMatchObject({ status: 200, body: { gate: 'enforce' } })
  })

  it('200 for an owner who sets it, audited with the old and the new gate; repeating it writes nothing', async () => {
    const tenant = await createTenant(server)
    for (const _ of [1, 2]) {
      const answer = await tenant.owner.api.put('/governance-gate', { gate: 'off' })
      expect(answer).toMatchObject({ status: 200, body: { gate: 'off' } })
    }
    const entries = await auditEntries(server, tenant.id)
    expect(entries.map(({ event_type, details }) => ({ event_type, details }))).toEqual([
      { event_type: 'governance_gate.changed', details: { old: 'alert', new: 'off' } },
    ])
    expect((await tenant.owner.api.get('/governance-gate')).body).toEqual({ gate: 'off' })
  })

  it('403 for callers who are not an owner, and for an owner’s environment-bound key, whatever the body', async () => {
    const tenant = await createTenant(server)
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    for (const { api } of [manager, bound]) {
      expect((await api.put('/governance-gate', { gate: 'off' })).status).toBe(403)
      expect((await api.put('/governance-gate', { gate: 'wide open' })).status).toBe(403)
    }
    expect((await tenant.owner.api.get('/governance-gate')).body).toEqual({ gate: 'alert' })
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it('400 for a value out of the enum', async () => {
    const tenant = await createTenant(server)
    const refused = await tenant.owner.api.put('/governance-gate', { gate: 'wide open' })
    expect(refused).toMatchObject({ status: 400, body: { error: 'gate must be one of off, alert, enforce' } })
  })
})
