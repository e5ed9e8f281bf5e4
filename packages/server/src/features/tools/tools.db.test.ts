import { Pins, Tool, type ToolDeclaration, ToolWithDefinitions } from '@mandate/contract/tools'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiClient } from '../../testing/api-client.ts'
import {
  actorOf,
  addAgent,
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  giveEnvironment,
  grantAgent,
  type TestTenant,
} from '../../testing/arrange.ts'
import { addEdge, giveAgentKey } from '../../testing/arrange-agents.ts'
import { newDecision } from '../../testing/new-decision.ts'
import { costOf } from '../../testing/statement-cost.ts'
import { useTestServer } from '../../testing/use-test-server.ts'
import { findDeclared } from './detail/declaration-queries.ts'

const server = useTestServer()
let tenant: TestTenant
let owner: ApiClient
let edge: ApiClient
beforeEach(async () => {
  tenant = await createTenant(server)
  owner = tenant.owner.api
  edge = await addEdge(server, tenant.id, tenant.development)
})

const read = { name: 'read', title: 'Read', description: 'Reads a file.', annotations: { readOnlyHint: true } }
const changed = { ...read, description: 'Reads any file.', input_schema: { type: 'object' } }
const report = async (
  tools: object[],
  { api = edge, ...more }: { api?: ApiClient; server?: string; agent_id?: string } = {},
) => expect((await api.post('/edge/tools', { server: 'files', tools, ...more })).status).toBe(202)
const list = async (query = '', api = owner): Promise<Tool[]> => {
  const { status, body } = await api.get(`/tools?${query}`)
  expect(status).toBe(200)
  return body.data
}
const onlyTool = async () => (await list())[0] as Tool
const show = async (id: string): Promise<ToolWithDefinitions> => (await owner.get(`/tools/${id}`)).body
const auditOf = async () =>
  (await auditEntries(server, tenant.id)).filter(({ event_type }) => event_type.startsWith('tool.'))

describe('GET /tools', () => {
  it('filters by text, state, server, label and environment, sorted by name', async () => {
    await report([read, { ...read, name: 'write', title: 'Save', annotations: {} }])
    await report([{ ...read, name: 'ask' }], { server: 'wiki' })
    await report([read], { api: await addEdge(server, tenant.id, tenant.production) })
    const namesOf = async (query: string) => (await list(query)).map(({ tool }) => tool)
    expect(await namesOf('')).toEqual(['mcp:files/read', 'mcp:files/read', 'mcp:files/write', 'mcp:wiki/ask'])
    expect(await namesOf('search=SAV')).toEqual(['mcp:files/write'])
    expect(await namesOf('server=wiki')).toEqual(['mcp:wiki/ask'])
    expect(await namesOf('label=destructive')).toEqual(['mcp:files/write'])
    expect(await namesOf(`environment_id=${tenant.production}`)).toEqual(['mcp:files/read'])
    const [{ id }] = (await list('search=write')) as [Tool]
    await owner.post(`/tools/${id}/block`, { reason: 'no' })
    expect(await namesOf('state=blocked')).toEqual(['mcp:files/write'])
    expect(await namesOf('state=new&server=wiki')).toEqual(['mcp:wiki/ask'])
    expect((await owner.get('/tools?state=other')).status).toBe(400)
  })

  it('pages by token; a token of another list is 400', async () => {
    await report(Array.from({ length: 5 }, (_, n) => ({ ...read, name: `t${n}` })))
    const names: string[] = []
    let token = ''
    do {
      const { body } = await owner.get(`/tools?page_size=2${token}`)
      names.push(...body.data.map(({ name }: Tool) => name))
      token = body.next_page_token ? `&page_token=${body.next_page_token}` : ''
    } while (token)
    expect(names).toEqual(['t0', 't1', 't2', 't3', 't4'])
    expect((await owner.get('/tools?page_token=x')).status).toBe(400)
  })

  it('lists the tools that an agent called in 30 days, or that were declared for it', async () => {
    const agent_id = await addAgent(server, tenant.id, { environmentId: tenant.development, status: 'active' })
    await report([read, { ...read, name: 'write' }, { ...read, name: 'other' }])
    await report([{ ...read, name: 'own' }], { agent_id })
    await edge.post('/edge/decisions', { decisions: [newDecision(agent_id, { tool: 'mcp:files/write' })] })
    expect((await list(`agent_id=${agent_id}`)).map(({ name }) => name)).toEqual(['own', 'write'])
  })

  it('counts calls and agents of the last 30 days; a scoped user gets the counts of the agents that they see', async () => {
    const inDevelopment = { environmentId: tenant.development, status: 'active' } as const
    const agents = [await addAgent(server, tenant.id, inDevelopment), await addAgent(server, tenant.id, inDevelopment)]
    await report([read])
    const day = 86_400_000
    const at = (days: number) => new Date(Date.now() - days * day).toISOString()
    const decisions = [
      ...[1, 2, 3].map((days) => newDecision(agents[0] as string, { tool: 'mcp:files/read', at: at(days) })),
      newDecision(agents[1] as string, { tool: 'mcp:files/read', effect: 'deny' }),
      newDecision(agents[1] as string, { tool: 'mcp:files/read', at: at(40) }),
      newDecision(agents[1] as string, { tool: 'mcp:files/write' }),
    ]
    expect((await edge.post('/edge/decisions', { decisions })).status).toBe(202)
    expect(await onlyTool()).toMatchObject({ agents: 2, calls_30d: 4 })
    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    expect((await list('', scoped.api))[0]).toMatchObject({ agents: 0, calls_30d: 0 })
    await grantAgent(server, tenant.id, scoped.id, agents[0] as string)
    expect((await list('', scoped.api))[0]).toMatchObject({ agents: 1, calls_30d: 3 })
  })
})

