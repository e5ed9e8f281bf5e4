import { expect, it } from 'vitest'
import { addAgent, createTenant } from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()

async function arrange() {
  const tenant = await createTenant(server)
  const rules = [{ priority: 1, effect: 'deny', match: { tools: ['mcp:files/delete'] } }]
  const policy = (await tenant.owner.api.post('/policies', { name: 'P', rules })).body
  return { ...tenant, api: tenant.owner.api, policy, at: `/policies/${policy.id}` }
}

it('the agents of a policy are not part of a version: assigning it to an agent creates no version', async () => {
  const { id, api, development, policy, at } = await arrange()
  const agent = await addAgent(server, id, { environmentId: development })
  const before = (await api.get(`${at}/versions/1`)).body
  expect((await api.post(`/agents/${agent}/assign-policy`, { policy_id: policy.id })).status).toBe(200)
  expect((await api.get(`${at}/versions`)).body.total).toBe(1)
  expect((await api.get(`${at}/versions/1`)).body).toEqual(before)
  expect(JSON.stringify(before)).not.toContain(agent)
})

it('a version is never edited or deleted: later saves do not change it, and no method does', async () => {
  const { api, policy, at } = await arrange()
  const first = (await api.get(`${at}/versions/1`)).body
  await api.put(at, { name: 'Q', description: 'd' })
  await api.put(`${at}/rules/${policy.rules[0].id}`, { effect: 'allow' })
  await api.delete(`${at}/rules/${policy.rules[0].id}`)
  await api.post(`${at}/versions/2/restore`)
  expect((await api.get(`${at}/versions/1`)).body).toEqual(first)
  for (const method of ['put', 'patch', 'delete', 'post'] as const) {
    expect((await api[method](`${at}/versions/1`, {})).status).toBe(405)
    expect((await api[method](`${at}/versions`, {})).status).toBe(405)
  }
})
