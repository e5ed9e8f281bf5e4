import { z } from 'zod'
import { manager, member, viewer } from './access.ts'
import { endpoint } from './endpoint.ts'
import { limit, name, oneOf, record, text, timestamp, uuid } from './fields.ts'
import { governanceModes } from './policy-words.ts'
import {
  agentId,
  createdAt,
  environmentReference,
  nextPageToken,
  pageToken,
  policyId,
  policyVersion,
  tenantId,
  updatedAt,
} from './shared-fields.ts'

export const agentStatuses = ['registered', 'active', 'suspended', 'archived'] as const
export const agentSources = ['runtime', 'github', 'salesforce', 'm365', 'snowflake'] as const
export const governanceStates = ['discovered', 'governed', 'suppressed'] as const
export const lifecycleStatuses = ['proposed', 'approved', 'blocked', 'retired'] as const
export const executionCoverageStates = ['unknown', 'claimed', 'observed', 'covered', 'partial', 'stale'] as const
export const attestedModes = ['full', 'partial', 'none'] as const
/** Maximum number of agents on a page of the list. */
export const maxAgentsPage = 200
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
    id: uuid.describe('Id of the finding.'),
    agent_id: agentId,
    type: oneOf(findingTypes).describe(
      'What the finding is about. An agent has at most one open finding of each type.',
    ),
    severity: z
      .string()
      .describe(
        '`low`, `medium` or `high`. It depends on the type and on whether the agent is in a production environment.',
      ),
    status: oneOf(['open', 'closed']).describe('`open` until the cause is gone. Findings close by themselves.'),
    evidence: z
      .record(z.string(), z.unknown())
      .describe(
        'The facts that opened the finding, such as the approved and the running policy version. The keys depend on the type.',
      ),
    remediation: z.string().describe('What to do, in one sentence. The finding closes when it is done.'),
    opened_at: timestamp.describe('When the finding was opened.'),
    closed_at: timestamp.nullable().describe('When the finding was closed. Null while it is open.'),
  })
  .meta({
    id: 'Finding',
    description:
      'Something about an agent that needs attention. `coverage_gap`: the attestation or the execution stats show calls that are not mediated. `evidence_stale`: the evidence is stale. `unapproved_running`: an edge reports the agent, and it is not approved. `policy_drift_unapproved`: what runs is not the approval of record. `approval_without_record`: the agent was approved directly, so it has no approval of record and drift is not detected.',
  })

export type Finding = z.output<typeof Finding>

export const ExecutionCoverage = z
  .object({
    state: oneOf(executionCoverageStates).describe(
      'Execution coverage, computed when it is read. `covered` needs fresh evidence from attestation and execution stats, all of it mediated.',
    ),
    attested: z
      .object({
        mode: oneOf(attestedModes).describe('How much the runtime claims to mediate: `full`, `partial` or `none`.'),
        tools: z.array(z.string()).describe('Tools that the runtime says the agent can reach.'),
        mediation_points: z
          .array(z.string())
          .describe('Where the runtime says that calls pass the edge, such as `mcp`.'),
        edge_version: z.string().describe('Version of the edge that sent the attestation.'),
        attested_at: timestamp.describe('When the attestation arrived.'),
      })
      .nullable()
      .describe("The latest attestation: the runtime's own claim of what it mediates. Null before the first one."),
    observed: z
      .object({
        window_start: timestamp.describe('Start of the reporting window.'),
        window_end: timestamp.describe('End of the reporting window.'),
        actions_seen: z.int().describe('Number of actions of the agent that the edge saw in the window.'),
        actions_mediated: z.int().describe('Number of the seen actions that passed the edge.'),
        unmediated_seen: z.int().describe('Number of actions that the edge knows of and that did not pass it.'),
        reported_at: timestamp.describe('When the report arrived.'),
      })
      .nullable()
      .describe('The latest execution stats: what reached an edge. Null before the first report.'),
    findings: z.array(Finding).describe('Open findings of the agent, each with its remediation.'),
    computed_at: timestamp.describe('When this answer was computed.'),
  })
  .meta({
    id: 'ExecutionCoverage',
    description:
      'How much of what an agent does passes an edge: the claim of the runtime, what edges saw, and the open findings.',
  })