describe('GET /tools/{tool_id}', () => {
  it('says which edges and agents declare which definition, those without a pin first', async () => {
    const inDevelopment = { environmentId: tenant.development, status: 'active' } as const
    const [seen, hidden] = [
      await addAgent(server, tenant.id, inDevelopment),
      await addAgent(server, tenant.id, inDevelopment),
    ]
    await report([read])
    const { id, latest_hash: first } = await onlyTool()
    await owner.post(`/tools/${id}/pin`, { definition_hash: first })
    await report([changed], { agent_id: seen })
    await report([read], { agent_id: hidden })
    const { declared_by: declared } = await show(id)
    expect(declared.map(({ edge, agent, pinned }) => [edge !== null, agent?.id ?? null, pinned])).toEqual([
      [true, seen, false],
      [true, hidden, true],
      [true, null, true],
    ])
    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    await grantAgent(server, tenant.id, scoped.id, seen)
    const { body } = await scoped.api.get(`/tools/${id}`)
    expect(body.declared_by.map((one: ToolDeclaration) => one.agent?.id ?? null)).toEqual([seen, null])
    await server.owner.query("update tool_reports set reported_at = now() - interval '25 hours' where tool_id = $1", [
      id,
    ])
    expect((await show(id)).declared_by).toEqual([])
  })

  it('says whether all of 21 declarers agree, also if the one that differs is not listed or not seen', async () => {
    const agents = Array.from({ length: 21 }, () => addAgent(server, tenant.id, { environmentId: tenant.development }))
    const [last = '', ...first] = await Promise.all(agents)
    const other = await addEdge(server, tenant.id, tenant.development)
    await report([changed], { api: other, agent_id: last })
    const { id, latest_hash: differing } = await onlyTool()
    for (const agent_id of first) await report([read], { agent_id })
    const { latest_hash: hash } = await onlyTool()
    const sorted = (...pinned: string[]) =>
      [differing, hash]
        .map((one) => ({ hash: one, pinned: pinned.includes(one), by_edge: true }))
        .toSorted((a, b) => Number(a.pinned) - Number(b.pinned) || (a.hash < b.hash ? -1 : 1))
    const listed = (tool: ToolWithDefinitions) => new Set(tool.declared_by.map((one) => one.hash))
    const before = await show(id)
    expect(before.declared_hashes).toEqual(sorted())
    expect(before.declared_by).toHaveLength(20)
    expect(listed(before)).toEqual(new Set([hash]))
    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    expect((await scoped.api.get(`/tools/${id}`)).body).toMatchObject({ declared_by: [], declared_hashes: sorted() })
    await owner.post(`/tools/${id}/pin`, { definition_hash: hash })
    expect((await show(id)).declared_hashes).toEqual(sorted(hash))
    await report([read], { api: other, agent_id: last })
    expect((await show(id)).declared_hashes).toEqual([{ hash, pinned: true, by_edge: true }])
    await server.owner.query('delete from edges where tenant_id = $1', [tenant.id])
    expect((await show(id)).declared_hashes).toEqual([{ hash, pinned: true, by_edge: false }])
  })

  it('reads the reports of the tool once for its declarers and its definitions', async () => {
    await report([read])
    await report([changed], { agent_id: await addAgent(server, tenant.id, { environmentId: tenant.development }) })
    const { id } = await onlyTool()
    const actor = actorOf(tenant)
    const { plans } = await costOf(server, tenant.id, async (sql) => {
      const { declarations, hashes } = await findDeclared(sql, actor, id, new Date().toISOString())
      expect([declarations.length, hashes.length]).toEqual([2, 2])
    })
    expect(JSON.stringify(plans).match(/"Relation Name":"tool_reports"/g)).toHaveLength(1)
  })

  it('names an agent that reports with its own key, without an edge', async () => {
    const agent = await addAgent(server, tenant.id, { environmentId: tenant.development, status: 'active' })
    await report([read], { api: await giveAgentKey(server, tenant.id, agent) })
    const { declared_by: declared } = await show((await onlyTool()).id)
    expect(declared).toMatchObject([{ edge: null, agent: { id: agent } }])
  })
})

