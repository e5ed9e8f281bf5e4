import { randomUUID } from 'node:crypto'
import type { Caller, Scene } from './may-scene.ts'

// biome-ignore lint/suspicious/noExplicitAny: rows have the fields of many schemas
export type Row = Record<string, any>

export const sceneNames = ['users of every role', 'one user', 'two owners'] as const
export type SceneName = (typeof sceneNames)[number]

/** A kind of row with actions, and how to read the rows. */
export interface Subject {
  /** The lists that have the rows. A list without `single` is the only way to read them. */
  lists: string[]
  /** The path of a single row. */
  single?: (row: Row) => string
  /** The rows in the answer of `lists`. */
  rowsIn?: (body: Row) => Row[]
  /** Rows with the same state are compared once. By default every row is compared. */
  stateOf?: (row: Row) => unknown
  /** The tenants whose rows are compared. */
  scenes?: readonly SceneName[]
  /** The path parameters of the operations on the row. */
  params: (row: Row, scene: Scene, caller: Caller) => Record<string, string>
}

const byId = (path: string) => (row: Row) => `${path}/${row.id}`
const states = ['discovered', 'governed', 'suppressed']

export const subjects: Record<string, Subject> = {
  agents: {
    lists: states.map((state) => `/agents?governance_state=${state}&page_size=200`),
    single: byId('/agents'),
    stateOf: ({ status, source, governance_state, lifecycle_status, environment, may, may_not }) => [
      status,
      source,
      governance_state,
      lifecycle_status,
      environment,
      may,
      may_not,
    ],
    params: ({ id }) => ({ agent_id: id }),
  },
  approvals: {
    lists: ['/approvals?limit=200'],
    single: byId('/approvals'),
    scenes: sceneNames,
    params: ({ id }) => ({ approval_id: id }),
  },
  reviews: {
    lists: ['/reviews?limit=200'],
    single: byId('/reviews'),
    scenes: sceneNames,
    params: ({ id }) => ({ review_id: id }),
  },
  findings: { lists: ['/findings?limit=200'], params: ({ id }) => ({ finding_id: id }) },
  keys: { lists: ['/api-keys?limit=200'], params: ({ id }) => ({ key_id: id }) },
  users: {
    lists: ['/users?limit=200'],
    single: byId('/users'),
    scenes: sceneNames,
    params: ({ id }, scene, { environmentId }) => ({
      user_id: id,
      grant_id: scene.grantOf(id, environmentId),
      access_id: scene.accessOf(id, environmentId),
    }),
  },
  policies: {
    lists: ['/policies?limit=200'],
    single: byId('/policies'),
    params: ({ id, rules }) => ({ policy_id: id, rule_id: rules[0].id, version: '1' }),
  },
  edges: { lists: ['/edges?limit=200'], params: ({ id }) => ({ edge_id: id }) },
  environments: {
    lists: ['/environments?limit=200'],
    single: byId('/environments'),
    params: ({ id }) => ({ environment_id: id }),
  },
  freezes: {
    lists: ['/freezes?limit=200'],
    single: byId('/freezes'),
    params: ({ id }) => ({ freeze_id: id }),
  },
  delegations: { lists: ['/delegations?limit=200'], params: ({ id }) => ({ delegation_id: id }) },
  credentials: { lists: ['/credentials?limit=200'], params: ({ id }) => ({ credential_id: id }) },
  patterns: {
    lists: ['/content-patterns'],
    stateOf: ({ builtin }) => builtin,
    params: ({ id }) => ({ pattern_id: id }),
  },
  tools: {
    lists: ['/tools?page_size=200'],
    single: byId('/tools'),
    params: ({ id }) => ({ tool_id: id }),
  },
  platforms: { lists: ['/platforms?limit=200'], params: ({ id }) => ({ platform_id: id }) },
  reports: {
    lists: ['/reports?limit=200'],
    single: byId('/reports'),
    params: ({ id, share_links }) => ({ report_id: id, link_id: share_links[0]?.id ?? randomUUID() }),
  },
  tenant: {
    lists: ['/tenants'],
    rowsIn: ({ tenant }) => [tenant],
    single: byId('/tenants'),
    params: ({ id }) => ({ id }),
  },
  session: {
    lists: ['/auth/session'],
    scenes: sceneNames,
    rowsIn: (session) => [session],
    params: ({ tenant }) => ({ id: tenant.id }),
  },
}

interface Sent {
  row: Row
  scene: Scene
  caller: Caller
}

const soon = () => new Date(Date.now() + 3_600_000).toISOString()
const someone = () => `someone-${randomUUID()}@example.com`
const ofOrganization = { environment_id: null }