export const Agent = z
  .object({
    id: agentId,
    tenant_id: tenantId,
    name: z.string().describe('Name of the agent, at most 200 characters. Two agents may have the same name.'),
    description: z
      .string()
      .describe('What the agent does, in the words of its owner. Empty if nobody wrote a description.'),
    status: oneOf(agentStatuses).describe(
      'What the agent does. `registered`: no heartbeat named it so far. `active`: a heartbeat named it. `suspended` and `archived`: its edge denies every call.',
    ),
    source: oneOf(agentSources).describe(
      'Where the agent comes from. `runtime`: registered by an edge or a program. The other values: discovered in that platform.',
    ),
    governance_state: oneOf(governanceStates).describe(
      'Whether Mandate governs the agent. `discovered`: it has no policy so far. `suppressed`: it was taken out of the discovery queue.',
    ),
    governance_mode: oneOf(governanceModes)
      .nullable()
      .describe(
        'Mode of the assigned policy: its `override_mode`, or the mode of the environment if that is `inherit`. Null without a policy.',
      ),
    lifecycle_status: oneOf(lifecycleStatuses).describe(
      'What people decided about the agent. The governance gate sets the first value.',
    ),
    execution_coverage_state: oneOf(executionCoverageStates).describe(
      'The `state` of `execution_coverage`, for filters and lists.',
    ),
    execution_coverage: ExecutionCoverage.describe(
      'What is known of the calls that pass an edge. The same object as `GET /agents/{agent_id}/execution-coverage` returns.',
    ),
    environment: environmentReference
      .nullable()
      .describe('Environment of the agent. Null for an agent that was discovered in a platform.'),
    policy: z
      .object({ id: policyId, name: z.string().describe('Name of the policy.'), version: policyVersion })
      .nullable()
      .describe('The assigned policy at its current version. Null if no policy is assigned.'),
    approved_policy: z
      .object({
        id: policyId,
        version: z.int().nullable().describe('Approved version. Null if the approval names no version.'),
      })
      .nullable()
      .describe(
        'The approval of record: the policy and version that a review approved. Null before the first approval.',
      ),
    running_policy: z
      .object({
        id: policyId,
        version: z.int().nullable().describe('Reported version. Null if the edge reported no version.'),
        reported_at: timestamp.describe('When an edge reported this policy.'),
      })
      .nullable()
      .describe('The policy and version that the last heartbeat reported. Null if no edge reported a policy.'),
    drift: z
      .boolean()
      .nullable()
      .describe('True if the running policy is not the approved one. Null if the approval or the report is missing.'),
    framework: z.string().describe('Framework that the agent is built with, such as `langgraph`. Empty if unknown.'),
    model: z.string().describe('Model that the agent uses, as its owner names it. Empty if unknown.'),
    tools: z
      .array(z.string())
      .describe('Tools that the agent uses, as its owner lists them. The list grants nothing: the policy decides.'),
    metadata: z
      .record(z.string(), z.string())
      .describe("Names and values of the owner's choice. Mandate does not interpret them."),
    owner_user_id: uuid
      .nullable()
      .describe('Id of the user who answers for the agent. Null if the agent has no owner.'),
    last_heartbeat_at: timestamp
      .nullable()
      .describe('When a heartbeat last named the agent. Null before the first one.'),
    created_at: createdAt,
    updated_at: updatedAt,
  })
  .meta({
    id: 'Agent',
    description: 'An AI agent, registered by an edge or a program, or discovered in a connected platform.',
  })
export type Agent = z.output<typeof Agent>

