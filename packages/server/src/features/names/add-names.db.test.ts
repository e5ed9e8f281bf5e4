import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../db/ids/new-id.ts'
import type { ApiClient } from '../../testing/api-client.ts'
import {
  addAgent,
  addKey,
  addPerson,
  createTenant,
  giveEnvironment,
  grantAgent,
  type TestPerson,
  type TestTenant,
} from '../../testing/arrange.ts'
import { addEdge, addPolicy } from '../../testing/arrange-agents.ts'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()

let tenant: TestTenant
let owner: TestPerson
let policy: string
/** An agent in development, and one in production. */
let agent: string
let other: string
let finding: string

const query = async (text: string, values: unknown[]) => (await server.owner.query(text, values)).rows
const nameOf = async (table: string, id: string): Promise<string> =>
  (await query(`select name from ${table} where tenant_id = $1 and id = $2`, [tenant.id, id]))[0].name

beforeAll(async () => {
  tenant = await createTenant(server)
  owner = await addPerson(server, tenant.id, { role: 'manager', displayName: 'Mira Holt' })
  policy = (await addPolicy(server, tenant.id, { environmentId: tenant.development })).id
  agent = await addAgent(server, tenant.id, {
    environmentId: tenant.development,
    policyId: policy,
    ownerUserId: owner.id,
  })
  other = await addAgent(server, tenant.id, { environmentId: tenant.production, ownerUserId: tenant.owner.id })
  finding = newId()
  const evidence = { running: { policy_id: policy, version: 2 }, edge_id: randomUUID(), note: { id: agent, name: 'x' } }
  await query(
    `insert into findings (tenant_id, id, agent_id, environment_id, type, severity, status, evidence, remediation, opened_at)
     values ($1, $2, $3, $4, 'policy_drift_unapproved', 'high', 'open', $5, '', now()),
       ($1, $6, $7, $8, 'coverage_gap', 'high', 'open', '{}', '', now())`,
    [tenant.id, finding, agent, tenant.development, JSON.stringify(evidence), newId(), other, tenant.production],
  )
  await query(
    `insert into approvals (tenant_id, id, agent_id, environment_id, tool, args_digest, arguments, policy_id, policy_version,
       policy_hash, rule_id, rule_name, reason, request_hash, status, assigned_role, requested_at, expires_at)
     values ($1, $2, $3, $4, 'mcp:a/b', '', $5, $6, 1, '', $7, 'Invented by an edge', '', '', 'pending', 'manager', now(),
       now() + interval '1 hour')`,
    [
      tenant.id,
      newId(),
      agent,
      tenant.development,
      JSON.stringify({ id: owner.id, name: 'Invented by an agent' }),
      policy,
      tenant.owner.id,
    ],
  )
  await addEdge(server, tenant.id, tenant.development)
})

const names = async (api: ApiClient, path: string): Promise<Record<string, string>> => {
  const { status, body } = await api.get(`${path}${path.includes('?') ? '&' : '?'}include=names`)
  expect(status).toBe(200)
  return body.names
}

