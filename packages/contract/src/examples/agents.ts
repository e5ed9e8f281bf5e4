import type { Agent, Finding } from '../agents.ts'
import type { Examples } from './example.ts'
import { ids, listOf } from './ids.ts'

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
  approved_policy: { id: ids.policy, version: 3 },
  running_policy: { id: ids.policy, version: 3, reported_at: '2026-03-02T08:05:30.000Z' },
  drift: false,
  owner_user_id: ids.user,
  last_heartbeat_at: '2026-03-02T08:05:30.000Z',
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
  suspendAgent: { response: { ...agent, status: 'suspended' } },
  resumeAgent: { response: agent },
  rotateAgentKey: { response: { agent, agent_key: agentKey } },
  getExecutionCoverage: { response: coverage },
  listReviews: { response: listOf(review) },
  getReview: { response: review },
  resolveReview: { request: { outcome: 'approved', comment: 'The policy fits the task.' }, response: resolved },
  openReview: { request: { kind: 'attestation' }, response: review },
  listFindings: { response: listOf(finding) },
}
