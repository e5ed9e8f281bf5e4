import { randomUUID } from 'node:crypto'
import type { Role } from '@mandate/contract/words/roles'
import { contentHash } from '@mandate/proofs/canonical'
import { newId } from '../db/ids/new-id.ts'
import { secretContext } from '../features/credentials/rules.ts'
import { digest, newCredential, newLinkToken } from '../security/credentials.ts'
import { type ApiClient, apiClient } from '../testing/api-client.ts'
import {
  addAgent,
  addKey,
  addPerson,
  createTenant,
  giveEnvironment,
  grantAgent,
  type TestKey,
  type TestPerson,
  type TestTenant,
} from '../testing/arrange.ts'
import { SigningEdge } from '../testing/signing-edge.ts'
import type { TestServer } from '../testing/start-test-server.ts'

/**
 * The test data: a tenant with one row of every kind that a path parameter can name, and with one credential of every kind.
 */
export interface World {
  tenant: TestTenant
  /** The ids for path parameters, by the name of the parameter. */
  ids: Record<string, string>
  /** A client for each kind of credential. */
  as: Record<Credential, ApiClient>
  /** The credentials as text. */
  raw: Record<Credential, string | undefined>
  people: Record<'member' | 'target' | 'learner', TestPerson>
}

export const credentials = [
  'nothing',
  'nonsense',
  'unknown_key',
  'revoked_key',
  'expired_key',
  'removed_user',
  'agent_key',
  'edge_key',
  'learner',
  'viewer',
  'member',
  'scoped_member',
  'scoped_manager',
  'manager',
  'owner',
  'read_only_owner',
  'viewer_key',
  'owner_key',
  'read_only_owner_key',
  'owner_read_only_key',
  'owner_other_scope_key',
  'owner_bound_key',
  'owner_foreign_bound_key',
] as const
export type Credential = (typeof credentials)[number]

export async function createWorld(server: TestServer): Promise<World> {
  const tenant = await createTenant(server)
  const { id, owner } = tenant
  const person = (role: Role, rest = {}) => addPerson(server, id, { role, ...rest })
  const [viewer, member, manager, scopedMember, scopedManager, learner, removed, target, readOnly] = await Promise.all([
    person('viewer'),
    person('member'),
    person('manager'),
    person('member', { accessScope: 'scoped' }),
    person('manager', { accessScope: 'scoped' }),
    person('viewer', { academyOnly: true }),
    person('member'),
    person('viewer'),
    person('owner', { readOnly: true }),
  ])
  const things = await addThings(server, tenant, target)
  const edge = await addEdge(server, tenant)
  const decisionId = await addDecision(apiClient(server.url, edge.raw), things)
  const report = await addReport(server, tenant)
  const sessionId = await addSession(server, owner)
  const agentKey = await giveAgentKey(server, id, things.agent_id)
  // The instance of the examples has sent a heartbeat with each key.
  await server.owner.query(
    `insert into edge_instances (tenant_id, credential_id, instance_id, seq, seen_at, agents, environment_id)
     select $1, unnest($2::uuid[]), 'edge-1', 0, now(), 1, $3`,
    [id, [edge.id, things.agent_id], tenant.development],
  )
  await server.owner.query('delete from users where tenant_id = $1 and id = $2', [id, removed.id])
  const bound = tenant.development
  const keys: Record<string, TestKey> = {
    revoked_key: await addKey(server, id, owner),
    expired_key: await addKey(server, id, owner, { expiresAt: '2020-01-01T00:00:00.000Z' }),
    viewer_key: await addKey(server, id, viewer),
    owner_key: await addKey(server, id, owner),
    read_only_owner_key: await addKey(server, id, readOnly),
    owner_read_only_key: await addKey(server, id, owner, { scopes: ['*:read'] }),
    owner_other_scope_key: await addKey(server, id, owner, { scopes: ['nothing-of-the-kind:*'] }),
    owner_bound_key: await addKey(server, id, owner, { environmentId: bound }),
    owner_foreign_bound_key: await addKey(server, id, owner, { environmentId: tenant.production }),
  }
  await server.owner.query('update api_keys set revoked_at = now() where tenant_id = $1 and id = $2', [
    id,
    keys.revoked_key?.id,
  ])
  const rawOf = (name: string) => keys[name]?.raw
  const raw: World['raw'] = {
    nothing: undefined,
    nonsense: 'nonsense',
    unknown_key: newCredential('mk'),
    revoked_key: rawOf('revoked_key'),
    expired_key: rawOf('expired_key'),
    removed_user: removed.accessToken,
    agent_key: agentKey,
    edge_key: edge.raw,
    learner: learner.accessToken,
    viewer: viewer.accessToken,
    member: member.accessToken,
    scoped_member: scopedMember.accessToken,
    scoped_manager: scopedManager.accessToken,
    manager: manager.accessToken,
    owner: owner.accessToken,
    read_only_owner: readOnly.accessToken,
    viewer_key: rawOf('viewer_key'),
    owner_key: rawOf('owner_key'),
    read_only_owner_key: rawOf('read_only_owner_key'),
    owner_read_only_key: rawOf('owner_read_only_key'),
    owner_other_scope_key: rawOf('owner_other_scope_key'),
    owner_bound_key: rawOf('owner_bound_key'),
    owner_foreign_bound_key: rawOf('owner_foreign_bound_key'),
  }
  const as = Object.fromEntries(credentials.map((name) => [name, apiClient(server.url, raw[name])])) as World['as']
  const ids = {
    id,
    user_id: target.id,
    edge_id: edge.id,
    decision_id: decisionId,
    session_id: sessionId,
    provider_id: 'provider-none',
    ...report,
    ...things,
  }
  return { tenant, ids, as, raw, people: { member, target, learner } }
}

