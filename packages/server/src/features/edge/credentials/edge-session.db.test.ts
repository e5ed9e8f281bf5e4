import { EdgeSession } from '@mandate/contract/edge'
import { expect, it } from 'vitest'
import { addAgent } from '../../../testing/arrange.ts'
import { addEdge, giveAgentKey } from '../../../testing/arrange-agents.ts'
import { useTenant, useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
const tenant = useTenant(server)

const session = '/edge/session'

it('an agent key gets its agent and the agent’s environment, an edge key gets its environment', async () => {
  const id = await addAgent(server, tenant.id, { environmentId: tenant.production })
  const agent = await giveAgentKey(server, tenant.id, id)
  const edge = await addEdge(server, tenant.id, tenant.development)
  const asAgent = await agent.get(session)
  expect(asAgent.status).toBe(200)
  expect(EdgeSession.parse(asAgent.body)).toEqual({
    credential: 'agent',
    agent: { id, name: `agent ${id.slice(-6)}` },
    environment: expect.objectContaining({ id: tenant.production, slug: 'production' }),
  })
  expect((await edge.get(session)).body).toEqual({
    credential: 'edge',
    agent: null,
    environment: expect.objectContaining({ id: tenant.development, slug: 'development' }),
  })
})

it('an agent without an environment gets none, and people’s credentials are refused', async () => {
  const id = await addAgent(server, tenant.id, { environmentId: null })
  expect((await (await giveAgentKey(server, tenant.id, id)).get(session)).body).toMatchObject({
    agent: { id },
    environment: null,
  })
  expect((await tenant.owner.api.get(session)).status).toBe(401)
})
