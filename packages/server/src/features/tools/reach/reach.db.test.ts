import type { AgentReach, ToolReach } from '@mandate/contract/tools'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiClient } from '../../../testing/api-client.ts'
import {
  addAgent,
  addKey,
  addPerson,
  createTenant,
  giveEnvironment,
  grantAgent,
  type TestTenant,
} from '../../../testing/arrange.ts'
import { addEdge, giveAgentKey } from '../../../testing/arrange-agents.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant
let owner: ApiClient
let policyId: string
let edge: ApiClient
beforeEach(async () => {
  tenant = await createTenant(server)
  owner = tenant.owner.api
  const rule = (name: string, effect: string, tool: string, when: object[] = []) => ({
    ...{ name, effect, reason: '', enabled: true },
    match: { tools: [`mcp:files/${tool}`], when },
  })
  const rules = [
    rule('reading', 'allow', 'read'),
    rule('writing', 'require_approval', 'write'),
    rule('own drafts', 'allow', 'draft', [{ path: 'agent.name', op: 'eq', value: 'Scribe' }]),
    rule('small sums', 'allow', 'pay', [{ path: 'args.sum', op: 'lt', value: 10 }]),
  ].map((one, at) => ({ ...one, priority: at + 1 }))
  const saved = await owner.post('/policies', { name: 'p', environment_id: tenant.development, rules })
  expect(saved.status).toBe(201)
  policyId = saved.body.id
  edge = await addEdge(server, tenant.id, tenant.development)
  const tools = ['delete', 'draft', 'pay', 'read', 'write'].map((name) => ({ name, annotations: {} }))
  expect((await edge.post('/edge/tools', { server: 'files', tools })).status).toBe(202)
})

const newAgent = async (name: string, more: object = {}) => {
  const id = await addAgent(server, tenant.id, { environmentId: tenant.development, status: 'active', ...more })
  await server.owner.query('update agents set name = $2, policy_id = $3 where id = $1', [id, name, policyId])
  return id
}
const verdictsOf = (rows: ToolReach[]) => Object.fromEntries(rows.map(({ tool, verdict }) => [tool.slice(10), verdict]))