/** Inserts the objects that path parameters of the API refer to, for example an agent for `agent_id`. Returns their ids. */
async function addThings(server: TestServer, tenant: TestTenant, target: TestPerson) {
  const { id, development } = tenant
  const now = new Date().toISOString()
  const insert = async (table: string, row: Record<string, unknown>) => {
    const columns = Object.keys(row)
    const marks = columns.map((_, index) => `$${index + 2}`).join(', ')
    await server.owner.query(`insert into ${table} (tenant_id, ${columns.join(', ')}) values ($1, ${marks})`, [
      id,
      ...Object.values(row),
    ])
  }
  const policyId = newId()
  const ruleId = newId()
  const rule = { id: ruleId, name: 'stop', priority: 10, enabled: true, effect: 'deny', reason: '' }
  const match = { tools: ['mcp:files/delete'], when: [] }
  const fields = { name: 'policy', description: '', environment_id: development, override_mode: 'inherit' }
  const snapshot = { ...fields, default_effect: 'deny', dlp_enabled: false, rules: [{ ...rule, match }] }
  const contentHashOfIt = contentHash(snapshot)
  await insert('policies', {
    id: policyId,
    ...fields,
    version: 1,
    content_hash: contentHashOfIt,
    created_at: now,
    updated_at: now,
  })
  await insert('policy_rules', { ...rule, policy_id: policyId, match: JSON.stringify(match) })
  await insert('policy_versions', {
    policy_id: policyId,
    version: 1,
    produced_by: 'created',
    saved_by: JSON.stringify({ user_id: tenant.owner.id, display_name: '', email: tenant.owner.email }),
    saved_at: now,
    change_summary: JSON.stringify({ fields: [], rules_added: 0, rules_removed: 0, rules_changed: 0 }),
    change_class: 'neutral',
    snapshot: JSON.stringify(snapshot),
    content_hash: contentHashOfIt,
  })
  await insert('content_bindings_versions', {
    policy_id: policyId,
    version: 1,
    bindings: '[]',
    pattern_hashes: [],
    content_hash: '',
    saved_by: JSON.stringify({ user_id: tenant.owner.id, display_name: '', email: tenant.owner.email }),
    saved_at: now,
  })
  await server.owner.query(`update policies set bindings_version = 1, bindings_hash = '' where id = $1`, [policyId])
  const patternId = newId()
  const pattern = { name: 'pattern', group_name: 'group', kind: 'regex', expression: 'a' }
  await insert('content_patterns', { id: patternId, ...pattern, created_at: now })
  const definition = { id: patternId, name: 'pattern', group: 'group', kind: 'regex', expression: 'a', builtin: false }
  await insert('content_pattern_revisions', {
    hash: 'b'.repeat(64),
    pattern_id: patternId,
    name: 'pattern',
    definition: JSON.stringify(definition),
  })
  const agentId = await addAgent(server, id, { environmentId: development, policyId })
  const [grantId, accessId] = [newId(), newId()]
  await insert('agent_grants', { id: grantId, user_id: target.id, agent_id: agentId, created_at: now })
  const entry = { id: accessId, user_id: target.id, environment_id: development, created_at: now }
  await insert('environment_access', entry)
  const reviewId = newId()
  await insert('reviews', {
    id: reviewId,
    agent_id: agentId,
    kind: 'onboarding',
    status: 'pending',
    assigned_role: 'manager',
    requested_by: target.id,
    opened_at: now,
  })
  const findingId = newId()
  await insert('findings', {
    id: findingId,
    agent_id: agentId,
    type: 'decision_gap',
    severity: 'medium',
    status: 'open',
    evidence: '{}',
    remediation: '',
    opened_at: now,
  })
  const approvalId = newId()
  const hash = 'a'.repeat(64)
  await insert('approvals', {
    id: approvalId,
    agent_id: agentId,
    tool: 'mcp:files/delete',
    args_digest: hash,
    policy_id: policyId,
    policy_version: 1,
    policy_hash: hash,
    reason: '',
    request_hash: hash,
    status: 'pending',
    assigned_role: 'manager',
    requested_at: now,
    expires_at: '2999-01-01T00:00:00.000Z',
  })
  const freezeId = newId()
  await insert('freezes', {
    id: freezeId,
    scope: 'agent',
    target_id: await addAgent(server, id, { environmentId: development, policyId }),
    environment_id: development,
    name: 'agent',
    reason: '',
    drill: false,
    agents: 1,
    created_by: target.id,
    created_at: now,
    audit_entry_id: newId(),
    edges_total: 0,
  })
  const key = await addKey(server, id, tenant.owner, { environmentId: development })
  // The platform has no secret. Its synchronization therefore fails before it would use the network.
  const platformId = newId()
  const config = JSON.stringify({ organization: 'engines' })
  await insert('platforms', { id: platformId, kind: 'github', name: 'platform', config, created_at: now })
  const credentialId = newId()
  const sealed = server.services.vault.seal('token', secretContext(id, credentialId))
  await insert('credentials', {
    id: credentialId,
    environment_id: development,
    name: 'tickets',
    kind: 'header',
    config: JSON.stringify({ header: 'X-Api-Key' }),
    secret_sealed: sealed,
    version: 1,
    created_at: now,
    updated_at: now,
  })
  const toolId = await addTool(insert, development)
  const delegationId = await addDelegation(insert, {
    environment_id: development,
    agent_id: agentId,
    subject: tenant.owner,
  })
  return {
    environment_id: development,
    tool_id: toolId,
    credential_id: credentialId,
    name: 'tickets',
    policy_id: policyId,
    rule_id: ruleId,
    pattern_id: patternId,
    version: '1',
    agent_id: agentId,
    grant_id: grantId,
    access_id: accessId,
    review_id: reviewId,
    finding_id: findingId,
    approval_id: approvalId,
    freeze_id: freezeId,
    delegation_id: delegationId,
    other_agent_id: await addAgent(server, id, { environmentId: development, policyId }),
    key_id: key.id,
    platform_id: platformId,
  }
}

