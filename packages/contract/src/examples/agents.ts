import type { Agent, Finding } from '../agents.ts'
import type { Examples } from './example.ts'
import { hash, ids, listOf } from './ids.ts'

const finding: Finding = {
  id: ids.finding,
  agent_id: ids.agent,
  type: 'coverage_gap',
  severity: 'medium',
  status: 'open',
  evidence: { attested: { mode: 'partial', attested_at: '2026-03-02T08:00:00.000Z' } },
  remediation: "Route everything the agent does through the edge's mediation points.",
  opened_at: '2026-03-02T08:00:00.000Z',
  closed_at: null,
}

const gap: Finding = {
  ...finding,
  type: 'decision_gap',
  evidence: { items: [{ edge_id: ids.edge, kid: 'ed25519-3f9a', from: 118, to: 124 }] },
  remediation: 'Start the edge again with its state folder, so that it sends what its spool holds.',
}

const coverage: Agent['execution_coverage'] = {
  state: 'partial',
  attested: {
    mode: 'partial',
    tools: ['mcp:files/read'],
    mediation_points: ['mcp'],
    edge_version: '0.1.0',
    attested_at: '2026-03-02T08:00:00.000Z',
  },
  observed: {
    window_start: '2026-03-02T08:00:00.000Z',
    window_end: '2026-03-02T08:05:00.000Z',
    actions_seen: 12,
    actions_mediated: 12,
    unmediated_seen: 0,
    reported_at: '2026-03-02T08:05:01.000Z',
  },
  findings: [finding],
  computed_at: '2026-03-02T08:06:00.000Z',
}

const described = {
  name: 'Invoice reader',
  description: 'Reads invoices and enters them into the ledger.',
  framework: 'langgraph',
  model: 'claude-sonnet',
  tools: ['mcp:files/read'],
  metadata: { team: 'finance' },
}

export const agent: Agent = {
  id: ids.agent,
  tenant_id: ids.tenant,
  ...described,
  status: 'active',
  source: 'runtime',
  governance_state: 'governed',
  governance_mode: 'enforce',
  lifecycle_status: 'approved',
  execution_coverage_state: 'partial',
  execution_coverage: coverage,
  environment: { id: ids.development, name: 'Development', slug: 'development' },
  policy: { id: ids.policy, name: 'Files', version: 3 },
  approved_policy: {
    id: ids.policy,
    version: 3,
    content_hash: hash,
    approved_by: ids.owner,
    approved_at: '2026-02-20T09:00:00.000Z',
    review_id: ids.review,
  },
  running_policy: {
    id: ids.policy,
    version: 3,
    reported_at: '2026-03-02T08:05:30.000Z',
    content_hash: hash,
    since: '2026-02-20T09:00:30.000Z',
    edge: { id: ids.edge, name: 'edge-1', version: '0.1.0' },
  },
  drift: false,
  owner_user_id: ids.user,
  last_heartbeat_at: '2026-03-02T08:05:30.000Z',
  frozen: false,
  new_key_unused_since: null,
  created_at: '2026-02-01T09:00:00.000Z',
  updated_at: '2026-02-20T09:00:00.000Z',
}

const registered: Agent = {
  ...agent,
  status: 'registered',
  lifecycle_status: 'proposed',
  execution_coverage_state: 'unknown',
  execution_coverage: {
    state: 'unknown',
    attested: null,
    observed: null,
    findings: [],
    computed_at: '2026-02-01T09:00:00.000Z',
  },
  approved_policy: null,
  running_policy: null,
  drift: null,
  owner_user_id: null,
  last_heartbeat_at: null,
}

const agentKey = `ak_${'0'.repeat(64)}`

