import { randomUUID } from 'node:crypto'
import { newId } from '../../db/ids/new-id.ts'
import { digest, newLinkToken } from '../../security/credentials.ts'
import type { ApiClient } from '../../testing/api-client.ts'
import {
  addAgent,
  addKey,
  addPerson,
  createTenant,
  giveEnvironment,
  grantAgent,
  type NewAgent,
  type TestTenant,
} from '../../testing/arrange.ts'
import type { TestServer } from '../../testing/start-test-server.ts'
import { addDelegation, createWorld, credentials, giveScopedUsersAccess } from '../world.ts'

/** A client, and the environment in which it can create rows. */
export interface Caller {
  name: string
  api: ApiClient
  environmentId: string
}

/** A tenant with rows in their various states, and callers of every kind. */
export interface Scene {
  tenant: TestTenant
  callers: Caller[]
  /** By environment: a policy and an agent of this environment. */
  policyIn: Record<string, string>
  agentIn: Record<string, string>
  /** By user: a grant on the agent of each environment, and an access entry for it. */
  grantOf: (userId: string, environmentId: string) => string
  accessOf: (userId: string, environmentId: string) => string
}

const later = '2999-01-01T00:00:00.000Z'
const earlier = '2020-01-01T00:00:00.000Z'
const skipped = [
  'nothing',
  'nonsense',
  'unknown_key',
  'revoked_key',
  'expired_key',
  'removed_user',
  'agent_key',
  'edge_key',
]

/** A tenant with users of every role. It has one owner who can act, so this owner is the last one. */
export async function createFullScene(server: TestServer): Promise<Scene> {
  const world = await createWorld(server)
  await giveScopedUsersAccess(server, world)
  const { tenant } = world
  const people = await peopleOf(server, tenant.id)
  const manager = people('manager', 'all')
  const keys = {
    manager_key: await addKey(server, tenant.id, manager),
    manager_bound_key: await addKey(server, tenant.id, manager, { environmentId: tenant.development }),
    owner_every_scope_key: await addKey(server, tenant.id, tenant.owner, { scopes: ['*:*'] }),
    owner_expiring_key: await addKey(server, tenant.id, tenant.owner, { expiresAt: '2900-01-01T00:00:00.000Z' }),
    owner_one_resource_key: await addKey(server, tenant.id, tenant.owner, { scopes: ['agents:*', 'users:read'] }),
  }
  const environmentOf = (name: string) => (name === 'owner_foreign_bound_key' ? tenant.production : tenant.development)
  const callers = [
    ...credentials.filter((name) => !skipped.includes(name)).map((name) => [name, world.as[name]] as const),
    ...Object.entries(keys).map(([name, { api }]) => [name, api] as const),
  ].map(([name, api]) => ({ name, api, environmentId: environmentOf(name) }))
  return await fill(server, tenant, callers)
}

/** A tenant whose only user is its owner. */
export async function createLonelyScene(server: TestServer): Promise<Scene> {
  const tenant = await createTenant(server)
  const { owner, development } = tenant
  const key = await addKey(server, tenant.id, owner)
  const callers = [
    { name: 'only_owner', api: owner.api, environmentId: development },
    { name: 'only_owner_key', api: key.api, environmentId: development },
  ]
  return await fill(server, tenant, callers)
}

/** A tenant with two owners, and with no other user who could decide in place of a manager. */
export async function createTwoOwnersScene(server: TestServer): Promise<Scene> {
  const tenant = await createTenant(server)
  const second = await addPerson(server, tenant.id, { role: 'owner' })
  const manager = await addPerson(server, tenant.id, { role: 'manager' })
  const callers = [tenant.owner, second, manager].map(({ api }, index) => ({
    name: ['first_owner', 'second_owner', 'manager'][index] as string,
    api,
    environmentId: tenant.development,
  }))
  return await fill(server, tenant, callers)
}

async function peopleOf(server: TestServer, tenantId: string) {
  const { rows } = await server.owner.query<{ id: string; role: string; access_scope: string; academy_only: boolean }>(
    'select id, role, access_scope, academy_only from users where tenant_id = $1 order by id',
    [tenantId],
  )
  return (role: string, scope: string) => {
    const found = rows.find((row) => row.role === role && row.access_scope === scope && !row.academy_only)
    return found ?? (rows.find((row) => row.role === 'owner') as { id: string })
  }
}

