import {
  agentStatuses,
  driftStates,
  executionCoverageStates,
  governanceStates,
  heartbeatStates,
} from '@mandate/contract/agents'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ApiClient } from '../../../testing/api-client.ts'
import { addAgent, addKey, addPerson, createTenant, grantAgent, type TestTenant } from '../../../testing/arrange.ts'
import { addEdge, addPolicy } from '../../../testing/arrange-agents.ts'
import { fillAgents } from '../../../testing/fill-agents.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'

const server = useOwnServer()
let tenant: TestTenant
const callers: Record<string, ApiClient> = {}
const frameworks = ['', 'langgraph']
const policies: string[] = []

beforeAll(async () => {
  tenant = await createTenant(server)
  for (const _ of [1, 2]) policies.push((await addPolicy(server, tenant.id)).id)
  const edge = await addEdge(server, tenant.id, tenant.development)
  const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
  for (let n = 0; n < 24; n++) {
    const environmentId = n % 5 === 0 ? tenant.production : tenant.development
    const status = agentStatuses[n % 4] as (typeof agentStatuses)[number]
    const id = await addAgent(server, tenant.id, { environmentId, status, policyId: policies[n % 2] as string })
    const values = [
      id,
      frameworks[n % 2],
      n % 3 === 0 ? tenant.owner.id : null,
      n % 6 === 5 ? 'discovered' : 'governed',
    ]
    await server.owner.query(
      'update agents set framework = $2, owner_user_id = $3, governance_state = $4 where id = $1',
      values,
    )
    if (n % 4 < 2)
      await edge.post('/edge/heartbeat', { instance_id: `${n}`, seq: 1, edge_version: '1', agents: [{ agent_id: id }] })
    if (n % 2 === 0) await grantAgent(server, tenant.id, scoped.id, id)
  }
  callers.owner = tenant.owner.api
  callers.scoped = scoped.api
  callers.nobody = (await addPerson(server, tenant.id, { accessScope: 'scoped' })).api
  callers.bound = (await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })).api
})

const filterOf = (facet: string) => (facet === 'execution_coverage_state' ? 'execution_coverage' : facet)
type Counts = { key: string; name: string; count: number; at_least?: true }[]

async function listed(api: ApiClient, query: Record<string, string>): Promise<number> {
  const { status, body } = await api.get(`/agents?page_size=200&${new URLSearchParams(query)}`)
  expect(status).toBe(200)
  return body.data.length
}

describe('GET /agents/facets', () => {
  const asked = fc.record(
    {
      status: fc.constantFrom(...agentStatuses),
      governance_state: fc.constantFrom(...governanceStates),
      execution_coverage: fc.constantFrom(...executionCoverageStates),
      environment_id: fc.constantFrom('production', 'development'),
      policy_id: fc.constantFrom('0', '1'),
      owner_user_id: fc.constantFrom('none', 'owner'),
      drift: fc.constantFrom(...driftStates),
      framework: fc.constantFrom(...frameworks),
      heartbeat: fc.constantFrom(...heartbeatStates),
    },
    { requiredKeys: [] },
  )
  const caller = fc.constantFrom('owner', 'scoped', 'bound', 'nobody')

  it('each count is the number of agents that the list has with this value and the other filters', async () => {
    const named: Record<string, string> = {
      ...tenant,
      owner: tenant.owner.id,
      0: policies[0]!,
      1: policies[1]!,
    } as never
    await fc.assert(
      fc.asyncProperty(caller, asked, async (who, filters) => {
        const api = callers[who] as ApiClient
        const query = Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, named[value] ?? value]))
        const { status, body } = await api.get(`/agents/facets?${new URLSearchParams(query)}`)
        expect(status).toBe(200)
        for (const [facet, counts] of Object.entries(body as Record<string, Counts>)) {
          const others = Object.fromEntries(Object.entries(query).filter(([name]) => name !== filterOf(facet)))
          let sum = 0
          for (const { key, count, at_least } of counts) {
            expect([facet, key, count]).toEqual([facet, key, await listed(api, { ...others, [filterOf(facet)]: key })])
            expect(at_least).toBeUndefined()
            sum += count
          }
          if (facet !== 'governance_state') expect([facet, sum]).toEqual([facet, await listed(api, others)])
        }
      }),
      { numRuns: 25 },
    )
  }, 120_000)

  it('names environments, policies and owners; other values are their own names; the most frequent value is first', async () => {
    const { body } = await (callers.owner as ApiClient).get('/agents/facets')
    expect(body.environment_id.map(({ key }: { key: string }) => key)).toEqual([tenant.development, tenant.production])
    expect(body.environment_id[0].name.toLowerCase()).toBe('development')
    expect(body.owner_user_id[0]).toEqual({ key: 'none', name: 'none', count: expect.any(Number) })
    const { name: owner } = body.owner_user_id[1]
    expect([owner, owner.length > 0]).toEqual([tenant.owner.email, true])
    expect(body.status[0]).toEqual({ key: body.status[0].key, name: body.status[0].key, count: expect.any(Number) })
  })

  it('counts nothing for a caller who sees nothing, and nothing of another environment or tenant', async () => {
    const empty = Object.values((await (callers.nobody as ApiClient).get('/agents/facets')).body as object)
    expect(empty.flat()).toEqual([])
    const elsewhere = await (callers.bound as ApiClient).get(`/agents/facets?environment_id=${tenant.development}`)
    expect(elsewhere.body.status).toEqual([])
    expect(elsewhere.body.environment_id.map(({ key }: { key: string }) => key)).toEqual([tenant.production])
    const other = await createTenant(server)
    expect(Object.values((await other.owner.api.get('/agents/facets')).body as object).flat()).toEqual([])
  })

  it('400 with the name of the filter for an unknown value', async () => {
    for (const query of ['drift=maybe', 'environment_id=x', 'execution_coverage=none', 'owner_user_id=me']) {
      const { status, body } = await tenant.owner.api.get(`/agents/facets?${query}`)
      expect([query, status]).toEqual([query, 400])
      expect(body.error).toContain(query.split('=')[0])
    }
  })

  it('counts of a long list stop at 10,000; counts of the newest agents only are marked', async () => {
    const large = await createTenant(server)
    const { id: policyId } = await addPolicy(server, large.id)
    await fillAgents(server, large.id, { count: 12_000, environmentId: large.development, policyId })
    await server.owner.query(
      `update agents set framework = 'rare' where id in (select id from agents where tenant_id = $1 limit 7)`,
      [large.id],
    )
    const { body } = await large.owner.api.get('/agents/facets')
    expect(body.status).toEqual([{ key: 'active', name: 'active', count: 10_000 }])
    expect(body.governance_state).toEqual([{ key: 'governed', name: 'governed', count: 10_000 }])
    expect(body.policy_id).toMatchObject([{ key: policyId, count: 10_000 }])
    expect(body.heartbeat).toEqual([{ key: 'never', name: 'never', count: 1000, at_least: true }])
    const rare = (await large.owner.api.get('/agents/facets?framework=rare&status=active')).body
    expect(rare.policy_id).toMatchObject([{ key: policyId, count: 7 }])
    expect(rare.policy_id[0]).not.toHaveProperty('at_least')
    expect(rare.framework.find(({ key }: { key: string }) => key === '')).toMatchObject({ at_least: true })
    const bound = await addKey(server, large.id, large.owner, { environmentId: large.production })
    expect(Object.values((await bound.api.get('/agents/facets')).body as object).flat()).toEqual([])
  })
})