const review = {
  id: ids.review,
  agent_id: ids.agent,
  environment_id: ids.development,
  subject: {
    policy_id: ids.policy,
    approved: { policy_id: ids.policy, version: 2 },
    running: { policy_id: ids.policy, version: 3 },
  },
  kind: 'attestation',
  status: 'pending',
  assigned_role: 'manager',
  requested_by: ids.user,
  opened_at: '2026-03-01T10:00:00.000Z',
  resolved_by: null,
  resolved_at: null,
  comment: null,
} as const

const resolved = {
  ...review,
  kind: 'onboarding',
  status: 'approved',
  resolved_by: ids.owner,
  resolved_at: '2026-03-01T11:00:00.000Z',
  comment: 'The policy fits the task.',
} as const

export const agentExamples: Examples = {
  listAgents: { response: { data: [agent], next_page_token: 'the token of the next page' } },
  getAgentFacets: {
    response: {
      status: [{ key: 'active', name: 'active', count: 41 }],
      source: [{ key: 'runtime', name: 'runtime', count: 41 }],
      governance_state: [
        { key: 'governed', name: 'governed', count: 41 },
        { key: 'discovered', name: 'discovered', count: 3 },
      ],
      lifecycle_status: [{ key: 'approved', name: 'approved', count: 41 }],
      execution_coverage_state: [{ key: 'covered', name: 'covered', count: 41 }],
      environment_id: [{ key: ids.production, name: 'Production', count: 41 }],
      policy_id: [{ key: ids.policy, name: 'Files', count: 41 }],
      owner_user_id: [{ key: 'none', name: 'none', count: 41 }],
      drift: [{ key: 'false', name: 'false', count: 41 }],
      framework: [{ key: 'langgraph', name: 'langgraph', count: 41 }],
      heartbeat: [{ key: 'recent', name: 'recent', count: 41 }],
    },
  },
  getAgentTimeline: {
    response: {
      data: [
        {
          at: '2026-02-20T09:00:00.000Z',
          type: 'suspension',
          actor: { type: 'person', id: ids.user, name: 'Mel' },
          resource: { type: 'agent', id: ids.agent, name: 'Invoice reader' },
          details: { previous_state: 'active', event_type: 'agent.suspended' },
        },
      ],
      next_cursor: 'the cursor of the next page',
    },
  },
  changeAgents: {
    request: { action: 'assign_policy', agent_ids: [ids.agent], policy_id: ids.policy },
    response: { data: [{ agent_id: ids.agent }] },
  },
  createAgent: {
    request: { ...described, environment_id: ids.development, policy_id: ids.policy },
    response: { agent: registered, agent_key: agentKey },
  },
  getAgent: { response: agent },
  updateAgent: { request: described, response: agent },
  assignPolicy: { request: { policy_id: ids.policy }, response: agent },
  changeLifecycle: {
    request: { lifecycle_status: 'blocked', reason: 'It deleted a table.' },
    response: { ...agent, lifecycle_status: 'blocked' },
  },
  suspendAgent: {
    request: { reason: 'It sends mails to the wrong list.' },
    response: { ...agent, status: 'suspended' },
  },
  resumeAgent: { request: { reason: 'The list is corrected.' }, response: agent },
  rotateAgentKey: { response: { agent, agent_key: agentKey } },
  getExecutionCoverage: { response: coverage },
  listReviews: { response: listOf(review) },
  getReview: { response: review },
  resolveReview: {
    request: {
      outcome: 'approved',
      comment: 'The policy fits the task.',
      policy: { policy_id: ids.policy, version: 3 },
    },
    response: resolved,
  },
  openReview: { request: { kind: 'attestation' }, response: review },
  listFindings: { response: listOf(finding) },
  acceptFinding: {
    request: { reason: 'The disk of the edge was lost.' },
    response: {
      ...gap,
      status: 'closed',
      evidence: {
        ...gap.evidence,
        accepted: { by: ids.user, reason: 'The disk of the edge was lost.', at: '2026-03-03T08:00:00.000Z' },
      },
      closed_at: '2026-03-03T08:00:00.000Z',
    },
  },
}