async function fill(server: TestServer, tenant: TestTenant, callers: Caller[]): Promise<Scene> {
  const { id: tenantId, development, production, owner } = tenant
  const insert = inserter(server, tenantId)
  const other = newId()
  const now = new Date().toISOString()
  await insert('environments', { id: other, name: 'Other', slug: 'other', created_at: now })
  await insert('environments', { id: newId(), name: 'Empty', slug: 'empty', created_at: now })
  const policyOf = async (environmentId: string | null, name = 'policy of the scene') => {
    const rule = { name: 'stop', priority: 10, effect: 'deny', match: { tools: ['mcp:files/delete'], when: [] } }
    const sent = { name, environment_id: environmentId, rules: [rule] }
    return (await owner.api.post('/policies', sent)).body.id as string
  }
  const policyIn = {
    [development]: await policyOf(development),
    [production]: await policyOf(production),
    [other]: await policyOf(other),
  }
  const everywhere = await policyOf(null)
  await policyOf(development, 'unused')
  const agent = (rest: NewAgent = {}) =>
    addAgent(server, tenantId, { environmentId: development, policyId: policyIn[development] ?? null, ...rest })
  const inProduction: NewAgent = { environmentId: production, policyId: policyIn[production] ?? null }
  const agentIn = { [development]: await agent(), [production]: await agent(inProduction) }
  const people = await peopleOf(server, tenantId)
  const manager = people('manager', 'all')
  const scopedManager = people('manager', 'scoped')

  await Promise.all([
    agent({ status: 'suspended' }),
    agent({ status: 'archived' }),
    agent({ lifecycleStatus: 'proposed', policyId: everywhere }),
    agent({ lifecycleStatus: 'retired', environmentId: other, policyId: policyIn[other] ?? null }),
    agent({
      source: 'github',
      governanceState: 'discovered',
      lifecycleStatus: 'proposed',
      environmentId: null,
      policyId: null,
    }),
    agent({ governanceState: 'suppressed' }),
  ])
  await addReviews(insert, { agent, inProduction, requesters: [owner.id, manager.id, scopedManager.id] })
  await addFindings(insert, { agent, inProduction })
  await addApprovals(insert, { agent, inProduction, owners: [owner.id, manager.id, scopedManager.id] })
  await addUsers(server, tenantId)
  await addKeys(server, tenant, people('member', 'scoped'), people('viewer', 'all'))
  await addReports(insert, tenant, people('member', 'all').id)
  for (const kind of ['github', 'salesforce']) {
    await insert('platforms', { id: newId(), kind, name: kind, config: '{"organization":"engines"}', created_at: now })
  }
  for (const environment_id of [development, production, other]) {
    const dates = { created_at: now, updated_at: now }
    const row = {
      id: newId(),
      environment_id,
      name: 'wiki',
      kind: 'bearer',
      secret_sealed: '',
      version: 1,
      ...dates,
    }
    await insert('credentials', row)
    const hash = 'a'.repeat(64)
    const seen = { first_seen_at: now, last_seen_at: now }
    const tool = { id: newId(), environment_id, tool: 'mcp:wiki/read', server: 'wiki', name: 'read', latest_hash: hash }
    await insert('tools', { ...tool, changed_in: 1, ...seen })
    await insert('tool_definitions', { tool_id: tool.id, hash, definition: '{"name":"read"}', ...seen })
  }
  await insert('content_patterns', {
    id: newId(),
    name: 'project',
    group_name: 'internal',
    kind: 'words',
    words: '{falcon}',
    created_at: now,
  })
  await addFreezes(insert, tenant, [await agent(), await agent(inProduction)], other)
  await addDelegations(insert, tenant, agentIn, people('member', 'all'))
  await letScopedUsersSee(server, tenantId, [development, production])
  await addWiderReport(agent, tenant)
  const { grants, access } = await giveEveryUser(server, tenantId, agentIn)
  return {
    tenant,
    callers,
    policyIn,
    agentIn,
    grantOf: (userId, environmentId) => grants.get(`${userId} ${agentIn[environmentId]}`) ?? randomUUID(),
    accessOf: (userId, environmentId) => access.get(`${userId} ${environmentId}`) ?? randomUUID(),
  }
}

type Insert = (table: string, row: Record<string, unknown>) => Promise<void>

function inserter(server: TestServer, tenantId: string): Insert {
  return async (table, row) => {
    const columns = Object.keys(row)
    const marks = columns.map((_, index) => `$${index + 2}`).join(', ')
    const text = `insert into ${table} (tenant_id, ${columns.join(', ')}) values ($1, ${marks})`
    await server.owner.query(text, [tenantId, ...Object.values(row)])
  }
}

/** Delegations of an owner and of a member: active ones, one that ended, and one that expired. */
async function addDelegations(
  insert: Insert,
  { owner, development, production }: TestTenant,
  agentIn: Readonly<Record<string, string>>,
  member: { id: string },
): Promise<void> {
  for (const environment_id of [development, production])
    for (const subject of [owner, member])
      await addDelegation(insert, { environment_id, agent_id: agentIn[environment_id] as string, subject })
  const held = { environment_id: development, agent_id: agentIn[development] as string, subject: member }
  await addDelegation(insert, held, { ended_at: new Date().toISOString(), ended_because: 'revoked' })
  await addDelegation(insert, held, { expires_at: earlier })
}

