import { AuditEntry } from '@mandate/contract/audit/audit'
import { describe, expect, it } from 'vitest'
import { newId } from '../../db/ids/new-id.ts'
import { addKey, addPerson, createTenant } from '../../testing/arrange.ts'
import { addEntry } from '../../testing/arrange-audit.ts'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()

describe('GET /audit: what an entry says', () => {
  it('200: a key event has exactly the fields of an entry; a change in person has the person and no key', async () => {
    const { owner } = await createTenant(server)
    const sent = { 'x-request-id': 'req-1', 'user-agent': 'acceptance' }
    const { body: key } = await owner.api.post('/api-keys', { name: 'ci' }, sent)
    const { status, body } = await owner.api.get('/audit?source=control_plane&event_type=api_key.created')
    expect(status).toBe(200)
    expect(body).toEqual({
      data: [
        {
          id: expect.any(String),
          source: 'control_plane',
          event_type: 'api_key.created',
          outcome: 'success',
          actor: { type: 'person', user_id: owner.id, name: '', email: owner.email },
          resource: { type: 'api_key', id: key.id, name: 'ci' },
          details: expect.objectContaining({ key_prefix: key.key_prefix }),
          request_id: 'req-1',
          ip: '127.0.0.1',
          user_agent: 'acceptance',
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        },
      ],
    })
    expect(AuditEntry.strict().safeParse(body.data[0]).success).toBe(true)
    expect(JSON.stringify(body)).not.toContain(key.raw_key)
  })

  it('an entry has the API key that was used and its person', async () => {
    const { id, owner } = await createTenant(server)
    const key = await addKey(server, id, owner)
    await key.api.post('/api-keys', { name: 'second' })
    const { body } = await owner.api.get('/audit')
    expect(body.data[0]).toMatchObject({
      actor: { type: 'api_key', user_id: owner.id, email: owner.email },
      api_key: { id: key.id, prefix: key.raw.slice(0, 8), name: 'test key' },
    })
  })

  it('names are snapshots: they do not change after a rename or a deletion', async () => {
    const { id, owner } = await createTenant(server)
    const person = await addPerson(server, id, { role: 'manager', displayName: 'Before' })
    await person.api.put(`/users/${person.id}`, { display_name: 'Between' })
    await owner.api.put(`/users/${person.id}`, { role: 'viewer' })
    await server.owner.query("update users set display_name = 'After' where id = $1", [person.id])
    await owner.api.delete(`/users/${person.id}`)
    const { body } = await owner.api.get(`/audit?resource_id=${person.id}`)
    const [removed, roleChanged, renamed] = body.data
    expect(removed).toMatchObject({ event_type: 'user.removed', resource: { name: 'After' } })
    expect(roleChanged).toMatchObject({ event_type: 'user.role_changed', resource: { name: 'Between' } })
    expect(renamed).toMatchObject({ event_type: 'user.profile_updated', actor: { email: person.email } })
  })

  it('an entry has agent_id and environment_id only if they are known', async () => {
    const { id, owner } = await createTenant(server)
    const [agentId, environmentId] = [newId(), newId()]
    await addEntry(server, id, 'agent.updated', { agentId, environmentId, source: 'edge' })
    await addEntry(server, id, 'tenant.updated')
    const { body } = await owner.api.get('/audit')
    expect(body.data[1]).toMatchObject({ source: 'edge', agent_id: agentId, environment_id: environmentId })
    expect(Object.keys(body.data[0])).not.toContain('agent_id')
    expect(Object.keys(body.data[0])).not.toContain('environment_id')
    expect(body.data[0].actor).toEqual({ type: 'system', user_id: null, name: 'system', email: '' })
  })
})