type Insert = (table: string, row: Record<string, unknown>) => Promise<void>

/** A tool with a definition that has the hash of the examples. */
async function addTool(insert: Insert, environment_id: string): Promise<string> {
  const [id, hash, now] = [newId(), 'a'.repeat(64), new Date().toISOString()]
  const seen = { first_seen_at: now, last_seen_at: now }
  const name = { tool: 'mcp:tickets/list', server: 'tickets', name: 'list', latest_hash: hash }
  await insert('tool_inventories', { environment_id, version: 1, tools: 1 })
  await insert('tools', { id, environment_id, ...name, labels: [], changed_in: 1, ...seen })
  await insert('tool_definitions', { tool_id: id, hash, definition: '{"name":"list"}', ...seen })
  return id
}

interface Delegated {
  environment_id: string
  agent_id: string
  subject: { id: string }
}

/** A delegation of a user that an agent holds. */
export async function addDelegation(
  insert: Insert,
  { environment_id, agent_id, subject }: Delegated,
  rest: object = {},
) {
  const id = newId()
  await insert('delegations', {
    id,
    root_id: id,
    ancestors: [],
    depth: 1,
    environment_id,
    agent_id,
    subject_user_id: subject.id,
    chain: JSON.stringify([
      { type: 'user', id: subject.id, name: 'user' },
      { type: 'agent', id: agent_id, name: 'agent' },
    ]),
    tools: ['mcp:files/*'],
    created_by: subject.id,
    created_at: new Date().toISOString(),
    expires_at: new Date(Date.now() + 12 * 3_600_000).toISOString(),
    ...rest,
  })
  return id
}