describe('include=names', () => {
  it('adds the names of users, environments and policies to the list of agents, and nothing else changes', async () => {
    const { api } = tenant.owner
    const plain = (await api.get('/agents')).body
    expect(plain).not.toHaveProperty('names')
    const { names: added, ...rest } = (await api.get('/agents?include=names')).body
    const untimed = (body: unknown) => JSON.stringify(body).replaceAll(/"computed_at":"[^"]+"/g, '')
    expect(untimed(rest)).toBe(untimed(plain))
    expect(added).toEqual({
      [agent]: await nameOf('agents', agent),
      [other]: await nameOf('agents', other),
      [owner.id]: 'Mira Holt',
      [tenant.owner.id]: tenant.owner.email,
      [tenant.development]: 'Development',
      [tenant.production]: 'Production',
      [policy]: await nameOf('policies', policy),
    })
  })

  it('adds them to single reads: JSON that the database wrote, and a response with headers', async () => {
    const { api } = tenant.owner
    expect(await names(api, `/agents/${agent}`)).toMatchObject({ [owner.id]: 'Mira Holt' })
    const answer = await api.get(`/policies/${policy}?include=names`)
    expect(answer.headers.get('etag')).toBe('"1"')
    expect(answer.body.names).toEqual({
      [policy]: await nameOf('policies', policy),
      [tenant.development]: 'Development',
    })
  })

  it('names what the evidence of a finding refers to, and leaves out what does not exist', async () => {
    expect(await names(tenant.owner.api, `/findings?agent_id=${agent}`)).toEqual({
      [agent]: await nameOf('agents', agent),
      [policy]: await nameOf('policies', policy),
    })
  })

  it('takes no name from text that an agent or an edge wrote', async () => {
    const added = await names(tenant.owner.api, '/approvals')
    expect(Object.values(added).filter((name) => name.startsWith('Invented'))).toEqual([])
    expect(added).toMatchObject({ [agent]: await nameOf('agents', agent), [policy]: await nameOf('policies', policy) })
    expect(added).not.toHaveProperty(owner.id)
  })

  it('names environments, creators and resources in the lists of edges, keys, grants and environment access', async () => {
    const { api } = tenant.owner
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    await grantAgent(server, tenant.id, scoped.id, agent)
    await giveEnvironment(server, tenant.id, scoped.id, tenant.production)
    await addKey(server, tenant.id, owner, { environmentId: tenant.development })
    expect(await names(api, '/edges')).toMatchObject({ [tenant.development]: 'Development' })
    expect(await names(api, '/api-keys')).toMatchObject({
      [owner.id]: 'Mira Holt',
      [tenant.development]: 'Development',
    })
    expect(await names(api, `/users/${scoped.id}/grants`)).toEqual({ [agent]: await nameOf('agents', agent) })
    expect(await names(api, `/users/${scoped.id}/environment-access`)).toEqual({ [tenant.production]: 'Production' })
  })

  it('adds them to the printable report only as JSON', async () => {
    const { body: report } = await owner.api.post('/reports', { title: 'Q1' })
    expect(await names(owner.api, '/reports')).toEqual({ [owner.id]: 'Mira Holt' })
    expect(await names(owner.api, `/reports/${report.id}`)).toEqual({ [owner.id]: 'Mira Holt' })
    const page = await owner.api.get(`/reports/${report.id}?include=names`, { accept: 'text/html' })
    expect(page.headers.get('content-type')).toContain('text/html')
  })

  it('400 for an unknown part, and 403 for a key without the scope of the list', async () => {
    const { status, body } = await tenant.owner.api.get('/agents?include=names,secrets')
    expect([status, body.error]).toEqual([400, expect.stringContaining('include must be one or more of')])
    expect(
      (await (await addKey(server, tenant.id, owner, { scopes: ['users:read'] })).api.get('/agents?include=names'))
        .status,
    ).toBe(403)
  })
})

describe('names that a caller may see', () => {
  it('a scoped user learns no name of an environment, a policy or an agent that they do not see', async () => {
    const scoped = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
    await grantAgent(server, tenant.id, scoped.id, other)
    const production = await addPolicy(server, tenant.id, { environmentId: tenant.production })
    const evidence = {
      running: { policy_id: policy },
      approved: { policy_id: production.id },
      items: [{ agent_id: agent }],
    }
    await query(`update findings set evidence = $3 where tenant_id = $1 and agent_id = $2`, [
      tenant.id,
      other,
      JSON.stringify(evidence),
    ])
    expect(await names(scoped.api, '/findings')).toEqual({ [other]: await nameOf('agents', other) })
    expect(Object.keys(await names(tenant.owner.api, '/findings')).sort()).toEqual(
      [agent, other, policy, production.id].sort(),
    )
    await giveEnvironment(server, tenant.id, scoped.id, tenant.production)
    expect(await names(scoped.api, '/findings')).toHaveProperty(production.id)
    expect((await scoped.api.get(`/agents/${agent}?include=names`)).status).toBe(404)
  })

  it('a scoped user without a grant gets an empty list without names', async () => {
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    expect((await scoped.api.get('/agents?include=names')).body).toEqual({ data: [], names: {} })
  })

  it('a bound key learns only names of its environment', async () => {
    const { api } = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    const added = await names(api, '/findings')
    expect(Object.keys(added)).toContain(other)
    expect(Object.keys(added)).not.toContain(agent)
    expect(Object.keys(added)).not.toContain(policy)
  })

  it('an id of another tenant has no name', async () => {
    const stranger = await createTenant(server)
    const foreign = await addAgent(server, stranger.id)
    await query(`update findings set evidence = $3 where tenant_id = $1 and id = $2`, [
      tenant.id,
      finding,
      JSON.stringify({ agent_id: foreign, created_by: stranger.owner.id }),
    ])
    const added = await names(tenant.owner.api, `/findings?agent_id=${agent}`)
    expect(added).toEqual({ [agent]: await nameOf('agents', agent) })
  })

  it('a removed user keeps the name that the audit trail knows', async () => {
    const leaving = await addPerson(server, tenant.id, { role: 'manager', displayName: 'Jo Adler' })
    const gone = randomUUID()
    await query(
      `insert into reviews (tenant_id, id, agent_id, environment_id, kind, status, assigned_role, requested_by, resolved_by, opened_at)
       values ($1, $2, $3, $4, 'attestation', 'attested', 'manager', $5, $6, now())`,
      [tenant.id, newId(), agent, tenant.development, leaving.id, gone],
    )
    expect((await tenant.owner.api.delete(`/users/${leaving.id}`)).status).toBe(204)
    expect(await names(tenant.owner.api, '/reviews')).toEqual({
      [tenant.development]: 'Development',
      [agent]: await nameOf('agents', agent),
      [leaving.id]: 'Jo Adler',
    })
  })
})