interface Agents {
  agent: (rest?: NewAgent) => Promise<string>
  inProduction: NewAgent
}

async function addReviews(insert: Insert, { agent, inProduction, requesters }: Agents & { requesters: string[] }) {
  const now = new Date().toISOString()
  const review = (agentId: string, rest: Record<string, unknown> = {}) =>
    insert('reviews', {
      id: newId(),
      agent_id: agentId,
      kind: 'onboarding',
      status: 'pending',
      assigned_role: 'manager',
      opened_at: now,
      ...rest,
    })
  for (const requested_by of requesters) {
    await review(await agent(), { requested_by })
    await review(await agent(inProduction), { requested_by, assigned_role: 'owner' })
  }
  const proposed = await agent({ ...inProduction, lifecycleStatus: 'proposed' })
  await review(proposed, { kind: 'attestation' })
  const twice = await agent()
  await review(twice, { kind: 'attestation' })
  await review(twice, { assigned_role: 'owner' })
  await review(await agent(), { status: 'approved', resolved_at: now })
  await review(await agent(), { status: 'superseded', resolved_at: now })
  await review(await agent(), { kind: 'change' })
  for (const running of ['a', 'b']) {
    const agentId = await agent()
    const policyId = newId()
    await insert('agent_runtime', {
      agent_id: agentId,
      last_heartbeat_at: now,
      running_policy_id: policyId,
      running_version: 1,
      running_hash: running.repeat(64),
      reported_at: now,
    })
    await insert('findings', {
      id: newId(),
      agent_id: agentId,
      type: 'policy_drift_unapproved',
      severity: 'medium',
      status: 'open',
      evidence: JSON.stringify({ running: { policy_id: policyId, content_hash: 'a'.repeat(64) } }),
      remediation: '',
      opened_at: now,
    })
    await review(agentId, { kind: 'change' })
  }
}

/** Findings that can be accepted, and findings that cannot. */
async function addFindings(insert: Insert, { agent, inProduction }: Agents): Promise<void> {
  const now = new Date().toISOString()
  const gap = (agentId: string, rest: Record<string, unknown> = {}) =>
    insert('findings', {
      id: newId(),
      agent_id: agentId,
      type: 'decision_gap',
      severity: 'medium',
      status: 'open',
      evidence: JSON.stringify({ items: [] }),
      remediation: '',
      opened_at: now,
      ...rest,
    })
  await gap(await agent())
  await gap(await agent(inProduction), { severity: 'high' })
  await gap(await agent(), { status: 'closed', closed_at: now })
}

async function addApprovals(insert: Insert, { agent, inProduction, owners }: Agents & { owners: string[] }) {
  const hash = 'a'.repeat(64)
  const approval = (agentId: string, rest: Record<string, unknown> = {}) =>
    insert('approvals', {
      id: newId(),
      agent_id: agentId,
      tool: 'mcp:files/delete',
      args_digest: hash,
      policy_id: newId(),
      policy_version: 1,
      policy_hash: hash,
      reason: '',
      request_hash: hash,
      status: 'pending',
      assigned_role: 'manager',
      requested_at: new Date().toISOString(),
      expires_at: later,
      ...rest,
    })
  for (const ownerUserId of owners) {
    await approval(await agent({ ownerUserId }))
    await approval(await agent({ ...inProduction, ownerUserId }), { assigned_role: 'owner' })
  }
  const agentId = await agent()
  await approval(agentId)
  await approval(agentId, { expires_at: earlier })
  for (const status of ['approved', 'rejected', 'consumed', 'expired']) await approval(agentId, { status })
}

/** Drills, lifted freezes, and active freezes whose targets other rows do not use. */
async function addFreezes(insert: Insert, tenant: TestTenant, agents: string[], environmentId: string): Promise<void> {
  const now = new Date().toISOString()
  const freeze = (scope: string, target_id: string, rest: Record<string, unknown> = {}) =>
    insert('freezes', {
      id: newId(),
      scope,
      target_id,
      name: 'target',
      reason: '',
      drill: false,
      agents: 1,
      created_at: now,
      audit_entry_id: newId(),
      edges_total: 0,
      ...rest,
    })
  const lifted = { lifted_at: now, is_open: false }
  for (const agent of agents) await freeze('agent', agent)
  await freeze('environment', environmentId, { environment_id: environmentId })
  for (const rest of [{ drill: true }, lifted]) {
    await freeze('environment', tenant.development, { environment_id: tenant.development, ...rest })
    await freeze('organization', tenant.id, rest)
  }
}