describe('GET /agents/{agent_id}/reach', () => {
  it('200 by the running version with policy=running; 404 if it is not known or the caller does not see its policy', async () => {
    const scribe = await newAgent('Scribe')
    const running = (api = owner) => api.get(`/agents/${scribe}/reach?policy=running`)
    const missing = { status: 404, body: { error: 'running policy not found' } }
    expect(await running()).toMatchObject(missing)
    const { content_hash: policy_hash } = (await owner.get(`/policies/${policyId}/versions/1`)).body
    const report = async (hash: string, seq: number) => {
      const agents = [{ agent_id: scribe, policy_id: policyId, policy_version: 1, policy_hash: hash }]
      const sent = { instance_id: 'hall-3', seq, edge_version: '1', agents }
      expect((await edge.post('/edge/heartbeat', sent)).status).toBe(200)
    }
    await owner.put(`/policies/${policyId}`, { default_effect: 'allow' })
    await owner.post(`/agents/${scribe}/suspend`, {})
    await report(policy_hash, 1)
    const { body } = await running()
    expect(verdictsOf(body.data)).toMatchObject({ delete: 'deny', pay: 'depends', read: 'allow' })
    expect(body.counts).toEqual({ allow: 2, deny: 1, require_approval: 1, depends: 1 })
    const inForce = await owner.get(`/agents/${scribe}/reach?policy=in_force`)
    expect(inForce.body.counts).toMatchObject({ deny: 5 })
    expect(await owner.get(`/agents/${scribe}/reach?policy=assigned`)).toMatchObject({ status: 400 })

    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    await grantAgent(server, tenant.id, scoped.id, scribe)
    expect((await running(scoped.api)).status).toBe(200)
    const other = (await owner.post('/policies', { name: 'q', environment_id: tenant.development })).body
    await owner.post(`/agents/${scribe}/assign-policy`, { policy_id: other.id })
    expect((await running()).status).toBe(200)
    expect(await running(scoped.api)).toMatchObject(missing)
    await report('0'.repeat(64), 2)
    expect(await running()).toMatchObject(missing)
  })

  it('200 with the verdict of each known tool, the rules and the numbers of all', async () => {
    const scribe = await newAgent('Scribe')
    const { body } = await owner.get(`/agents/${scribe}/reach`)
    expect(verdictsOf(body.data)).toEqual({
      delete: 'deny',
      draft: 'allow',
      pay: 'depends',
      read: 'allow',
      write: 'require_approval',
    })
    expect(body.data.map(({ rules }: ToolReach) => rules.map(({ name }) => name))).toEqual([
      [],
      ['own drafts'],
      ['small sums'],
      ['reading'],
      ['writing'],
    ])
    const byDefault = body.data.map((row: ToolReach) => row.default_may_decide)
    expect(byDefault).toEqual([true, false, true, false, false])
    expect(body.counts).toEqual({ allow: 2, deny: 1, require_approval: 1, depends: 1 })
    const other = (await owner.get(`/agents/${await newAgent('Other')}/reach?verdict=deny`)).body
    expect(Object.keys(verdictsOf(other.data))).toEqual(['delete', 'draft'])
    expect(other.counts).toMatchObject({ allow: 1, deny: 2 })
  })

  it('pages by token, with the numbers of all tools on each page', async () => {
    const path = `/agents/${await newAgent('Scribe')}/reach`
    const first = (await owner.get(`${path}?page_size=3`)).body
    const second = (await owner.get(`${path}?page_size=3&page_token=${first.next_page_token}`)).body
    expect([...first.data, ...second.data]).toHaveLength(5)
    expect(second.next_page_token).toBeUndefined()
    expect(second.counts).toEqual(first.counts)
    expect((await owner.get(`${path}?page_token=x`)).status).toBe(400)
    expect((await owner.get(`${path}?verdict=maybe`)).status).toBe(400)
  })

  it('monitor mode changes no verdict; a suspended agent, a block and a missing pin under `enforce` deny', async () => {
    const id = await newAgent('Scribe')
    const verdicts = async () => verdictsOf((await owner.get(`/agents/${id}/reach`)).body.data)
    await owner.put(`/environments/${tenant.development}`, { governance_mode: 'monitor' })
    expect(await verdicts()).toMatchObject({ delete: 'deny', read: 'allow' })
    const [read] = (await owner.get('/tools?search=read')).body.data
    await owner.post(`/tools/${read.id}/block`, { reason: 'no' })
    expect(await verdicts()).toMatchObject({ read: 'deny', draft: 'allow' })
    await owner.post(`/tools/${read.id}/unblock`)
    await owner.post(`/tools/${read.id}/pin`, { definition_hash: read.latest_hash })
    await owner.put(`/environments/${tenant.development}`, { tool_pinning: 'enforce' })
    expect(await verdicts()).toMatchObject({ read: 'allow', draft: 'deny' })
    await server.owner.query(`update agents set status = 'suspended' where id = $1`, [id])
    expect((await owner.get(`/agents/${id}/reach`)).body.counts).toMatchObject({ allow: 0, deny: 5 })
  })

  it('denies a tool whose only definition declares no argument with which a call may pass', async () => {
    const report = async (names: string[], api = edge) => {
      const input_schema = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) }
      const tools = [{ name: 'pay', annotations: {}, input_schema }]
      expect((await api.post('/edge/tools', { server: 'files', tools })).status).toBe(202)
    }
    const id = await newAgent('Scribe')
    const [{ id: toolId }] = (await owner.get('/tools?search=pay')).body.data
    const verdicts = async () => {
      const { body: tools } = await owner.get(`/agents/${id}/reach`)
      const { body: agents } = await owner.get(`/tools/${toolId}/reach`)
      return [verdictsOf(tools.data).pay, agents.data[0].verdict]
    }
    await report(['amount'])
    expect(await verdicts()).toEqual(['deny', 'deny'])
    // As an earlier version stored it.
    await server.owner.query(
      `update tool_definitions set declared_args = null, last_seen_at = last_seen_at - interval '1 hour' where tool_id = $1`,
      [toolId],
    )
    expect(await verdicts()).toEqual(['depends', 'depends'])
    await report(['amount'])
    expect(await verdicts()).toEqual(['deny', 'deny'])
    // Another reporter declares something else, so calls through its edge may pass.
    const own = await giveAgentKey(server, tenant.id, id)
    await report(['total'], own)
    expect(await verdicts()).toEqual(['depends', 'depends'])
    await report(Array.from({ length: 400 }, (_, n) => `argument ${n}`))
    await report(
      Array.from({ length: 400 }, (_, n) => `argument ${n}`),
      own,
    )
    expect(await verdicts()).toEqual(['depends', 'depends'])
    await report(['sum', 'constructor'])
    expect(await verdicts()).toEqual(['depends', 'depends'])
  })

  it('404 for an agent that the caller does not see; an agent without an environment has no known tools', async () => {
    const id = await newAgent('Scribe')
    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    const other = await createTenant(server)
    for (const api of [scoped.api, key.api, other.owner.api])
      expect((await api.get(`/agents/${id}/reach`)).status).toBe(404)
    await grantAgent(server, tenant.id, scoped.id, id)
    expect((await scoped.api.get(`/agents/${id}/reach`)).status).toBe(200)
    const outside = await addAgent(server, tenant.id, { environmentId: null })
    expect((await owner.get(`/agents/${outside}/reach`)).body).toMatchObject({ data: [], counts: { deny: 0 } })
  })
})