async function addEdge(server: TestServer, tenant: TestTenant): Promise<{ id: string; raw: string }> {
  const raw = newCredential('ek')
  const id = newId()
  await server.owner.query(
    `insert into edges (tenant_id, id, name, environment_id, key_hash, key_prefix, created_by, created_at)
     values ($1, $2, 'edge', $3, $4, $5, $6, now())`,
    [tenant.id, id, tenant.development, digest(raw), raw.slice(0, 8), tenant.owner.id],
  )
  await addLookup(server, raw, 'edge', tenant.id, id)
  return { id, raw }
}

/** A signed decision of the agent, which its policy made. Returns its id. */
async function addDecision(api: ApiClient, { agent_id, policy_id, rule_id }: Record<string, string>): Promise<string> {
  const edge = await SigningEdge.start(api)
  const decision_id = newId()
  const { status } = await edge.record({
    decision_id,
    agent_id,
    tool: 'mcp:files/delete',
    effect: 'deny',
    mode: 'enforce',
    rule_id,
    policy_id,
    policy_version: 1,
    args_digest: '',
    at: new Date().toISOString(),
  })
  if (status !== 202) throw new Error(`the decision was answered with ${status}`)
  return decision_id
}

/** Another session of a person, besides the session of their client. Returns its id. */
async function addSession(server: TestServer, { accountId }: TestPerson): Promise<string> {
  const id = newId()
  await server.owner.query('insert into sessions (id, account_id, created_at) values ($1, $2, now())', [id, accountId])
  return id
}

/** An empty report of an environment, with a share link. */
async function addReport(server: TestServer, tenant: TestTenant) {
  const [reportId, linkId, token] = [newId(), newId(), newLinkToken()]
  const nothing = { agents: [], policies: [], approvals: [], drift: [], coverage: [], findings: [] }
  const counts = { agents: 0, policies: 0, approvals: 0, drift: 0, coverage: {}, findings: 0 }
  const snapshot = { organization: tenant.name, environment: null, counts, ...nothing }
  await server.owner.query(
    `insert into reports (tenant_id, id, environment_id, title, generated_by, snapshot, created_at)
     values ($1, $2, $3, 'report', $4, $5, now())`,
    [tenant.id, reportId, tenant.development, tenant.owner.id, JSON.stringify(snapshot)],
  )
  await server.owner.query(
    `insert into report_share_links (tenant_id, id, report_id, token_hash, created_by, created_at)
     values ($1, $2, $3, $4, $5, now())`,
    [tenant.id, linkId, reportId, digest(token), tenant.owner.id],
  )
  await addLookup(server, token, 'share_link', tenant.id, linkId)
  return { report_id: reportId, link_id: linkId, token }
}

async function giveAgentKey(server: TestServer, tenantId: string, agentId: string): Promise<string> {
  const raw = newCredential('ak')
  const values = [tenantId, agentId, digest(raw)]
  await server.owner.query('update agents set key_hash = $3 where tenant_id = $1 and id = $2', values)
  await addLookup(server, raw, 'agent', tenantId, agentId)
  return raw
}

async function addLookup(server: TestServer, raw: string, kind: string, tenantId: string, id: string) {
  await server.owner.query('insert into credential_lookup (hash, kind, tenant_id, id) values ($1, $2, $3, $4)', [
    digest(raw),
    kind,
    tenantId,
    id,
  ])
}

/** Lets every scoped user of the test tenant see the test agent and the development environment. */
export async function giveScopedUsersAccess(server: TestServer, world: World): Promise<void> {
  const { rows } = await server.owner.query(`select id from users where tenant_id = $1 and access_scope = 'scoped'`, [
    world.tenant.id,
  ])
  for (const { id } of rows) {
    await grantAgent(server, world.tenant.id, id, world.ids.agent_id ?? randomUUID())
    await giveEnvironment(server, world.tenant.id, id, world.tenant.development)
  }
}