describe('who sees and changes tools', () => {
  it('a scoped user, a bound key and another tenant get 404 outside of their environments', async () => {
    await report([read])
    const { id } = await onlyTool()
    const scoped = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    const other = await createTenant(server)
    for (const api of [scoped.api, key.api, other.owner.api]) {
      expect(await list('', api)).toEqual([])
      expect((await api.get(`/tools/${id}`)).status).toBe(404)
      expect((await api.post(`/tools/${id}/unpin`)).status).toBe(404)
      expect((await api.put(`/tools/${id}/labels`, {})).status).toBe(404)
    }
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    expect((await scoped.api.post(`/tools/${id}/block`, { reason: 'no' })).status).toBe(200)
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    expect((await bound.api.post(`/tools/${id}/unblock`)).status).toBe(200)
  })

  it('members read and may not pin; `include=may` says so', async () => {
    await report([read])
    const member = await addPerson(server, tenant.id, { role: 'member' })
    const { id, latest_hash } = await onlyTool()
    expect((await member.api.post(`/tools/${id}/pin`, { definition_hash: latest_hash })).status).toBe(403)
    const { body } = await member.api.get(`/tools/${id}?include=may`)
    expect(body.may).toEqual([])
    expect(Object.keys(body.may_not)).toEqual(['pinTool', 'unpinTool', 'blockTool', 'unblockTool', 'labelTool'])
    expect((await owner.get('/tools?include=may,names')).body.data[0].may).toContain('pinTool')
  })
})

