import type { Finding } from '@mandate/contract/agents'
import type { Tool } from '@mandate/contract/tools'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Sql, Tx } from '../../../db/database.ts'
import type { ApiClient } from '../../../testing/api-client.ts'
import { addAgent, auditEntries, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { addEdge } from '../../../testing/arrange-agents.ts'
import { fillAgents } from '../../../testing/fill-agents.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { sweepChangedTools } from './sweep-changed-tools.ts'

const server = useOwnServer()
let tenant: TestTenant
let owner: ApiClient
let edge: ApiClient
let caller: string
let others: string[]
beforeEach(async () => {
  tenant = await createTenant(server)
  owner = tenant.owner.api
  edge = await addEdge(server, tenant.id, tenant.development)
  const match = (tool: string) => ({ tools: [`mcp:files/${tool}`], when: [] })
  const rules = [{ name: 'reading', effect: 'allow', reason: '', enabled: true, priority: 1, match: match('read') }]
  const { body: allows } = await owner.post('/policies', { name: 'p', environment_id: tenant.development, rules })
  const { body: denies } = await owner.post('/policies', { name: 'q', environment_id: tenant.development, rules: [] })
  const agentWith = async (policyId: string | null) => {
    const id = await addAgent(server, tenant.id, { environmentId: tenant.development, status: 'active' })
    await server.owner.query('update agents set policy_id = $2 where id = $1', [id, policyId])
    return id
  }
  caller = await agentWith(allows.id)
  others = [await agentWith(denies.id), await agentWith(null)]
  await report('Reads a file.')
  const { id, latest_hash } = await tool()
  await owner.post(`/tools/${id}/pin`, { definition_hash: latest_hash })
})

const report = async (description: string, api = edge) => {
  const tools = [{ name: 'read', description, annotations: {} }]
  expect((await api.post('/edge/tools', { server: 'files', tools })).status).toBe(202)
}
const tool = async (): Promise<Tool> => (await owner.get('/tools')).body.data[0]
const sweep = (minutes = 0) => sweepChangedTools(server.services, new Date(Date.now() + minutes * 60_000).toISOString())
const findings = async (status = 'open'): Promise<Finding[]> =>
  (await owner.get(`/findings?type=tool_definition_changed&status=${status}`)).body.data

describe('the finding tool_definition_changed', () => {
  it('opens on agents that may call the tool, once, and closes when the definition is pinned', async () => {
    await sweep()
    expect(await findings()).toEqual([])
    await report('Reads any file.')
    await sweep()
    const { id, latest_hash } = await tool()
    const [finding, ...more] = await findings()
    expect(more).toEqual([])
    expect(finding).toMatchObject({
      agent_id: caller,
      severity: 'medium',
      evidence: { items: [{ tool_id: id, tool: 'mcp:files/read', hash: latest_hash }] },
    })
    await sweep()
    expect(await findings()).toHaveLength(1)
    await owner.post(`/tools/${id}/pin`, { definition_hash: latest_hash })
    await report('Reads any file.')
    await sweep()
    expect(await findings()).toEqual([])
    expect((await findings('closed')).map((one) => one.id)).toEqual([finding?.id])
    const types = (await auditEntries(server, tenant.id)).map(({ event_type }) => event_type)
    expect(types.filter((type) => type.startsWith('finding.'))).toEqual(['finding.opened', 'finding.closed'])
  })

  it('has each changed definition, also when a further one is declared', async () => {
    await report('Reads any file.')
    await sweep()
    await report('Reads all files.', await addEdge(server, tenant.id, tenant.development))
    await sweep()
    const [finding] = await findings()
    expect(finding?.evidence.items).toHaveLength(2)
  })

  it('closes when the tool is blocked, when `tool_pinning` is off, and after 24 hours without the declaration', async () => {
    await report('Reads any file.')
    const { id } = await tool()
    const opens = async () => {
      await sweep()
      expect(await findings()).toHaveLength(1)
    }
    const closes = async (minutes = 0) => {
      await sweep(minutes)
      expect(await findings()).toEqual([])
    }
    await opens()
    await owner.post(`/tools/${id}/block`, { reason: 'no' })
    await closes()
    await owner.post(`/tools/${id}/unblock`)
    await opens()
    await owner.put(`/environments/${tenant.development}`, { tool_pinning: 'off' })
    await closes()
    await owner.put(`/environments/${tenant.development}`, { tool_pinning: 'enforce' })
    await opens()
    await closes(25 * 60)
  })

  it('follows policies, freezes and the state of agents within a minute, and agents that move or are archived', async () => {
    const holders = async (minutes: number) => {
      await sweep(minutes)
      return (await findings()).map(({ agent_id }) => agent_id).sort()
    }
    await report('Reads any file.')
    expect(await holders(0)).toEqual([caller])
    const [{ policy_id }] = (await server.owner.query('select policy_id from agents where id = $1', [caller])).rows
    await server.owner.query('update agents set policy_id = $2 where id = $1', [others[0], policy_id])
    expect(await holders(1)).toEqual([caller, others[0]].sort())
    const { body: document } = await owner.get(`/policies/${policy_id}`)
    const save = (rules: object[]) => owner.put(`/policies/${policy_id}/document`, { ...document, rules })
    expect((await save([])).status).toBe(200)
    expect(await holders(2)).toEqual([])
    expect((await save(document.rules)).status).toBe(200)
    expect(await holders(3)).toEqual([caller, others[0]].sort())
    const freeze = await owner.post('/freezes', { scope: 'agent', agent_id: others[0], reason: 'test' })
    expect(freeze.status).toBe(201)
    expect(await holders(4)).toEqual([caller])
    expect((await owner.post(`/freezes/${freeze.body.id}/lift`, { reason: 'test' })).status).toBe(200)
    await owner.post(`/agents/${caller}/suspend`)
    expect(await holders(5)).toEqual([others[0]])
    await owner.post(`/agents/${caller}/resume`)
    expect(await holders(6)).toEqual([caller, others[0]].sort())
    await server.owner.query('update agents set environment_id = $2 where id = $1', [caller, tenant.production])
    await owner.delete(`/agents/${others[0]}`)
    await sweep(7)
    expect(await findings()).toEqual([])
  })

  it('looks again only at agents that changed: statements and rows do not grow with the others', async () => {
    const [{ policy_id: policyId }] = (await server.owner.query('select policy_id from agents where id = $1', [caller]))
      .rows
    await report('Reads any file.')
    await sweep()
    // Runs the job after one agent got the policy.
    const costWith = async (count: number, minutes: number) => {
      await fillAgents(server, tenant.id, { count, environmentId: tenant.development, policyId })
      await sweep(minutes)
      const moved = await addAgent(server, tenant.id, { environmentId: tenant.development, status: 'active', policyId })
      const { services, cost } = countedFor(tenant.id)
      await sweepChangedTools(services, new Date(Date.now() + (minutes + 1) * 60_000).toISOString())
      expect((await findings()).map(({ agent_id }) => agent_id)).toContain(moved)
      return cost
    }
    const few = await costWith(3, 1)
    await server.owner.query(`delete from agents where tenant_id = $1 and name like 'agent %'`, [tenant.id])
    const many = await costWith(300, 3)
    expect(many.statements).toBeLessThanOrEqual(few.statements)
    expect(many.rows).toBeLessThanOrEqual(few.rows)
    const { services, cost } = countedFor(tenant.id)
    await sweepChangedTools(services, new Date(Date.now() + 5 * 60_000).toISOString())
    expect(cost.statements).toBeLessThan(10)
  })

  it('follows a name that the policy asks for, and more states of agents than are told apart', async () => {
    const when = [{ path: 'agent.name', op: 'eq', value: 'Reader' }]
    const match = { tools: ['mcp:files/read'], when }
    const { body: asks } = await owner.post('/policies', {
      name: 'r',
      rules: [{ priority: 1, effect: 'allow', match }],
    })
    const [reader = '', other = ''] = others
    await server.owner.query('update agents set policy_id = $2 where id = any($1)', [others, asks.id])
    await report('Reads any file.')
    const holders = async (minutes: number) => {
      await sweep(minutes)
      return (await findings()).map(({ agent_id }) => agent_id).sort()
    }
    expect(await holders(0)).toEqual([caller])
    await owner.put(`/agents/${reader}`, { name: 'Reader' })
    expect(await holders(1)).toEqual([caller, reader].sort())
    await owner.put(`/agents/${reader}`, { name: 'Writer' })
    await owner.put(`/agents/${other}`, { name: 'Reader' })
    expect(await holders(2)).toEqual([caller, other].sort())
    // Each of these agents has a policy of its own, without rules.
    await server.owner.query(
      `insert into policies (tenant_id, id, name, version, content_hash, created_at, updated_at)
       select $1, gen_random_uuid(), 'own ' || n, 1, '', now(), now() from generate_series(1, 1001) n`,
      [tenant.id],
    )
    await server.owner.query(
      `insert into agents (tenant_id, id, name, status, source, governance_state, lifecycle_status, environment_id, policy_id, created_at, updated_at)
       select $1, gen_random_uuid(), name, 'active', 'runtime', 'governed', 'approved', $2, id, now(), now() from policies
       where tenant_id = $1 and name like 'own %'`,
      [tenant.id, tenant.development],
    )
    await owner.put(`/agents/${reader}`, { name: 'Reader' })
    expect(await holders(3)).toEqual([caller, reader, other].sort())
    await server.owner.query('update agents set policy_id = null where id = $1', [reader])
    expect(await holders(4)).toEqual([caller, other].sort())
    await owner.post(`/agents/${caller}/suspend`)
    expect(await holders(5)).toEqual([other])
  })
})

/** Returns services that count the statements that the job sends for a tenant, and the rows that it gets. */
function countedFor(tenantId: string) {
  const cost = { statements: 0, rows: 0 }
  const { db } = server.services
  const counted = <S extends Sql>(sql: S): S => {
    if (sql.tenantId !== tenantId) return sql
    const all: Sql['all'] = async (statement) => {
      const rows = await sql.all(statement)
      cost.statements++
      cost.rows += rows.length
      return rows
    }
    return {
      ...sql,
      all,
      maybe: async (statement) => (await all(statement))[0],
      one: async (statement) => (await all(statement))[0],
    } as S
  }
  const countedDb = Object.create(db, {
    reader: { value: (id: string) => counted(db.reader(id)) },
    global: { value: db.global },
    transaction: {
      value: (id: string, work: (tx: Tx) => Promise<unknown>) => db.transaction(id, (tx) => work(counted(tx))),
    },
  })
  const services: typeof server.services = Object.create(server.services, { db: { value: countedDb } })
  return { services, cost }
}