describe('GET /tools/{tool_id}/reach', () => {
  it('200 with the verdict of each agent that the caller sees and that is not archived', async () => {
    const [scribe, other] = [await newAgent('Scribe'), await newAgent('Other')]
    await newAgent('Gone', { status: 'archived' })
    const [{ id }] = (await owner.get('/tools?search=draft')).body.data
    const namesOf = async (query = '', api = owner) =>
      Object.fromEntries(
        (await api.get(`/tools/${id}/reach?${query}`)).body.data.map(({ agent, verdict }: AgentReach) => [
          agent.name,
          verdict,
        ]),
      )
    expect(await namesOf()).toEqual({ Scribe: 'allow', Other: 'deny' })
    expect(await namesOf('verdict=allow')).toEqual({ Scribe: 'allow' })
    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    expect((await scoped.api.get(`/tools/${id}/reach`)).status).toBe(404)
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    expect(await namesOf('', scoped.api)).toEqual({})
    await grantAgent(server, tenant.id, scoped.id, other)
    expect(await namesOf('', scoped.api)).toEqual({ Other: 'deny' })
    expect(scribe).toBeTruthy()
  })

  it('pages by token over many agents, and names each agent once', async () => {
    for (let n = 0; n < 7; n++) await newAgent(n % 2 ? 'Scribe' : `Other ${n}`)
    const [{ id }] = (await owner.get('/tools?search=draft')).body.data
    for (const [verdict, expected] of [
      ['', 7],
      ['&verdict=allow', 3],
      ['&verdict=depends', 0],
    ] as const) {
      const seen: string[] = []
      let token = ''
      do {
        const { body } = await owner.get(`/tools/${id}/reach?page_size=2${verdict}${token}`)
        seen.push(...body.data.map(({ agent }: AgentReach) => agent.id))
        token = body.next_page_token ? `&page_token=${body.next_page_token}` : ''
      } while (token)
      expect(seen).toHaveLength(expected)
      expect(new Set(seen).size).toBe(expected)
    }
  })
})
