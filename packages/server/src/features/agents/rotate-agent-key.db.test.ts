import { expect, it } from 'vitest'
import { apiClient } from '../../testing/api-client.ts'
import { addPerson, auditEntries, createTenant } from '../../testing/arrange.ts'
import { useTestServer } from '../../testing/use-test-server.ts'

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
