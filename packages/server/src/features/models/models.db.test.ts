import { Model } from '@mandate/contract/models'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiClient } from '../../testing/api-client.ts'
import { addAgent, addKey, addPerson, createTenant, grantAgent, type TestTenant } from '../../testing/arrange.ts'
import { addEdge } from '../../testing/arrange-agents.ts'
import { newDecision } from '../../testing/new-decision.ts'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant
let owner: ApiClient
let edge: ApiClient
beforeEach(async () => {
  tenant = await createTenant(server)
  owner = tenant.owner.api
  edge = await addEdge(server, tenant.id, tenant.development)
})

async function agentWith(model: string, environmentId = tenant.development): Promise<string> {
  const id = await addAgent(server, tenant.id, { environmentId, status: 'active' })
  await server.owner.query('update agents set model = $2 where id = $1', [id, model])
  return id
}
const day = 86_400_000
const at = (days: number) => new Date(Date.now() - days * day).toISOString()
const startOf = (days: number) => `${at(days).slice(0, 10)}T00:00:00.000Z`
const call = async (agentId: string, tool: string, ...days: number[]) => {
  const decisions = days.map((one) => newDecision(agentId, { tool, at: at(one) }))
  expect((await edge.post('/edge/decisions', { decisions })).status).toBe(202)
}
const list = async (api = owner, query = ''): Promise<Model[]> => {
  const { status, body } = await api.get(`/models?${query}`)
  expect(status).toBe(200)
  for (const model of body.data) expect(Model.parse(model)).toEqual(model)
  return body.data
}

describe('GET /models', () => {
  it('counts agents that declare a model and agents that use it, and each agent once', async () => {
    const [one, two, three] = [await agentWith('large'), await agentWith('acme/large'), await agentWith('small')]
    await agentWith('')
    await call(one, 'model:acme/large', 1, 2, 40)
    await call(three, 'model:acme/large', 3)
    await call(two, 'model:other/org/tiny', 0)
    expect(await list()).toEqual([
      {
        ...{ model: 'large', agents: 3, declared: 2, observed: 2, calls_30d: 3 },
        ...{ first_seen_at: startOf(40), last_seen_at: startOf(1) },
      },
      {
        ...{ model: 'org/tiny', agents: 1, declared: 0, observed: 1, calls_30d: 1 },
        ...{ first_seen_at: startOf(0), last_seen_at: startOf(0) },
      },
      {
        ...{ model: 'small', agents: 1, declared: 1, observed: 0, calls_30d: 0 },
        ...{ first_seen_at: null, last_seen_at: null },
      },
    ])
  })

  it('leaves out archived agents and other tools, and keeps models that were used long ago', async () => {
    const [gone, here] = [await agentWith('old'), await agentWith('')]
    await call(here, 'mcp:files/read', 0)
    await call(here, 'model:acme/past', 45)
    await server.owner.query("update agents set status = 'archived' where id = $1", [gone])
    expect((await list()).map(({ model, agents, observed }) => [model, agents, observed])).toEqual([['past', 0, 0]])
  })

  it('pages by limit and offset, with the number of all', async () => {
    for (const model of ['b', 'a', 'c']) await agentWith(model)
    const { body } = await owner.get('/models?limit=2&offset=1')
    expect(body).toMatchObject({ total: 3, limit: 2, offset: 1 })
    expect(body.data.map(({ model }: Model) => model)).toEqual(['b', 'c'])
    expect((await owner.get('/models?offset=9')).body).toMatchObject({ data: [], total: 3 })
    expect((await owner.get('/models?limit=x')).status).toBe(400)
  })

  it('a scoped user and a bound key get the agents that they see', async () => {
    const [seen, hidden] = [await agentWith('large'), await agentWith('large')]
    await agentWith('small', tenant.production)
    await call(seen, 'model:acme/large', 1)
    await call(hidden, 'model:acme/large', 1, 2)
    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    expect(await list(scoped.api)).toEqual([])
    await grantAgent(server, tenant.id, scoped.id, seen)
    expect(await list(scoped.api)).toMatchObject([{ model: 'large', agents: 1, observed: 1, calls_30d: 1 }])
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    expect(await list(bound.api)).toMatchObject([{ model: 'small', agents: 1, declared: 1 }])
    expect(await list((await createTenant(server)).owner.api)).toEqual([])
  })
})
