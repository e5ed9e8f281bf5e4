import { describe, expect, it } from 'vitest'
import { apiClient } from '../../../testing/api-client.ts'
import { addPerson, auditEntries, createTenant } from '../../../testing/arrange.ts'
import { addEdge } from '../../../testing/arrange-agents.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()

it('POST /agents/{id}/rotate-key returns the new key once, and the old key stops at once', async () => {
  const tenant = await createTenant(server)
  const manager = await addPerson(server, tenant.id, { role: 'manager' })
  const made = (await manager.api.post('/agents', { name: 'a', environment_id: tenant.development })).body
  const path = `/edge/agents/${made.agent.id}/mission-profile`
  expect((await apiClient(server.url, made.agent_key).get(path)).status).toBe(200)
  const { status, body } = await manager.api.post(`/agents/${made.agent.id}/rotate-key`)
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['agent', 'agent_key'])
  expect(body.agent.id).toBe(made.agent.id)
  expect(body.agent_key).not.toBe(made.agent_key)
  expect(await apiClient(server.url, made.agent_key).get(path)).toMatchObject({
    status: 401,
    body: { error: 'invalid API key', code: 401 },
  })
  expect((await apiClient(server.url, body.agent_key).get(path)).status).toBe(200)
  const entries = await auditEntries(server, tenant.id)
  expect(entries.at(-1)).toMatchObject({ event_type: 'agent.key_rotated', agent_id: made.agent.id })
  expect(JSON.stringify(entries)).not.toContain(body.agent_key.slice(3))
  const { rows } = await server.owner.query('select count(*)::int as keys from credential_lookup where id = $1', [
    made.agent.id,
  ])
  expect(rows).toEqual([{ keys: 1 }])
})

describe('new_key_unused_since after a rotation', () => {
  const setUp = async () => {
    const tenant = await createTenant(server)
    const { api } = tenant.owner
    const made = (await api.post('/agents', { name: 'a', environment_id: tenant.development })).body
    const { id } = made.agent
    const beat = async (key: string, instance_id = 'one', seq = 1) => {
      const agents = [{ agent_id: id }]
      const body = { instance_id, seq, edge_version: '1', agents }
      const answer = await apiClient(server.url, key).post('/edge/heartbeat', body)
      return answer.status
    }
    const rotate = async () => (await api.post(`/agents/${id}/rotate-key`)).body
    const unusedSince = async () => (await api.get(`/agents/${id}`)).body.new_key_unused_since
    return { tenant, id, oldKey: made.agent_key as string, beat, rotate, unusedSince }
  }

  it('is the time of the rotation until an edge reports with the new key', async () => {
    const { oldKey, beat, rotate, unusedSince } = await setUp()
    expect(await beat(oldKey)).toBe(200)
    expect(await unusedSince()).toBeNull()
    const { agent, agent_key } = await rotate()
    expect(agent.new_key_unused_since).toEqual(expect.any(String))
    expect(await beat(oldKey, 'one', 2)).toBe(401)
    expect(await unusedSince()).toBe(agent.new_key_unused_since)
    expect(await beat(agent_key, 'one', 3)).toBe(200)
    expect(await unusedSince()).toBeNull()
  })

  it('is null if no edge ran with the key', async () => {
    const { rotate, unusedSince } = await setUp()
    expect((await rotate()).agent.new_key_unused_since).toBeNull()
    expect(await unusedSince()).toBeNull()
  })

  it('stays while the edge of the old key is known, also if another edge reports the agent', async () => {
    const { tenant, id, oldKey, beat, rotate, unusedSince } = await setUp()
    await beat(oldKey)
    await rotate()
    const edge = await addEdge(server, tenant.id, tenant.development)
    await edge.post('/edge/heartbeat', {
      instance_id: 'e',
      seq: 1,
      edge_version: '1',
      agents: [{ agent_id: id }],
    })
    expect(await unusedSince()).not.toBeNull()
    await server.owner.query('delete from edge_instances where credential_id = $1', [id])
    expect(await unusedSince()).toBeNull()
  })
})
