import { keptDefinitions, mostInventoryBytes, mostToolsOfAgent } from '@mandate/contract/tools'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Sql } from '../../../db/database.ts'
import type { ApiClient } from '../../../testing/api-client.ts'
import { addAgent, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { addEdge, giveAgentKey } from '../../../testing/arrange-agents.ts'
import { costOf } from '../../../testing/statement-cost.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { expireTools } from '../change/expire-tools.ts'
import { forgetDeclared } from './report-queries.ts'

const server = useOwnServer()
let tenant: TestTenant
let owner: ApiClient
let edge: ApiClient
beforeEach(async () => {
  tenant = await createTenant(server)
  owner = tenant.owner.api
  edge = await addEdge(server, tenant.id, tenant.development)
})

const read = { name: 'read', description: 'Reads a file.', annotations: { readOnlyHint: true, openWorldHint: false } }
const report = (tools: object[], { api = edge } = {}) => api.post('/edge/tools', { server: 'files', tools })
const list = async (query = '') => (await owner.get(`/tools?${query}`)).body.data
const newAgent = () => addAgent(server, tenant.id, { environmentId: tenant.development, status: 'active' })

it('gives a tool the labels of all its definitions, until people set them', async () => {
  const agent = await giveAgentKey(server, tenant.id, await newAgent())
  expect((await report([read], { api: agent })).status).toBe(202)
  expect((await list())[0].labels).toEqual([])
  const { version } = (await edge.get('/edge/pins')).body
  await report([{ ...read, annotations: {} }])
  const [{ id, labels }] = await list()
  expect(labels).toEqual(['destructive', 'untrusted_output'])
  const { body } = await edge.get(`/edge/pins?since=${version}`)
  expect(body.tools).toEqual([{ tool: 'mcp:files/read', blocked: false, pins: [], labels }])
  await report([{ ...read, description: 'other' }], { api: agent })
  expect((await list())[0].labels).toEqual(labels)
  await owner.put(`/tools/${id}/labels`, { labels: ['sensitive_output'] })
  await report([{ ...read, description: 'third', annotations: {} }])
  expect((await list())[0].labels).toEqual(['sensitive_output'])
})

it('labels that a person confirms stay as they are', async () => {
  await report([read])
  const [{ id }] = await list()
  expect((await owner.put(`/tools/${id}/labels`, { labels: [] })).status).toBe(200)
  await report([{ ...read, annotations: {} }])
  expect((await list())[0].labels).toEqual([])
})

it('an agent with its own key adds a bounded number of tools and definitions, and edges have room beyond it', async () => {
  const api = await giveAgentKey(server, tenant.id, await newAgent())
  const many = Array.from({ length: mostToolsOfAgent + 1 }, (_, n) => ({ ...read, name: `t${n}` }))
  const answer = await report(many, { api })
  expect(answer).toMatchObject({ status: 409, body: { error: expect.stringContaining('1 new tools') } })
  const tools = async () => (await owner.get('/tools?page_size=200')).body.data
  expect(await tools()).toHaveLength(mostToolsOfAgent)
  expect((await report([{ ...read, name: 'more' }], { api })).status).toBe(409)
  const other = await giveAgentKey(server, tenant.id, await newAgent())
  expect((await report([{ ...read, name: 'more' }], { api: other })).status).toBe(202)
  // Tools that an edge reports too do not count.
  expect((await report(many.slice(0, 5))).status).toBe(202)
  expect((await report([{ ...read, name: 'again' }], { api })).status).toBe(202)
  const changed = many.slice(0, 200).map((tool) => ({ ...tool, description: 'other' }))
  expect((await report(changed, { api })).status).toBe(202)
  expect((await report([{ ...read, name: 't1', description: 'third' }], { api })).status).toBe(202)
  const further = many.slice(0, 200).map((tool) => ({ ...tool, description: 'fourth' }))
  expect(await report(further, { api })).toMatchObject({
    status: 409,
    body: { error: expect.stringContaining('new definitions were not stored') },
  })
  expect((await report(further)).status).toBe(202)
})

it('counts the bytes of the stored definitions, and 409 beyond the limit of the environment', async () => {
  for (let n = 0; n < keptDefinitions + 3; n++) await report([{ ...read, description: `number ${n}` }])
  const stored = async () =>
    (
      await server.owner.query(
        `select i.bytes::int, (select sum(octet_length(d.definition))::int from tool_definitions d where d.tenant_id = $1) as counted
         from tool_inventories i where i.tenant_id = $1`,
        [tenant.id],
      )
    ).rows[0]
  const { bytes, counted } = await stored()
  expect(bytes).toBe(counted)
  await server.owner.query('update tool_inventories set bytes = $2 where tenant_id = $1', [
    tenant.id,
    mostInventoryBytes,
  ])
  expect((await report([{ ...read, name: 'new' }])).status).toBe(409)
  expect((await report([{ ...read, description: 'new' }])).status).toBe(409)
})

it('a tool that nobody touched is deleted when no report named it for 30 days, and so are old reports', async () => {
  await report([read, { ...read, name: 'pinned' }, { ...read, name: 'blocked' }, { ...read, name: 'labelled' }])
  const idOf = async (name: string) => (await list(`search=${name}`))[0].id
  await owner.post(`/tools/${await idOf('pinned')}/pin`, {
    definition_hash: (await list('search=pinned'))[0].latest_hash,
  })
  await owner.post(`/tools/${await idOf('blocked')}/block`, { reason: 'no' })
  await owner.put(`/tools/${await idOf('labelled')}/labels`, { labels: ['destructive'] })
  const counted = async (table: string) =>
    (await server.owner.query(`select count(*)::int as n from ${table} where tenant_id = $1`, [tenant.id])).rows[0].n
  const afterDays = (days: number) => expireTools(server.services.db, new Date(Date.now() + days * 86_400_000))
  await afterDays(29)
  expect([await counted('tools'), await counted('tool_reports')]).toEqual([4, 4])
  await afterDays(31)
  expect((await list()).map(({ name }: { name: string }) => name)).toEqual(['blocked', 'labelled', 'pinned'])
  expect(await counted('tool_reports')).toBe(0)
  const { rows } = await server.owner.query('select tools, bytes::int from tool_inventories where tenant_id = $1', [
    tenant.id,
  ])
  expect(rows[0].tools).toBe(3)
  expect(rows[0].bytes).toBeGreaterThan(100)
  expect((await report([read])).body.changed).toEqual(['mcp:files/read'])
})

describe('in a new database, whose tables have no statistics', () => {
  const fresh = useOwnServer()

  it.each(['custom', 'generic'] as const)(
    'many tools of an agent are reported with few reads (%s plan)',
    async (mode) => {
      const { id, development } = await createTenant(fresh)
      const agentId = await addAgent(fresh, id, { environmentId: development, status: 'active' })
      const tools = Array.from({ length: 300 }, (_, n) => ({ ...read, name: `t${n}` }))
      const api = await addEdge(fresh, id, development)
      expect((await api.post('/edge/tools', { server: 'files', tools, agent_id: agentId })).status).toBe(202)
      const { rows } = await fresh.owner.query('select distinct reporter_id from tool_reports where tenant_id = $1', [
        id,
      ])
      const names = tools.map(({ name }) => `mcp:files/${name}`)
      const forget = (sql: Sql) => forgetDeclared(sql, development, names, rows[0].reporter_id)
      const { buffers, plans } = await costOf(fresh, id, forget, mode)
      expect(buffers, JSON.stringify(plans)).toBeLessThan(10_000)
    },
  )
})
