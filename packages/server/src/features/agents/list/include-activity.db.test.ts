import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { addAgent, addKey, addPerson, createTenant, grantAgent } from '../../../testing/arrange.ts'
import { addEdge } from '../../../testing/arrange-agents.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
const hourMs = 60 * 60_000

it('include=activity adds the decisions of 24 hours to agents of the list and to a single agent', async () => {
  const tenant = await createTenant(server)
  const edge = await addEdge(server, tenant.id, tenant.development)
  const [busy, idle] = [
    await addAgent(server, tenant.id, { environmentId: tenant.development }),
    await addAgent(server, tenant.id, { environmentId: tenant.development }),
  ]
  const now = Date.now()
  const call = { agent_id: busy, mode: 'enforce', policy_version: 1, args_digest: 'a'.repeat(64) }
  const decisions = [
    { tool: 'mcp:a/b', effect: 'allow', hoursAgo: 0 },
    { tool: 'mcp:a/c', effect: 'allow', hoursAgo: 0 },
    { tool: 'mcp:a/b', effect: 'deny', hoursAgo: 0 },
    { tool: 'mcp:a/b', effect: 'require_approval', hoursAgo: 23 },
    { tool: 'mcp:a/b', effect: 'deny', hoursAgo: 24 },
  ].map(({ hoursAgo, ...one }) => ({
    decision_id: randomUUID(),
    ...call,
    ...one,
    at: new Date(now - hoursAgo * hourMs).toISOString(),
  }))
  expect((await edge.post('/edge/decisions', { decisions })).status).toBe(202)

  const hours = Array.from({ length: 24 }, () => [0, 0, 0])
  const from = new Date(Math.floor(now / hourMs) * hourMs - 23 * hourMs).toISOString()
  const none = { from, hours }
  const some = { from, hours: hours.with(0, [0, 0, 1]).with(23, [2, 1, 0]) }
  const { api } = tenant.owner
  const listed = (await api.get('/agents?governance_state=governed&include=activity,names')).body
  expect(listed.data.map(({ id, activity }: { id: string; activity: unknown }) => [id, activity])).toEqual([
    [idle, none],
    [busy, some],
  ])
  expect(listed.names).toHaveProperty(busy)
  expect((await api.get('/agents?include=activity&status=registered&search=agent')).body.data[1].activity).toEqual(some)
  expect((await api.get(`/agents/${busy}?include=activity`)).body.activity).toEqual(some)
  expect((await api.get(`/agents/${busy}`)).body).not.toHaveProperty('activity')
  expect((await api.get('/agents')).body.data[0]).not.toHaveProperty('activity')

  const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
  expect((await scoped.api.get(`/agents/${busy}?include=activity`)).status).toBe(404)
  await grantAgent(server, tenant.id, scoped.id, busy)
  expect((await scoped.api.get('/agents?include=activity')).body.data).toMatchObject([{ id: busy, activity: some }])
  const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
  expect((await bound.api.get('/agents?include=activity')).body).toEqual({ data: [] })
})