async function addUsers(server: TestServer, tenantId: string): Promise<void> {
  const learner = { role: 'viewer', academyOnly: true } as const
  await addPerson(server, tenantId, learner)
  await addPerson(server, tenantId, { ...learner, status: 'pending' })
  await addPerson(server, tenantId, { ...learner, role: 'owner' })
  await addPerson(server, tenantId, { role: 'member', status: 'pending' })
  await addPerson(server, tenantId, { role: 'owner', status: 'pending' })
  await addPerson(server, tenantId, { role: 'manager' })
}

async function addKeys(server: TestServer, tenant: TestTenant, scoped: { id: string }, viewer: { id: string }) {
  const { id, owner, development, production } = tenant
  await addKey(server, id, owner, { environmentId: production })
  await addKey(server, id, owner, { expiresAt: earlier })
  await addKey(server, id, owner, { environmentId: production, expiresAt: later, scopes: ['agents:read'] })
  await addKey(server, id, scoped, { environmentId: development })
  await addKey(server, id, viewer, { environmentId: development })
  const revoked = await addKey(server, id, owner, { environmentId: development })
  const text = 'update api_keys set revoked_at = now() where tenant_id = $1 and id = $2'
  await server.owner.query(text, [id, revoked.id])
}

async function addReports(insert: Insert, tenant: TestTenant, memberId: string): Promise<void> {
  const now = new Date().toISOString()
  const nothing = { agents: [], policies: [], approvals: [], drift: [], coverage: [], findings: [] }
  const counts = { agents: 0, policies: 0, approvals: 0, drift: 0, coverage: {}, findings: 0 }
  const empty = JSON.stringify({ organization: tenant.name, environment: null, counts, ...nothing })
  const report = async (rest: Record<string, unknown>) => {
    const [id, linkId] = [newId(), newId()]
    await insert('reports', { id, title: 'report', created_at: now, snapshot: empty, ...rest })
    const link = { id: linkId, report_id: id, token_hash: digest(newLinkToken()), created_at: now }
    await insert('report_share_links', link)
  }
  for (const generated_by of [tenant.owner.id, memberId]) {
    await report({ environment_id: tenant.development, generated_by })
    await report({ environment_id: null, generated_by })
  }
  const running = { status: 'running', progress_percent: 10, snapshot: null }
  await report({ environment_id: tenant.development, generated_by: memberId, ...running })
}

/** A report with an agent that scoped users do not see, and with a policy that bound keys do not see. */
async function addWiderReport(agent: Agents['agent'], { owner, development }: TestTenant): Promise<void> {
  await agent()
  const { body: report } = await owner.api.post('/reports', { environment_id: development })
  const { status } = await owner.api.post(`/reports/${report.id}/share-links`, {})
  if (status !== 201) throw new Error(`the report was not shared: ${status}`)
}

/** Lets scoped users see every agent, and the given environments. They have no access to the other environments. */
async function letScopedUsersSee(server: TestServer, tenantId: string, environmentIds: string[]): Promise<void> {
  const { rows } = await server.owner.query(`select id from users where tenant_id = $1 and access_scope = 'scoped'`, [
    tenantId,
  ])
  const { rows: agents } = await server.owner.query('select id from agents where tenant_id = $1', [tenantId])
  for (const { id } of rows) {
    await server.owner.query('delete from agent_grants where tenant_id = $1 and user_id = $2', [tenantId, id])
    await server.owner.query('delete from environment_access where tenant_id = $1 and user_id = $2', [tenantId, id])
    for (const agent of agents) await grantAgent(server, tenantId, id, agent.id)
    for (const environmentId of environmentIds) await giveEnvironment(server, tenantId, id, environmentId)
  }
}

/** Gives every user a grant and an access entry for each environment, so that they can be revoked. */
async function giveEveryUser(server: TestServer, tenantId: string, agentIn: Record<string, string>) {
  const { rows: users } = await server.owner.query('select id from users where tenant_id = $1', [tenantId])
  const again = 'on conflict do nothing'
  for (const { id } of users) {
    for (const [environmentId, agentId] of Object.entries(agentIn)) {
      const grant = `insert into agent_grants (tenant_id, id, user_id, agent_id, created_at) values ($1, $2, $3, $4, now()) ${again}`
      await server.owner.query(grant, [tenantId, newId(), id, agentId])
      const access = `insert into environment_access (tenant_id, id, user_id, environment_id, created_at)
        values ($1, $2, $3, $4, now()) ${again}`
      await server.owner.query(access, [tenantId, newId(), id, environmentId])
    }
  }
  const idsBy = async (table: string, of: string) => {
    const text = `select id, user_id || ' ' || ${of} as key from ${table} where tenant_id = $1`
    const { rows } = await server.owner.query(text, [tenantId])
    return new Map(rows.map(({ key, id }) => [key as string, id as string]))
  }
  return {
    grants: await idsBy('agent_grants', 'agent_id'),
    access: await idsBy('environment_access', 'environment_id'),
  }
}
