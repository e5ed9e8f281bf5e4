import { type Tool, ToolFacets } from '@mandate/contract/tools'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ApiClient } from '../../../testing/api-client.ts'
import {
  addAgent,
  addPerson,
  createTenant,
  giveEnvironment,
  grantAgent,
  type TestTenant,
} from '../../../testing/arrange.ts'
import { addEdge } from '../../../testing/arrange-agents.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant
let owner: ApiClient
let agentId: string

beforeAll(async () => {
  tenant = await createTenant(server)
  owner = tenant.owner.api
  agentId = await addAgent(server, tenant.id, { environmentId: tenant.development, status: 'active' })
  const development = await addEdge(server, tenant.id, tenant.development)
  const production = await addEdge(server, tenant.id, tenant.production)
  const read = { name: 'read', description: 'Reads a file.', annotations: { readOnlyHint: true } }
  const write = { name: 'write', description: 'Writes\u200b a file to https://files.example.' }
  const report = async (api: ApiClient, serverName: string, tools: object[], more = {}) =>
    expect((await api.post('/edge/tools', { server: serverName, tools, ...more })).status).toBe(202)
  await report(development, 'files', [read, write])
  await report(development, 'wiki', [{ ...read, name: 'ask', title: 'Ask the wiki' }], { agent_id: agentId })
  await report(production, 'files', [read, write])
  const { body } = await owner.get(`/tools?environment_id=${tenant.production}`)
  const [one, other] = body.data as [Tool, Tool]
  await owner.post(`/tools/${one.id}/pin`, { definition_hash: one.latest_hash })
  await owner.post(`/tools/${other.id}/block`, { reason: 'no' })
})

const facetsOf = async (query = '', api = owner): Promise<ToolFacets> => {
  const { status, body } = await api.get(`/tools/facets?${query}`)
  expect(status).toBe(200)
  expect(ToolFacets.parse(body)).toEqual(body)
  return body
}
const countsOf = (values: ToolFacets['state']) => Object.fromEntries(values.map(({ key, count }) => [key, count]))

describe('GET /tools/facets', () => {
  it('counts the tools by state, server, label, warning and environment, the most frequent value first', async () => {
    const facets = await facetsOf()
    expect(facets).toMatchObject({ total: 5, is_whole: true })
    expect(facets.state.map(({ key, count }) => [key, count])).toEqual([
      ['new', 3],
      ['blocked', 1],
      ['pinned', 1],
    ])
    expect(countsOf(facets.server)).toEqual({ files: 4, wiki: 1 })
    expect(countsOf(facets.label)).toEqual({ untrusted_output: 5, destructive: 2 })
    expect(countsOf(facets.warning)).toEqual({ hidden_characters: 2, contains_url: 2, unannotated: 2 })
    expect(facets.environment_id).toEqual([
      { key: tenant.development, name: 'Development', count: 3 },
      { key: tenant.production, name: 'Production', count: 2 },
    ])
  })

  it('each count is the number of tools that the list has with this value and the other filters', async () => {
    const filters = [
      '',
      'state=new',
      'server=files&warning=contains_url',
      `environment_id=${tenant.development}&label=destructive`,
      'search=WIKI',
      'search=mcp:FILES/',
      `agent_id=${agentId}`,
    ]
    for (const filter of filters) {
      const { total, is_whole: _, ...facets } = await facetsOf(filter)
      const listed = async (query: URLSearchParams) => (await owner.get(`/tools?${query}`)).body.data.length
      expect([filter, total]).toEqual([filter, await listed(new URLSearchParams(filter))])
      for (const [facet, counts] of Object.entries(facets))
        for (const { key, count } of counts) {
          const query = new URLSearchParams(filter)
          query.set(facet, key)
          expect([filter, facet, key, count]).toEqual([filter, facet, key, await listed(query)])
        }
    }
  })

  it('a search finds tools by their names with the server', async () => {
    expect((await facetsOf('search=mcp:FILES/')).total).toBe(4)
    expect((await facetsOf('search=mcp')).total).toBe(0)
    expect((await facetsOf('search=files')).total).toBe(0)
  })

  it('counts only tools of environments that the caller sees', async () => {
    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    expect(await facetsOf('', scoped.api)).toMatchObject({ total: 0, state: [], environment_id: [] })
    await giveEnvironment(server, tenant.id, scoped.id, tenant.production)
    const facets = await facetsOf('', scoped.api)
    expect(facets.total).toBe(2)
    expect(countsOf(facets.environment_id)).toEqual({ [tenant.production]: 2 })
    expect(await facetsOf('', (await createTenant(server)).owner.api)).toMatchObject({ total: 0, server: [] })
  })

  it('a filter by an agent that the caller does not see finds nothing, in the list and in the facets', async () => {
    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    const listed = async () => (await scoped.api.get(`/tools?agent_id=${agentId}`)).body.data
    expect(await listed()).toEqual([])
    expect(await facetsOf(`agent_id=${agentId}`, scoped.api)).toMatchObject({ total: 0, server: [] })
    await grantAgent(server, tenant.id, scoped.id, agentId)
    expect(await listed()).toHaveLength(1)
    expect(await facetsOf(`agent_id=${agentId}`, scoped.api)).toMatchObject({ total: 1 })
  })

  it('an unknown warning or state is 400', async () => {
    expect((await owner.get('/tools/facets?warning=other')).status).toBe(400)
    expect((await owner.get('/tools/facets?state=other')).status).toBe(400)
    expect((await owner.get('/tools?warning=other')).status).toBe(400)
  })
})
