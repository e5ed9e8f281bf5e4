import { z } from 'zod'
import { manager, member, viewer } from './access.ts'
import { endpoint } from './endpoint.ts'
import { limit, name, oneOf, record, text, timestamp, uuid } from './fields.ts'
import { governanceModes } from './policies.ts'

export const agentStatuses = ['registered', 'active', 'suspended', 'archived'] as const
export const agentSources = ['runtime', 'github', 'salesforce', 'm365', 'snowflake'] as const
export const governanceStates = ['discovered', 'governed', 'suppressed'] as const
export const lifecycleStatuses = ['proposed', 'approved', 'blocked', 'retired'] as const
export const executionCoverageStates = ['unknown', 'claimed', 'observed', 'covered', 'partial', 'stale'] as const
export const attestedModes = ['full', 'partial', 'none'] as const
export const findingTypes = [
  'policy_drift_unapproved',
  'coverage_gap',
  'evidence_stale',
  'unapproved_running',
  'approval_without_record',
] as const

export type FindingType = (typeof findingTypes)[number]
export type LifecycleStatus = (typeof lifecycleStatuses)[number]

export const Finding = z
  .object({
    id: uuid,
    agent_id: uuid,
    type: oneOf(findingTypes),
    severity: z.string(),
    status: oneOf(['open', 'closed']),
    evidence: z.record(z.string(), z.unknown()),
    remediation: z.string(),
    opened_at: timestamp,
    closed_at: timestamp.nullable(),
  })
  .meta({
    id: 'Finding',
    description:
      'What does not stand as it should with an agent; at most one of a type is open. `coverage_gap`: an axis of coverage shows ' +
      'something unmediated. `evidence_stale`: the coverage is stale. `unapproved_running`: it is reported running and is not ' +
      'approved. `policy_drift_unapproved`: what runs is not what was approved. `approval_without_record`: the agent was approved ' +
      'directly and no review has set an approval of record, so drift is not detected.',
  })

export type Finding = z.output<typeof Finding>

export const ExecutionCoverage = z
  .object({
    state: oneOf(executionCoverageStates),
    attested: z
      .object({
        mode: oneOf(attestedModes),
        tools: z.array(z.string()),
        mediation_points: z.array(z.string()),
        edge_version: z.string(),
        attested_at: timestamp,
      })
      .nullable(),
    observed: z
      .object({
        window_start: timestamp,
        window_end: timestamp,
        actions_seen: z.int(),
        actions_mediated: z.int(),
        unmediated_seen: z.int(),
        reported_at: timestamp,
      })
      .nullable(),
    findings: z.array(Finding),
    computed_at: timestamp,
  })
  .meta({ id: 'ExecutionCoverage' })

