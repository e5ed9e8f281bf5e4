import type { Approval } from '../approvals.ts'
import type { Edge, MissionProfile } from '../edge.ts'
import type { Examples } from './example.ts'
import { hash, ids, listOf } from './ids.ts'

const edge: Edge = {
  id: ids.edge,
  tenant_id: ids.tenant,
  name: 'Gateway of the development cluster',
  environment_id: ids.development,
  key_prefix: 'ek_0a1b2',
  created_by: ids.user,
  created_at: '2026-02-01T09:00:00.000Z',
  last_heartbeat_at: '2026-03-02T08:00:00.000Z',
  silent: false,
  version: '0.1.0',
  agents_served: 12,
  closes_at: '2026-03-02T08:02:30.000Z',
  lacks: [],
}

const newEdge: Edge = {
  ...edge,
  last_heartbeat_at: null,
  silent: null,
  version: null,
  agents_served: null,
  closes_at: null,
  lacks: null,
}

const heldCall = {
  agent_id: ids.agent,
  tool: 'mcp:files/delete',
  args_digest: hash,
  arguments: { path: '/tmp/invoice.pdf', options: { deep: [1, 'x', null] } },
  policy_id: ids.policy,
  policy_version: 3,
  policy_hash: hash,
  rule_id: ids.rule,
  rule_name: 'Ask before deleting',
  reason: 'Deleting needs an approval.',
}

const sessionOfCall = {
  session_id: 'ticket-4711',
  on_behalf_of: 'ada@example.com',
  chain: [{ type: 'user', id: ids.user, name: 'Ada' }],
  labels: ['untrusted_output'],
  content: [],
}

const pending: Approval = {
  id: ids.approval,
  ...heldCall,
  ...sessionOfCall,
  arguments_exact: true,
  edge: { id: ids.edge, name: 'Gateway of the development cluster' },
  agent_name: 'Invoice reader',
  environment_id: ids.development,
  status: 'pending',
  assigned_role: 'manager',
  requested_at: '2026-03-02T08:00:00.000Z',
  expires_at: '2026-03-02T08:15:00.000Z',
  resolved_by: null,
  resolved_at: null,
  comment: null,
  ended_because: null,
  freeze_id: null,
  consumed_at: null,
}

const approved: Approval = {
  ...pending,
  status: 'approved',
  resolved_by: ids.user,
  resolved_at: '2026-03-02T08:02:00.000Z',
  comment: 'Go ahead.',
}

const profile: MissionProfile = {
  tenant_id: ids.tenant,
  agent_id: ids.agent,
  agent_name: 'Invoice reader',
  status: 'active',
  environment: { id: ids.development, name: 'Development', slug: 'development' },
  governance_mode: 'enforce',
  policy_id: ids.policy,
  policy_version: 3,
  policy: { default_effect: 'deny', rules: [] },
  pins: { version: 7 },
  profile_hash: hash,
  profile_seq: 7,
  issued_at: '2026-03-02T08:00:00.000Z',
  signature: 'an Ed25519 signature in base64',
}

const attestation = {
  agent_id: ids.agent,
  mode: 'full',
  tools: ['mcp:files/read'],
  mediation_points: ['mcp'],
  edge_version: '0.1.0',
}

