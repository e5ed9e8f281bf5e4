import { createPublicKey, verify } from 'node:crypto'
import { mostPinnedTools, type Tool } from '@mandate/contract/tools'
import { canonicalJson } from '@mandate/proofs/canonical'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApiClient } from '../../../testing/api-client.ts'
import { addAgent, auditEntries, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { addEdge, giveAgentKey } from '../../../testing/arrange-agents.ts'
import { type OpenStream, openStream } from '../../../testing/open-stream.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'

const server = useOwnServer()
const streams: OpenStream[] = []
let tenant: TestTenant
let owner: ApiClient
let edge: ApiClient
beforeEach(async () => {
  tenant = await createTenant(server)
  owner = tenant.owner.api
  edge = await addEdge(server, tenant.id, tenant.development)
})
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close()
})

const read = { name: 'read', annotations: { readOnlyHint: true, openWorldHint: false } }
const report = (tools: object[], api = edge) => api.post('/edge/tools', { server: 'files', tools })
const pins = async (query = '', api = edge) => {
  const { status, body } = await api.get(`/edge/pins?${query}`)
  expect(status).toBe(200)
  return body
}
const onlyTool = async (): Promise<Tool> => (await owner.get('/tools')).body.data[0]
const newAgent = () => addAgent(server, tenant.id, { environmentId: tenant.development, status: 'active' })
const pinning = (tool_pinning: string) => owner.put(`/environments/${tenant.development}`, { tool_pinning })
const beat = async (agents: string[] = [], api = edge) => {
  const body = { instance_id: 'one', seq: 1, edge_version: '1', agents: agents.map((agent_id) => ({ agent_id })) }
  return (await api.post('/edge/heartbeat', body)).body.pins
}

describe('GET /edge/pins', () => {
  it('200 with the signed pins, blocks and labels that changed after a version', async () => {
    expect(await pins()).toMatchObject({ version: 0, since: 0, pinning: 'alert', tools: [] })
    await report([read, { ...read, name: 'write' }])
    const { id, latest_hash } = await onlyTool()
    await owner.post(`/tools/${id}/pin`, { definition_hash: latest_hash })
    await owner.post(`/tools/${id}/block`, { reason: 'no' })
    const all = await pins()
    expect(all).toMatchObject({ tenant_id: tenant.id, environment_id: tenant.development, version: 3, since: 0 })
    expect(all.tools).toEqual([
      { tool: 'mcp:files/write', blocked: false, pins: [], labels: [] },
      { tool: 'mcp:files/read', blocked: true, pins: [latest_hash], labels: [] },
    ])
    const { signature, ...signed } = all
    const [{ public_key_pem }] = (await edge.get('/edge/signing-key')).body.keys
    const key = createPublicKey(public_key_pem)
    expect(verify(null, Buffer.from(canonicalJson(signed)), key, Buffer.from(signature, 'base64'))).toBe(true)
    expect((await pins('since=1')).tools.map(({ tool }: { tool: string }) => tool)).toEqual(['mcp:files/read'])
    expect(await pins('since=3')).toMatchObject({ since: 3, tools: [] })
    expect(await pins('since=99')).toMatchObject({ version: 3, since: 0, tools: [{}, {}] })
    for (const since of ['-1', 'x', '99999999999'])
      expect((await edge.get(`/edge/pins?since=${since}`)).status).toBe(400)
  })

  it('an agent with a key of its own reads the pins of its environment; people and other tenants read none', async () => {
    await report([read])
    const own = await giveAgentKey(server, tenant.id, await newAgent())
    expect(await pins('', own)).toMatchObject({ environment_id: tenant.development, tools: [{}] })
    const production = await addEdge(server, tenant.id, tenant.production)
    expect(await pins('', production)).toMatchObject({ environment_id: tenant.production, tools: [] })
    expect((await owner.get('/edge/pins')).status).toBe(401)
    const outside = await giveAgentKey(server, tenant.id, await addAgent(server, tenant.id, { environmentId: null }))
    expect((await outside.get('/edge/pins')).status).toBe(404)
  })

  it('pages of many tools are signed one by one, and no tool is missing if some change in between', async () => {
    await report([read])
    await server.owner.query(
      `insert into tools (tenant_id, id, environment_id, tool, server, name, latest_hash, changed_in, first_seen_at, last_seen_at)
       select tenant_id, gen_random_uuid(), environment_id, 'mcp:many/t' || n, 'many', 't' || n, latest_hash, 1, first_seen_at, last_seen_at
       from tools, generate_series(1, $2::int) n where tenant_id = $1`,
      [tenant.id, mostPinnedTools],
    )
    const first = await pins()
    expect(first.tools).toHaveLength(mostPinnedTools)
    const { data } = (await owner.get('/tools?search=t7&page_size=1')).body
    await owner.put(`/tools/${data[0].id}/labels`, { labels: ['seen'] })
    const second = await pins(`page_token=${first.next_page_token}`)
    expect(second).toMatchObject({ version: first.version + 1, since: 0 })
    expect(second.next_page_token).toBeUndefined()
    const names = [...first.tools, ...second.tools].map(({ tool }: { tool: string }) => tool)
    expect(new Set(names).size).toBe(mostPinnedTools + 1)
    expect(second.tools.at(-1)).toMatchObject({ tool: data[0].tool, labels: ['seen'] })
    const production = await addEdge(server, tenant.id, tenant.production)
    expect((await production.get(`/edge/pins?page_token=${first.next_page_token}`)).status).toBe(400)
  })
})

