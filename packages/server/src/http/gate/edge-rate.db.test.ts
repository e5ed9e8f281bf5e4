import { describe, expect, it } from 'vitest'
import { readConfig } from '../../config.ts'
import { addAgent } from '../../testing/arrange.ts'
import { addEdge, giveAgentKey } from '../../testing/arrange-agents.ts'
import { useTenant, useTestServer } from '../../testing/use-test-server.ts'

const limit = 6
const server = useTestServer(() => ({ edgeRatePerMinute: limit }))
const tenant = useTenant(server)

const beat = { instance_id: 'one', seq: 1, edge_version: '1.0.0', agents: [] }

describe('the rate of edge and agent keys', () => {
  it('is 6,000 requests a minute by default, and MANDATE_EDGE_RATE changes it', () => {
    expect(readConfig({}).edgeRatePerMinute).toBe(6000)
    expect(readConfig({ MANDATE_EDGE_RATE: '12' }).edgeRatePerMinute).toBe(12)
  })

  it('above the limit an edge key gets 429 with Retry-After on every edge route; other keys of the tenant still work', async () => {
    const edge = await addEdge(server, tenant.id, tenant.development)
    const other = await addEdge(server, tenant.id, tenant.development)
    const agentId = await addAgent(server, tenant.id, { environmentId: tenant.development })
    for (let use = 0; use < limit; use += 1) expect((await edge.post('/edge/heartbeat', beat)).status).toBe(200)
    const routes = ['attestations', 'decisions', 'execution-stats', 'heartbeat'].map((name) => `/edge/${name}`)
    const refused = [
      ...(await Promise.all(routes.map((path) => edge.post(path, '{broken')))),
      await edge.get(`/edge/agents/${agentId}/mission-profile`),
    ]
    for (const answer of refused) {
      expect(answer).toMatchObject({ status: 429, body: { error: 'too many requests', code: 429 } })
      const seconds = Number(answer.headers.get('retry-after'))
      expect(seconds).toBeGreaterThanOrEqual(1)
      expect(seconds).toBeLessThanOrEqual(60)
    }
    expect((await other.post('/edge/heartbeat', beat)).status).toBe(200)
    expect((await tenant.owner.api.get('/tenants')).status).toBe(200)
  })

  it('each agent key has its own rate', async () => {
    const ids = [await addAgent(server, tenant.id), await addAgent(server, tenant.id)]
    const [agent, other] = [
      await giveAgentKey(server, tenant.id, ids[0] as string),
      await giveAgentKey(server, tenant.id, ids[1] as string),
    ]
    const answers = await Promise.all(Array.from({ length: limit + 3 }, () => agent.post('/edge/heartbeat', beat)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(limit)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(3)
    expect((await other.post('/edge/heartbeat', beat)).status).toBe(200)
  })
})