export const Agent = z
  .object({
    id: uuid,
    tenant_id: uuid,
    name: z.string(),
    description: z.string(),
    status: oneOf(agentStatuses),
    source: oneOf(agentSources),
    governance_state: oneOf(governanceStates),
    governance_mode: oneOf(governanceModes).nullable(),
    lifecycle_status: oneOf(lifecycleStatuses),
    execution_coverage_state: oneOf(executionCoverageStates),
    execution_coverage: ExecutionCoverage,
    environment: z.object({ id: uuid, name: z.string(), slug: z.string() }).nullable(),
    policy: z.object({ id: uuid, name: z.string(), version: z.int() }).nullable(),
    approved_policy: z.object({ id: uuid, version: z.int().nullable() }).nullable(),
    running_policy: z.object({ id: uuid, version: z.int().nullable(), reported_at: timestamp }).nullable(),
    drift: z.boolean().nullable(),
    framework: z.string(),
    model: z.string(),
    tools: z.array(z.string()),
    metadata: z.record(z.string(), z.string()),
    owner_user_id: uuid.nullable(),
    last_heartbeat_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Agent' })
export type Agent = z.output<typeof Agent>

const described = {
  name: name({ max: 200 }),
  description: text({ max: 4000 }).optional(),
  framework: text({ max: 200 }).optional(),
  model: text({ max: 200 }).optional(),
  tools: z
    .array(text({ min: 1, max: 200 }))
    .max(500)
    .optional(),
  metadata: record(text({ min: 1, max: 100 }), text({ max: 2000 }), {
    maxKeys: 50,
    error: 'must be at most 50 entries',
  }).optional(),
  owner_user_id: uuid.optional(),
}

export const AgentCreate = z
  .object({ ...described, environment_id: uuid.optional(), policy_id: uuid.optional() })
  .meta({ id: 'AgentCreate' })
export type AgentCreate = z.output<typeof AgentCreate>

export const AgentUpdate = z.object({ ...described, name: described.name.optional() }).meta({ id: 'AgentUpdate' })
export type AgentUpdate = z.output<typeof AgentUpdate>

export const AgentFilters = z.object({
  status: oneOf(agentStatuses).optional(),
  source: oneOf(agentSources).optional(),
  governance_state: oneOf(governanceStates).default('governed'),
  lifecycle_status: oneOf(lifecycleStatuses).optional(),
  execution_coverage: oneOf(executionCoverageStates).optional(),
  search: text({ max: 200 }).optional(),
  page_size: limit({ fallback: 50, max: 200 }),
  page_token: text({ max: 200 }).optional(),
})
export type AgentFilters = z.output<typeof AgentFilters>

const withKey = z.object({ agent: Agent, agent_key: z.string() })
const params = z.object({ agent_id: uuid })
const tag = 'Agents'

export const agentEndpoints = {
  listAgents: endpoint({
    method: 'GET',
    path: '/agents',
    tag,
    summary: 'List agents, newest first',
    description: 'Governed agents unless `governance_state` names another. `PageSize` and `PageToken` are taken too.',
    access: viewer,
    query: AgentFilters,
    answers: { 200: z.object({ data: z.array(Agent), next_page_token: z.string().optional() }) },
    errors: [400],
  }),
  createAgent: endpoint({
    method: 'POST',
    path: '/agents',
    tag,
    summary: 'Register a runtime agent',
    description: 'Its key is in this answer and never again.',
    access: member,
    body: AgentCreate,
    answers: { 201: withKey },
    errors: [400, 403, 404],
  }),
  getAgent: endpoint({
    method: 'GET',
    path: '/agents/{agent_id}',
    tag,
    summary: 'Read an agent',
    access: viewer,
    params,
    answers: { 200: Agent },
    errors: [400, 404],
  }),
  updateAgent: endpoint({
    method: 'PUT',
    path: '/agents/{agent_id}',
    tag,
    summary: 'Change an agent',
    description: 'A field left out is left unchanged.',
    access: member,
    params,
    body: AgentUpdate,
    answers: { 200: Agent },
    errors: [400, 403, 404],
  }),
  archiveAgent: endpoint({
    method: 'DELETE',
    path: '/agents/{agent_id}',
    tag,
    summary: 'Archive an agent',
    access: member,
    params,
    answers: { 204: null },
    errors: [400, 403, 404],
  }),
  assignPolicy: endpoint({
    method: 'POST',
    path: '/agents/{agent_id}/assign-policy',
    tag,
    summary: 'Put an agent under a policy',
    access: member,
    params,
    body: z.object({ policy_id: uuid }).meta({ id: 'AssignPolicyRequest' }),
    answers: { 200: Agent },
    errors: [400, 403, 404],
  }),
  changeLifecycle: endpoint({
    method: 'POST',
    path: '/agents/{agent_id}/lifecycle',
    tag,
    summary: 'Move an agent on the approval axis, outside the review queue',
    access: manager,
    params,
    body: z.object({ lifecycle_status: oneOf(lifecycleStatuses), reason: text({ min: 1, max: 2000 }) }),
    answers: { 200: Agent },
    errors: [400, 403, 404],
  }),
  suppressAgent: endpoint({
    method: 'POST',
    path: '/agents/{agent_id}/suppress',
    tag,
    summary: 'Take an agent out of the discovery queue',
    access: member,
    params,
    answers: { 204: null },
    errors: [400, 403, 404],
  }),
  suspendAgent: endpoint({
    method: 'POST',
    path: '/agents/{agent_id}/suspend',
    tag,
    summary: 'Suspend an agent: its edge denies everything',
    access: manager,
    params,
    answers: { 200: Agent },
    errors: [400, 403, 404, 409],
  }),
  resumeAgent: endpoint({
    method: 'POST',
    path: '/agents/{agent_id}/resume',
    tag,
    summary: 'Let a suspended agent work again',
    access: manager,
    params,
    answers: { 200: Agent },
    errors: [400, 403, 404, 409],
  }),
  rotateAgentKey: endpoint({
    method: 'POST',
    path: '/agents/{agent_id}/rotate-key',
    tag,
    summary: "Replace an agent's key; the old one stops at once",
    access: manager,
    params,
    answers: { 200: withKey },
    errors: [400, 403, 404, 409],
  }),
  getExecutionCoverage: endpoint({
    method: 'GET',
    path: '/agents/{agent_id}/execution-coverage',
    tag,
    summary: 'What is attested and observed of an agent, and what is open',
    access: viewer,
    params,
    answers: { 200: ExecutionCoverage },
    errors: [400, 404],
  }),
}