const described = {
  name: name({ max: 200 }).describe(
    'Name of the agent, trimmed, 1 to 200 characters. Two agents may have the same name.',
  ),
  description: text({ max: 4000 }).optional().describe('What the agent does. At most 4,000 characters.'),
  framework: text({ max: 200 }).optional().describe('Framework that the agent is built with, such as `langgraph`.'),
  model: text({ max: 200 }).optional().describe('Model that the agent uses.'),
  tools: z
    .array(text({ min: 1, max: 200 }))
    .max(500)
    .optional()
    .describe('Tools that the agent uses, at most 500. The list grants nothing: the policy decides.'),
  metadata: record(text({ min: 1, max: 100 }), text({ max: 2000 }), {
    maxKeys: 50,
    error: 'must be at most 50 entries',
  })
    .optional()
    .describe(
      'Names and values of your choice: at most 50, each value at most 2,000 characters. Mandate does not interpret them.',
    ),
  owner_user_id: uuid
    .optional()
    .describe('Id of the user who answers for the agent. The user must belong to the tenant.'),
}

export const AgentCreate = z
  .object({
    ...described,
    environment_id: uuid
      .optional()
      .describe(
        'Environment of the agent. Required, unless an API key that is bound to an environment registers the agent.',
      ),
    policy_id: uuid
      .optional()
      .describe(
        "Policy to assign. It must be for the agent's environment or for every environment. Without it the agent starts as `discovered`.",
      ),
  })
  .meta({ id: 'AgentCreate', description: 'A runtime agent to register.' })
export type AgentCreate = z.output<typeof AgentCreate>

export const AgentUpdate = z
  .object({ ...described, name: described.name.optional() })
  .meta({ id: 'AgentUpdate', description: 'Fields of an agent to change. A field that is left out stays unchanged.' })
export type AgentUpdate = z.output<typeof AgentUpdate>

export const AgentFilters = z.object({
  status: oneOf(agentStatuses).optional().describe('Only agents with this status.'),
  source: oneOf(agentSources).optional().describe('Only agents that come from this source.'),
  governance_state: oneOf(governanceStates)
    .default('governed')
    .describe('Only agents with this governance state. `governed` if it is left out.'),
  lifecycle_status: oneOf(lifecycleStatuses).optional().describe('Only agents with this lifecycle status.'),
  execution_coverage: oneOf(executionCoverageStates)
    .optional()
    .describe('Only agents with this execution coverage. It is computed as `execution_coverage_state` is.'),
  search: text({ max: 200 })
    .optional()
    .describe('Only agents with this text in the name. Upper and lower case are the same.'),
  page_size: limit({ fallback: 50, max: maxAgentsPage }),
  page_token: pageToken.optional(),
})
export type AgentFilters = z.output<typeof AgentFilters>

const withKey = z.object({
  agent: Agent.describe('The agent as it is after the request.'),
  agent_key: z
    .string()
    .describe('The agent key: `ak_` and 64 hexadecimal characters. It is shown once and cannot be read again.'),
})
const params = z.object({ agent_id: agentId })
const tag = 'Agents'

