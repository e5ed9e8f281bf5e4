import { randomUUID } from 'node:crypto'
import type { OperationId } from '@mandate/contract/endpoints'
import type { World } from './world.ts'

type Example = (world: World) => unknown

/**
 * A well-formed body for every endpoint that takes one. The sweeps fail for an endpoint that is missing here, so none
 * goes unswept.
 */
export const exampleBodies: Partial<Record<OperationId, Example>> = {
  updateUser: () => ({ display_name: 'Ada' }),
  grantPlatformAccess: () => ({ role: 'member' }),
  setAccessScope: () => ({ access_scope: 'scoped' }),
  createGrant: ({ ids }) => ({ resource_type: 'agent', resource_id: ids.agent_id }),
  createEnvironmentAccess: ({ ids }) => ({ environment_id: ids.environment_id }),
  updateTenant: () => ({ name: 'Renamed' }),
  deleteTenant: ({ tenant }) => ({ confirm: tenant.name }),
  inviteUser: () => ({ email: `someone-${Math.random().toString(36).slice(2)}@example.com`, role: 'viewer' }),
  inviteLearner: () => ({ email: `learner-${Math.random().toString(36).slice(2)}@example.com` }),
  setGovernanceGate: () => ({ gate: 'enforce' }),
  createEnvironment: () => ({ name: 'Staging', slug: `staging-${Math.random().toString(36).slice(2)}` }),
  updateEnvironment: () => ({ name: 'Renamed' }),
  createApiKey: ({ ids }) => ({ name: 'key', environment_id: ids.environment_id }),
  bindApiKey: ({ tenant }) => ({ environment_id: tenant.production }),
  register: () => ({ email: someone(), password: 'a long password', display_name: 'Ada', organization: 'Engines' }),
  signIn: () => ({ email: someone(), password: 'a long password', otp: '000000' }),
  refresh: () => ({ refresh_token: 'unknown' }),
  exchange: () => ({ code: 'unknown' }),
  signOut: () => ({ refresh_token: 'unknown' }),
  acceptInvitation: () => ({ token: 'unknown', password: 'a long password', otp: '000000', display_name: 'Ada' }),
  forgotPassword: () => ({ email: someone() }),
  resetPassword: () => ({ token: 'unknown', password: 'a long password' }),
  startTotp: () => ({ password: 'a long password' }),
  confirmTotp: () => ({ otp: '000000' }),
  createPolicy: ({ ids }) => ({ ...policyFields, environment_id: ids.environment_id, rules: [rule()] }),
  validatePolicy: ({ ids }) => ({ ...policyFields, environment_id: ids.environment_id, rules: [rule()] }),
  updatePolicy: ({ ids }) => ({ ...policyFields, environment_id: ids.environment_id }),
  replacePolicy: ({ ids }) => ({
    ...policyFields,
    environment_id: ids.environment_id,
    rules: [{ ...rule(), id: ids.rule_id }],
  }),
  createRule: () => rule(),
  updateRule: () => rule(),
  simulatePolicy: ({ ids }) => ({
    calls: [{ tool: 'mcp:files/read', args: { path: '/tmp' }, agent: { name: 'a' }, environment: { slug: 'b' } }],
    document: { ...policyFields, environment_id: ids.environment_id, rules: [rule()] },
    replay: { days: 7 },
  }),
  createAgent: ({ ids }) => ({ ...agentFields, environment_id: ids.environment_id, policy_id: ids.policy_id }),
  updateAgent: () => agentFields,
  assignPolicy: ({ ids }) => ({ policy_id: ids.policy_id }),
  changeLifecycle: () => ({ lifecycle_status: 'blocked', reason: 'it deleted a table' }),
  openReview: () => ({ kind: 'attestation' }),
  resolveReview: () => ({ outcome: 'approved', comment: 'as discussed' }),
  resolveApproval: () => ({ outcome: 'approved', comment: 'go ahead' }),
  requestApproval: ({ ids }) => ({
    approval_id: randomUUID(),
    agent_id: ids.agent_id,
    tool: 'mcp:files/delete',
    args_digest: 'a'.repeat(64),
    arguments: { path: '/tmp', options: { deep: [1, 'x', null] } },
    policy_id: ids.policy_id,
    policy_version: 1,
    policy_hash: 'a'.repeat(64),
    rule_id: ids.rule_id,
    rule_name: 'stop',
    reason: 'not without asking',
  }),
  consumeApproval: () => ({ args_digest: 'a'.repeat(64), policy_version: 1, policy_hash: 'a'.repeat(64) }),
  resolveByLink: () => ({ token: 'unknown', outcome: 'approved', comment: 'go ahead' }),
  connectPlatform: () => ({
    kind: 'github',
    name: 'engines on GitHub',
    config: { organization: 'engines', base_url: 'https://github.example.com/api/v3' },
    auth_secret: 'token',
  }),
  createEdge: ({ ids }) => ({ name: 'gateway', environment_id: ids.environment_id }),
  createReport: ({ ids }) => ({ environment_id: ids.environment_id, title: 'Report' }),
  shareReport: () => ({ expires_at: '2999-01-01T00:00:00.000Z' }),
  beat: ({ ids }) => ({
    instance_id: 'instance',
    seq: 1,
    edge_version: '1.0.0',
    agents: [{ agent_id: ids.agent_id, policy_id: ids.policy_id, policy_version: 1, policy_hash: 'a'.repeat(64) }],
  }),
  attest: ({ ids }) => ({
    agent_id: ids.agent_id,
    mode: 'full',
    tools: ['mcp:files/read'],
    mediation_points: ['mcp'],
    edge_version: '1.0.0',
  }),
  reportExecutionStats: ({ ids }) => ({
    agent_id: ids.agent_id,
    window_start: '2026-01-01T00:00:00.000Z',
    window_end: '2026-01-01T00:05:00.000Z',
    actions_seen: 3,
    actions_mediated: 2,
    unmediated_seen: 1,
    by_effect: { allow: 1, deny: 1 },
  }),
  recordDecisions: ({ ids }) => ({
    decisions: [
      {
        decision_id: randomUUID(),
        agent_id: ids.agent_id,
        tool: 'mcp:files/delete',
        effect: 'deny',
        mode: 'enforce',
        rule_id: ids.rule_id,
        policy_version: 1,
        args_digest: 'a'.repeat(64),
        at: '2026-01-01T00:00:00.000Z',
      },
    ],
  }),
}

const policyFields = {
  name: 'policy',
  description: 'what it is for',
  override_mode: 'enforce',
  default_effect: 'deny',
  dlp_enabled: false,
}

const agentFields = {
  name: 'agent',
  description: 'what it does',
  framework: 'framework',
  model: 'model',
  tools: ['mcp:files/read'],
  metadata: { team: 'core' },
}

function rule() {
  return {
    name: 'stop',
    priority: 500,
    enabled: true,
    effect: 'deny',
    match: { tools: ['mcp:files/*'], when: [{ path: 'args.path', op: 'under', value: '/etc' }] },
    reason: 'not yours',
  }
}

function someone(): string {
  return `someone-${Math.random().toString(36).slice(2)}@example.com`
}