describe('what edges are told', () => {
  it('heartbeat answers and mission profiles name the version, from the first tool or change of tool_pinning', async () => {
    const agentId = await newAgent()
    const own = await giveAgentKey(server, tenant.id, agentId)
    const profile = async () => (await edge.get(`/edge/agents/${agentId}/mission-profile`)).body
    const before = await profile()
    expect(before).not.toHaveProperty('pins')
    for (const agents of [[], [agentId]]) expect(await beat(agents)).toBeUndefined()
    await report([read])
    for (const agents of [[], [agentId]]) expect(await beat(agents)).toEqual({ version: 1 })
    expect(await beat([agentId], own)).toEqual({ version: 1 })
    expect(await profile()).toMatchObject({ pins: { version: 1 }, profile_hash: before.profile_hash })
    await report([{ ...read, description: 'other' }])
    expect(await beat()).toEqual({ version: 1 })
    await pinning('enforce')
    await pinning('enforce')
    expect(await beat()).toEqual({ version: 2 })
    expect(await pins('since=1')).toMatchObject({ version: 2, pinning: 'enforce', tools: [] })
    const [, second] = (await edge.post('/edge/profiles', { agent_ids: [agentId, await newAgent()] })).body.data
    expect(second.pins).toEqual({ version: 2 })
    expect(await beat([], await addEdge(server, tenant.id, tenant.production))).toBeUndefined()
  })

  it('streams of edges and agents of the environment tell each version', async () => {
    const own = await giveAgentKey(server, tenant.id, await newAgent())
    const production = await addEdge(server, tenant.id, tenant.production)
    const [mine, agents, others] = await Promise.all(
      [edge, own, production].map((api) =>
        openStream(server.url, api.credential as string, { path: '/edge/stream', query: '?instance_id=one' }),
      ),
    )
    streams.push(...([mine, agents, others] as OpenStream[]))
    await report([read])
    const { id, latest_hash } = await onlyTool()
    await owner.post(`/tools/${id}/pin`, { definition_hash: latest_hash })
    await pinning('off')
    await report([read], production)
    for (const stream of [mine, agents]) {
      await stream?.receives(({ data }) => data.version === 3)
      const told = stream?.events.filter(({ type }) => type === 'pins').map(({ data }) => data)
      expect(told).toEqual([{ version: 1 }, { version: 2 }, { version: 3 }])
    }
    await others?.receives(({ type }) => type === 'pins')
    expect(others?.events.map(({ data }) => data)).toEqual([{ version: 1 }])
  })
})

describe('tool_pinning of an environment', () => {
  it('is `alert` at first, can be set and changed, is audited, and another value is 400', async () => {
    const { data } = (await owner.get('/environments')).body
    expect(data.map(({ tool_pinning }: { tool_pinning: string }) => tool_pinning)).toEqual(['alert', 'alert'])
    const created = await owner.post('/environments', { name: 'Staging', slug: 'staging', tool_pinning: 'enforce' })
    expect(created).toMatchObject({ status: 201, body: { tool_pinning: 'enforce' } })
    expect(await beat([], await addEdge(server, tenant.id, created.body.id))).toEqual({ version: 1 })
    expect((await pinning('off')).body).toMatchObject({ tool_pinning: 'off' })
    expect((await pinning('on')).status).toBe(400)
    const entry = (await auditEntries(server, tenant.id)).find(({ event_type }) => event_type === 'environment.updated')
    expect(entry?.details).toEqual({ changes: [{ field: 'tool_pinning', from: 'alert', to: 'off' }] })
  })
})