describe('pins, blocks and labels', () => {
  it('a pinned definition is `pinned`, another one that is declared is `changed`, until it is pinned too', async () => {
    await report([read])
    const { id, latest_hash: first } = await onlyTool()
    const answer = await owner.post(`/tools/${id}/pin`, { definition_hash: first })
    expect(answer).toMatchObject({ status: 200, body: { state: 'pinned', pinned_hash: first, pinned_hashes: [first] } })
    await report([changed])
    const after = await show(id)
    expect(ToolWithDefinitions.parse(after)).toEqual(after)
    expect(after).toMatchObject({ state: 'changed', pinned_hash: first })
    expect(after.definitions.map(({ hash, pinned }) => [hash, pinned])).toEqual([
      [after.latest_hash, false],
      [first, true],
    ])
    expect(after.diff).toEqual([
      { path: 'description', change: 'changed', from: 'Reads a file.', to: 'Reads any file.' },
      { path: 'input_schema', change: 'added', from: null, to: '{"type":"object"}' },
    ])
    const both = await owner.post(`/tools/${id}/pin`, { definition_hashes: [after.latest_hash, first] })
    expect(both.body).toMatchObject({ state: 'pinned', pinned_hash: after.latest_hash })
    expect((await show(id)).diff).toBeNull()
    expect((await owner.post(`/tools/${id}/unpin`)).body).toMatchObject({ state: 'new', pinned_hash: null })
  })

  it('each reporter counts for 24 hours: an edge that still declares a changed definition keeps the state', async () => {
    await report([read])
    const { id, latest_hash } = await onlyTool()
    await owner.post(`/tools/${id}/pin`, { definition_hash: latest_hash })
    const second = await addEdge(server, tenant.id, tenant.development)
    await report([changed], { api: second })
    await report([read])
    expect((await onlyTool()).state).toBe('changed')
    await server.owner.query(
      `update tool_reports set reported_at = reported_at - interval '25 hours' where hash <> $1`,
      [latest_hash],
    )
    expect((await onlyTool()).state).toBe('pinned')
    await report([changed], { api: second })
    expect((await onlyTool()).state).toBe('changed')
    await report([read], { api: second })
    expect((await onlyTool()).state).toBe('pinned')
  })

  it('400 for a hash that was never seen, for no hash, for both fields and for more than five', async () => {
    await report([read])
    const { id, latest_hash } = await onlyTool()
    const hash = 'b'.repeat(64)
    const bodies = [
      { definition_hash: hash },
      { definition_hashes: [latest_hash, hash] },
      {},
      { definition_hash: latest_hash, definition_hashes: [latest_hash] },
      { definition_hashes: [] },
      { definition_hashes: Array(6).fill(latest_hash) },
      { definition_hash: 'x' },
    ]
    for (const body of bodies) expect((await owner.post(`/tools/${id}/pin`, body)).status).toBe(400)
    expect(await auditOf()).toEqual([])
  })

  it('a block needs a reason and wins over the pin; each change is audited once, and no change is not', async () => {
    await report([read])
    const { id, latest_hash, labels } = await onlyTool()
    expect((await owner.post(`/tools/${id}/block`, {})).status).toBe(400)
    for (let time = 0; time < 2; time++) {
      await owner.post(`/tools/${id}/pin`, { definition_hash: latest_hash })
      expect((await owner.post(`/tools/${id}/block`, { reason: 'unsafe' })).body).toMatchObject({
        state: 'blocked',
        block_reason: 'unsafe',
      })
    }
    expect((await owner.post(`/tools/${id}/unblock`)).body).toMatchObject({ state: 'pinned', block_reason: null })
    const set = await owner.put(`/tools/${id}/labels`, { labels: ['sensitive_output', 'a1', 'a1'] })
    expect(set.body.labels).toEqual(['a1', 'sensitive_output'])
    expect(Tool.parse(set.body)).toEqual(set.body)
    for (const bad of [['A'], ['1a'], ['a'.repeat(33)], Array.from({ length: 11 }, (_, n) => `l${n}`)])
      expect((await owner.put(`/tools/${id}/labels`, { labels: bad })).status).toBe(400)
    await owner.post(`/tools/${id}/unpin`)
    await owner.post(`/tools/${id}/unpin`)
    const entries = await auditOf()
    expect(entries.map(({ event_type }) => event_type)).toEqual([
      'tool.pinned',
      'tool.blocked',
      'tool.unblocked',
      'tool.labels_changed',
      'tool.unpinned',
    ])
    expect(entries[0]).toMatchObject({ resource_name: 'mcp:files/read', environment_id: tenant.development })
    expect(entries[3].details).toMatchObject({ from: labels, to: ['a1', 'sensitive_output'] })
  })

  it('a pin and reports at the same time leave no pin without its definition', async () => {
    await report([read])
    const { id, latest_hash } = await onlyTool()
    const answers = await Promise.all([
      owner.post(`/tools/${id}/pin`, { definition_hash: latest_hash }),
      ...Array.from({ length: 22 }, (_, n) =>
        edge.post('/edge/tools', { server: 'files', tools: [{ ...read, description: `number ${n}` }] }),
      ),
    ])
    const [pinned] = answers
    const { pinned_hashes, definitions } = await show(id)
    expect(answers.every(({ status }) => status < 500)).toBe(true)
    expect(pinned_hashes).toEqual(pinned?.status === 200 ? [latest_hash] : [])
    for (const hash of pinned_hashes) expect(definitions.map((one) => one.hash)).toContain(hash)
  })

  it('tools, definitions and versions end with their environment', async () => {
    const { body } = await owner.post('/environments', { name: 'Staging', slug: 'staging', tool_pinning: 'enforce' })
    await report([read], { api: await addEdge(server, tenant.id, body.id) })
    expect((await owner.delete(`/environments/${body.id}`)).status).toBe(204)
    for (const table of ['tools', 'tool_definitions', 'tool_reports', 'tool_inventories']) {
      const { rows } = await server.owner.query(`select 1 from ${table} where tenant_id = $1`, [tenant.id])
      expect(rows, table).toEqual([])
    }
  })
})

it('Pins of the contract describe the answer to edges', async () => {
  await report([read])
  const { body } = await edge.get('/edge/pins')
  expect(Pins.parse(body)).toEqual(body)
})