/** A body for each action that needs one. It is valid for the row, and within what the caller may use. */
export const bodies: Record<string, (sent: Sent) => unknown> = {
  updateAgent: () => ({ description: 'changed' }),
  assignPolicy: ({ row, scene, caller }) => ({
    policy_id: scene.policyIn[row.environment?.id ?? caller.environmentId],
  }),
  changeLifecycle: ({ row }) => ({
    lifecycle_status: row.lifecycle_status === 'retired' ? 'blocked' : 'retired',
    reason: 'because',
  }),
  'changeLifecycle:approved': () => ({ lifecycle_status: 'approved', reason: 'because' }),
  suspendAgent: () => ({ reason: 'because' }),
  resumeAgent: () => ({ reason: 'because' }),
  acceptFinding: () => ({ reason: 'because' }),
  openReview: () => ({ kind: 'attestation' }),
  resolveApproval: () => ({ outcome: 'approved' }),
  resolveReview: () => ({ outcome: 'rejected', comment: 'because' }),
  'resolveReview:approved': () => ({ outcome: 'approved', comment: 'because' }),
  'resolveReview:rejected': () => ({ outcome: 'rejected', comment: 'because' }),
  'resolveReview:attested': () => ({ outcome: 'attested', comment: 'because' }),
  bindApiKey: ({ row, scene: { tenant } }) => ({
    environment_id: row.environment_id === tenant.development ? tenant.production : tenant.development,
  }),
  'bindApiKey:organization': () => ofOrganization,
  updateUser: () => ({ display_name: 'Changed' }),
  'updateUser:role': ({ row }) => ({ role: row.role === 'viewer' ? 'member' : 'viewer' }),
  'updateUser:owner': () => ({ role: 'owner' }),
  'updateUser:read_only': ({ row }) => ({ read_only: !row.read_only }),
  grantPlatformAccess: () => ({ role: 'member' }),
  setAccessScope: () => ({ access_scope: 'scoped' }),
  'setAccessScope:all': () => ({ access_scope: 'all' }),
  createGrant: ({ scene, caller }) => ({ resource_type: 'agent', resource_id: scene.agentIn[caller.environmentId] }),
  createEnvironmentAccess: ({ caller }) => ({ environment_id: caller.environmentId }),
  updatePolicy: () => ({ description: 'changed' }),
  replacePolicy: ({ row }) => ({
    name: row.name,
    description: 'changed',
    environment_id: row.environment_id,
    override_mode: row.override_mode,
    default_effect: row.default_effect,
    dlp_enabled: row.dlp_enabled,
    rules: row.rules,
  }),
  createRule: () => ({ name: 'new', priority: 99, effect: 'deny', match: { tools: ['mcp:files/read'], when: [] } }),
  updateRule: () => ({ name: 'changed' }),
  simulatePolicy: () => ({ calls: [{ tool: 'mcp:files/read' }] }),
  replaceContentBindings: () => ({ bindings: [{ group: 'secrets', on: 'results', action: 'flag' }] }),
  updateEnvironment: () => ({ name: 'Changed' }),
  'updateEnvironment:is_production': ({ row }) => ({ is_production: !row.is_production }),
  shareReport: () => ({}),
  updateTenant: () => ({ name: 'Changed' }),
  deleteTenant: ({ scene }) => ({ confirm: scene.tenant.name }),
  setGovernanceGate: () => ({ gate: 'enforce' }),
  inviteUser: () => ({ email: someone(), role: 'member' }),
  'inviteUser:owner': () => ({ email: someone(), role: 'owner' }),
  'inviteUser:read_only': () => ({ email: someone(), role: 'viewer', read_only: true }),
  inviteLearner: () => ({ email: someone() }),
  changeAgents: ({ scene, caller }) => ({ action: 'suppress', agent_ids: [scene.agentIn[caller.environmentId]] }),
  createAgent: ({ caller }) => ({ name: 'agent', environment_id: caller.environmentId }),
  createApiKey: ({ caller }) => newKey({ environment_id: caller.environmentId }),
  'createApiKey:organization': () => newKey({}),
  createEdge: ({ caller }) => ({ name: 'edge', environment_id: caller.environmentId }),
  // Of an agent, or of the session.
  createFreeze: ({ row, caller }) => ({
    ...(row.lifecycle_status
      ? { scope: 'agent', agent_id: row.id }
      : { scope: 'environment', environment_id: caller.environmentId }),
    reason: 'because',
  }),
  'createFreeze:organization': () => ({ scope: 'organization', reason: 'because' }),
  liftFreeze: () => ({ reason: 'because' }),
  createDelegation: ({ row }) => ({ agent_id: row.id, tools: ['mcp:files/read'], expires_at: soon() }),
  'createDelegation:other': ({ row, scene }) => ({
    agent_id: row.id,
    subject_user_id: scene.tenant.owner.id,
    tools: ['mcp:files/read'],
    expires_at: soon(),
  }),
  createEnvironment: () => ({ name: 'Staging', slug: `staging-${randomUUID()}` }),
  createPolicy: ({ caller }) => ({ name: randomUUID(), environment_id: caller.environmentId }),
  'createPolicy:content': ({ caller }) => ({
    name: randomUUID(),
    environment_id: caller.environmentId,
    dlp_enabled: true,
  }),
  'createPolicy:organization': () => ({ name: randomUUID(), ...ofOrganization }),
  validatePolicy: () => ({ name: 'policy', rules: [] }),
  createContentPattern: () => ({ name: 'pattern', group: 'group', kind: 'words', words: ['word'] }),
  updateContentPattern: () => ({ name: 'changed' }),
  testContentPatterns: () => ({ text: 'a text' }),
  createReport: ({ caller }) => ({ environment_id: caller.environmentId }),
  'createReport:organization': () => ofOrganization,
  createCredential: ({ caller }) => ({
    name: `tool-${randomUUID()}`,
    kind: 'bearer',
    environment_id: caller.environmentId,
    secret: 'token',
  }),
  updateCredential: () => ({ name: `tool-${randomUUID()}` }),
  rotateCredential: () => ({ secret: 'another' }),
  pinTool: () => ({ definition_hash: 'a'.repeat(64) }),
  blockTool: () => ({ reason: 'because' }),
  labelTool: () => ({ labels: ['destructive'] }),
  connectPlatform: () => ({ kind: 'github', name: 'platform', config: { organization: 'engines' } }),
}

// Few scopes and a short life, so that a key with limits may create it too.
const newKey = (place: object) => ({ name: 'key', scopes: ['agents:read'], expires_at: soon(), ...place })