export const agentEndpoints = {
  listAgents: endpoint({
    method: 'GET',
    path: '/agents',
    tag,
    summary: 'List agents, newest first',
    description:
      'Governed agents unless `governance_state` names another state. The parameters `PageSize` and `PageToken` are accepted too.',
    access: viewer,
    query: AgentFilters,
    answers: {
      200: z.object({
        data: z.array(Agent).describe('Agents of this page that the caller sees.'),
        next_page_token: nextPageToken.optional(),
      }),
    },
    errors: [400],
  }),
  createAgent: endpoint({
    method: 'POST',
    path: '/agents',
    tag,
    summary: 'Register a runtime agent',
    description:
      'The agent key is in this answer and cannot be read again. The governance gate decides the first `lifecycle_status`: `approved` for the gate `off`, otherwise `proposed` with an onboarding review.',
    access: member,
    liveSession: true,
    body: AgentCreate,
    answers: { 201: withKey },
    errors: [400, 403, 404],
  }),
  getAgent: endpoint({
    method: 'GET',
    path: '/agents/{agent_id}',
    tag,
    summary: 'Read an agent',
    description: '404 for an agent that the caller cannot see, as for an unknown id.',
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
    description: 'A field that is left out stays unchanged.',
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
    description:
      'The edge denies every call of an archived agent from its next heartbeat. Pending reviews of the agent are superseded. Archiving twice changes nothing.',
    access: member,
    params,
    answers: { 204: null },
    errors: [400, 403, 404],
  }),
  assignPolicy: endpoint({
    method: 'POST',
    path: '/agents/{agent_id}/assign-policy',
    tag,
    summary: 'Assign a policy to an agent',
    description:
      'A runtime agent takes a policy of its own environment or of every environment. The agent becomes `governed`. Its edge gets the policy at the next heartbeat.',
    access: member,
    params,
    body: z
      .object({
        policy_id: uuid.describe('Policy to assign. 404 if it is unknown, 400 if it is for another environment.'),
      })
      .meta({ id: 'AssignPolicyRequest', description: 'The policy to assign to an agent.' }),
    answers: { 200: Agent },
    errors: [400, 403, 404],
  }),
  changeLifecycle: endpoint({
    method: 'POST',
    path: '/agents/{agent_id}/lifecycle',
    tag,
    summary: 'Set the lifecycle status of an agent, outside the review queue',
    description:
      'Only an owner moves an agent to `approved`. The move sets no approval of record: only a review does. The value that the agent already has changes nothing.',
    access: manager,
    params,
    body: z.object({
      lifecycle_status: oneOf(lifecycleStatuses).describe('The lifecycle status to set.'),
      reason: text({ min: 1, max: 2000 }).describe(
        'Why the status changes, 1 to 2,000 characters. The audit entry records it.',
      ),
    }),
    answers: { 200: Agent },
    errors: [400, 403, 404],
  }),
  suppressAgent: endpoint({
    method: 'POST',
    path: '/agents/{agent_id}/suppress',
    tag,
    summary: 'Take an agent out of the discovery queue',
    description:
      'Suppressing an agent twice changes nothing. A caller who sees the whole tenant gets 204 even for an unknown id.',
    access: member,
    params,
    answers: { 204: null },
    errors: [400, 403, 404],
  }),
  suspendAgent: endpoint({
    method: 'POST',
    path: '/agents/{agent_id}/suspend',
    tag,
    summary: 'Suspend an agent',
    description:
      'The edge denies every call of a suspended agent. Its pending and unused approvals expire. Suspending twice changes nothing. 409 for an archived agent.',
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
    description:
      'A suspended agent becomes `active`. An agent that is not suspended stays as it is. 409 for an archived agent.',
    access: manager,
    params,
    answers: { 200: Agent },
    errors: [400, 403, 404, 409],
  }),
  rotateAgentKey: endpoint({
    method: 'POST',
    path: '/agents/{agent_id}/rotate-key',
    tag,
    summary: 'Replace the agent key',
    description:
      '409 for an archived agent and for one that was discovered in a platform. The new key is in this answer and cannot be read again. An edge that uses the old key must be started with the new one.',
    access: manager,
    liveSession: true,
    params,
    answers: { 200: withKey },
    errors: [400, 403, 404, 409],
  }),
  getExecutionCoverage: endpoint({
    method: 'GET',
    path: '/agents/{agent_id}/execution-coverage',
    tag,
    summary: 'Read the execution coverage of an agent',
    description:
      'Computed when it is read, from the latest attestation, the latest execution stats and the open findings.',
    access: viewer,
    params,
    answers: { 200: ExecutionCoverage },
    errors: [400, 404],
  }),
}