export const edgeExamples: Examples = {
  createEdge: {
    request: { name: 'Gateway of the development cluster', environment_id: ids.development },
    response: { edge: newEdge, edge_key: `ek_0a1b2${'0'.repeat(59)}` },
  },
  listEdges: { response: listOf(edge) },
  listEdgeInstances: {
    response: listOf({
      instance_id: 'edge-1',
      edge: null,
      agent: { id: ids.agent, name: 'Invoice reader' },
      environment_id: ids.development,
      silent: false,
      last_heartbeat_at: '2026-03-02T08:00:00.000Z',
      version: '0.2.0',
      agents_served: 1,
      closes_at: '2026-03-02T08:02:30.000Z',
      lacks: [],
    }),
  },
  getEdge: { response: edge },
  getEdgeSession: {
    response: {
      credential: 'edge',
      agent: null,
      environment: { id: ids.development, name: 'Development', slug: 'development' },
    },
  },
  sendHeartbeat: {
    request: {
      instance_id: 'edge-1',
      seq: 1,
      edge_version: '0.1.0',
      agents: [{ agent_id: ids.agent, policy_id: ids.policy, policy_version: 3, policy_hash: hash }],
    },
    response: {
      interval_s: 30,
      agents: [{ agent_id: ids.agent, profile_hash: hash, policy_id: ids.policy, policy_version: 3, profile_seq: 7 }],
      freezes: [
        { id: ids.freeze, scope: 'environment', agent_id: null, environment_id: ids.development, drill: false },
      ],
      credentials: [{ name: 'tickets-api', version: 1 }],
      pins: { version: 7 },
    },
  },
  confirm: {
    request: {
      instance_id: 'edge-1',
      confirmations: [
        { freeze_id: ids.freeze, at: '2026-03-02T13:58:08.000Z' },
        { agent_id: ids.agent, profile_hash: hash, profile_seq: 7, at: '2026-03-02T13:58:08.000Z' },
      ],
    },
    response: { accepted: 2, refused: [] },
  },
  getMissionProfile: { response: profile },
  getMissionProfiles: {
    request: { agent_ids: [ids.agent], known_hashes: [hash], instance_id: 'edge-1' },
    response: { data: [profile], unchanged: [], remaining: [] },
  },
  getSigningKey: {
    response: {
      keys: [
        {
          kid: 'the id of the key',
          public_key_pem: '-----BEGIN PUBLIC KEY-----\n…\n-----END PUBLIC KEY-----\n',
        },
      ],
    },
  },
  attest: { request: attestation, response: { ...attestation, attested_at: '2026-03-02T08:00:00.000Z' } },
  reportExecutionStats: {
    request: {
      agent_id: ids.agent,
      window_start: '2026-01-01T00:00:00.000Z',
      window_end: '2026-01-01T00:05:00.000Z',
      actions_seen: 3,
      actions_mediated: 2,
      unmediated_seen: 1,
      by_effect: { allow: 1, deny: 1, require_approval: 0 },
    },
  },
  createEdgeKey: {
    request: {
      public_key_pem:
        '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA6E9PICHht2ESGEMFELOAZ+pHKQfihG1dNz1NlSeNsrE=\n-----END PUBLIC KEY-----\n',
    },
    response: {
      kid: '3f1c2a9b8d7e6f50',
      tenant_id: ids.tenant,
      edge_id: ids.edge,
      attestation: 'the signature, base64',
    },
  },
  recordDecisions: {
    request: {
      decisions: [
        {
          decision_id: ids.decision,
          agent_id: ids.agent,
          tool: 'mcp:files/delete',
          effect: 'deny',
          mode: 'enforce',
          rule_id: ids.rule,
          policy_version: 3,
          args_digest: hash,
          at: '2026-01-01T00:00:00.000Z',
        },
      ],
    },
    response: { accepted: 1, duplicates: 0 },
  },
  listApprovals: { response: listOf(pending) },
  getApproval: { response: pending },
  resolveApproval: { request: { outcome: 'approved', comment: 'Go ahead.' }, response: approved },
  requestApproval: {
    request: {
      approval_id: ids.approval,
      ...heldCall,
      ...sessionOfCall,
    },
    response: pending,
  },
  getHeldCall: { response: approved },
  consumeApproval: {
    request: { args_digest: hash, policy_version: 3, policy_hash: hash },
    response: { ...approved, status: 'consumed', consumed_at: '2026-03-02T08:03:00.000Z' },
  },
  resolveByLink: { request: { token: 'the token of the link', outcome: 'approved', comment: 'Go ahead.' } },
}