describe('GET /audit: filters', () => {
  it('each filter works alone and together with the others', async () => {
    const { id, owner } = await createTenant(server)
    const agentId = newId()
    const resource = { type: 'agent', id: agentId, name: 'a' }
    const at = (now: string) => ({ now })
    await addEntry(server, id, 'agent.created', { resource, agentId }, at('2026-01-01T00:00:00.000Z'))
    await addEntry(server, id, 'agent.updated', { resource, agentId, source: 'edge' }, at('2026-01-02T00:00:00.000Z'))
    await addEntry(server, id, 'finding.opened', { agentId }, at('2026-01-03T00:00:00.000Z'))
    await owner.api.put('/governance-gate', { gate: 'enforce' })
    const events = async (query: string) => {
      const { status, body } = await owner.api.get(`/audit?${query}`)
      expect(status, query).toBe(200)
      return body.data.map((entry: AuditEntry) => entry.event_type)
    }
    expect(await events('')).toEqual(['governance_gate.changed', 'finding.opened', 'agent.updated', 'agent.created'])
    expect(await events('source=edge')).toEqual(['agent.updated'])
    expect(await events('event_type=agent.created')).toEqual(['agent.created'])
    expect(await events('event_type=no.such_event')).toEqual([])
    expect(await events(`actor_id=${owner.id}`)).toEqual(['governance_gate.changed'])
    expect(await events('resource_type=agent')).toEqual(['agent.updated', 'agent.created'])
    expect(await events(`resource_id=${agentId}`)).toEqual(['agent.updated', 'agent.created'])
    expect(await events(`agent_id=${agentId}`)).toEqual(['finding.opened', 'agent.updated', 'agent.created'])
    expect(await events(`agent_id=${agentId}&source=control_plane`)).toEqual(['finding.opened', 'agent.created'])
    expect(await events('from=2026-01-02T00:00:00Z&to=2026-01-03T00:00:00Z')).toEqual(['agent.updated'])
    for (const to of ['2026-01-02T01:00:00%2B01:00', '2026-01-02T00:00', '2026-01-02'])
      expect(await events(`to=${to}`)).toEqual(['agent.created'])
    expect(await events('unknown=1&Limit=1')).toEqual(['governance_gate.changed'])
  })

  it.each([
    ['source', 'dashboard'],
    ['actor_id', 'x'],
    ['resource_id', '12'],
    ['agent_id', ''],
    ['from', 'yesterday'],
    ['to', '2026-02-30'],
    ['limit', 'many'],
    ['event_type', '%00'],
    ['cursor', ''],
    ['cursor', 'AAAA'],
    ['cursor', '%F0%9F%92%A5'],
  ])('400 naming the parameter for %s=%s', async (name, value) => {
    const { owner } = await createTenant(server)
    const { status, body } = await owner.api.get(`/audit?${name}=${value}`)
    expect(status).toBe(400)
    expect(body.error).toMatch(new RegExp(`^${name} `))
  })
})

describe('GET /audit: pages', () => {
  it('returns the whole list newest first, each entry once; the last page has no next_cursor', async () => {
    const { id, owner } = await createTenant(server)
    for (let n = 0; n < 7; n++) await addEntry(server, id, 'tenant.updated', { details: { n } })
    const seen: number[] = []
    let query = '?limit=3'
    for (let pages = 1; ; pages++) {
      const { body } = await owner.api.get(`/audit${query}`)
      seen.push(...body.data.map((entry: AuditEntry) => entry.details.n))
      // An entry that is written between the requests for two pages is newer than all entries of the next page. So it does not
      // appear on that page.
      await addEntry(server, id, 'tenant.updated', { details: { n: -1 } })
      if (body.next_cursor === undefined) {
        expect(pages).toBe(3)
        break
      }
      query = `?limit=3&cursor=${body.next_cursor}`
    }
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0])
  })

  it('a page that ends exactly at the last entry has no next_cursor; limit is clamped to 1..200', async () => {
    const { id, owner } = await createTenant(server)
    await addEntry(server, id, 'tenant.updated')
    await addEntry(server, id, 'tenant.updated')
    expect((await owner.api.get('/audit?limit=2')).body).toEqual({ data: [expect.anything(), expect.anything()] })
    expect((await owner.api.get('/audit?limit=0')).body.data).toHaveLength(1)
    expect((await owner.api.get('/audit?limit=9999')).body.data).toHaveLength(2)
  })

  it('400 for a cursor of another tenant', async () => {
    const [one, two] = await Promise.all([createTenant(server), createTenant(server)])
    await addEntry(server, one.id, 'tenant.updated')
    await addEntry(server, one.id, 'tenant.updated')
    const { body } = await one.owner.api.get('/audit?limit=1')
    const refused = await two.owner.api.get(`/audit?cursor=${body.next_cursor}`)
    expect(refused).toMatchObject({ status: 400, body: { error: 'cursor is not a cursor of this list' } })
  })
})
