import { z } from 'zod'
import { manager, member, viewer } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { includeNames } from './endpoint/names.ts'
import { limit, name, oneOf, record, sortParam, text, timestamp, uuid } from './fields/fields.ts'
import { include } from './fields/include.ts'
import {
  agentId,
  createdAt,
  environmentReference,
  includeTexts,
  mayFields,
  nextPageToken,
  policyId,
  policyVersion,
  tenantId,
  updatedAt,
} from './fields/shared-fields.ts'
import { findingTypes, severities, timelineTypes } from './words/agent-words.ts'
import { governanceModes } from './words/policy-words.ts'

export const agentStatuses = ['registered', 'active', 'suspended', 'archived'] as const
export const agentSources = ['runtime', 'github', 'salesforce', 'm365', 'snowflake'] as const
export const governanceStates = ['discovered', 'governed', 'suppressed'] as const
export const lifecycleStatuses = ['proposed', 'approved', 'blocked', 'retired'] as const
export const executionCoverageStates = ['unknown', 'claimed', 'observed', 'covered', 'partial', 'stale'] as const
export const driftStates = ['true', 'false', 'unknown'] as const
export const heartbeatStates = ['recent', 'late', 'never'] as const
export const agentSorts = ['newest', 'attention', 'name', 'last_heartbeat'] as const
export const attestedModes = ['full', 'partial', 'none'] as const
/** Maximum number of agents on a page of the list. */
export const maxAgentsPage = 200
export type Severity = (typeof severities)[number]
export type FindingType = (typeof findingTypes)[number]
export type LifecycleStatus = (typeof lifecycleStatuses)[number]

export const Finding = z
  .object({
    id: uuid.describe('Id of the finding.'),
    agent_id: agentId,
    type: oneOf(findingTypes).describe(
      'What the finding is about. An agent has at most one open finding of each type.',
    ),
    severity: oneOf(severities).describe(
      'How serious the finding is. It depends on the type and on whether the agent is in a production environment.',
    ),
    status: oneOf(['open', 'closed']).describe(
      '`open` until the cause is gone. Findings close by themselves. A person may accept a `decision_gap`, which closes it.',
    ),
    evidence: z
      .record(z.string(), z.unknown())
      .describe(
        'The facts that opened the finding, such as the approved and the running policy version. The keys depend on the type. A finding that may have several cases has them in `items`, the newest 50.',
      ),
    remediation: z.string().describe('What to do, in one sentence. The finding closes when it is done.'),
    opened_at: timestamp.describe('When the finding was opened.'),
    closed_at: timestamp.nullable().describe('When the finding was closed. Null while it is open.'),
    ...mayFields,
  })
  .meta({
    id: 'Finding',
    description:
      'Something about an agent that needs attention. `coverage_gap`: the attestation or the execution stats show calls that are not mediated. `evidence_stale`: the evidence is stale. `unapproved_running`: an edge reports the agent, and it is not approved. `policy_drift_unapproved`: what runs is not the approval of record. `approval_without_record`: the agent was approved directly, so it has no approval of record and drift is not detected. `decision_gap`: records of decisions are missing, or an edge sent two different records with the same number. `tool_definition_changed`: the agent may call a tool whose declared definition is not pinned, while others are; `evidence.items` has `tool_id`, `tool` and `hash`.',
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
        content_hash: z
          .string()
          .nullable()
          .describe('Content hash of the approved version. Drift compares it with what runs. Null if it is not known.'),
        approved_by: uuid
          .nullable()
          .describe(
            'Id of the user who resolved the review. It stays after that user was removed. Null if it is not known.',
          ),
        approved_at: timestamp.nullable().describe('When the review was resolved. Null if it is not known.'),
        review_id: uuid.nullable().describe('The review that set the approval. Null if it is not known.'),
      })
      .nullable()
      .describe(
        'The approval of record: the policy and version that a review approved. Null before the first approval.',
      ),
    running_policy: z
      .object({
        id: policyId,
        version: z.int().nullable().describe('Reported version. Null if the edge reported no version.'),
        reported_at: timestamp.describe('When an edge last reported this policy.'),
        content_hash: z
          .string()
          .nullable()
          .describe('Content hash that runs. Null if the edge reported neither the hash nor a known version.'),
        since: timestamp
          .nullable()
          .describe(
            'When an edge first reported this version, without another one in between. Null if Mandate did not record it.',
          ),
        edge: z
          .object({
            id: uuid.describe('Id of the edge credential.'),
            name: z.string().describe('Name of the edge when it reported.'),
            version: z.string().nullable().describe('Version of the edge program. Null if it is not known.'),
          })
          .nullable()
          .describe(
            'The edge that reported this policy. Null if the report used the agent key, and if the edge is not known.',
          ),
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
    frozen: z
      .boolean()
      .describe('True while an active freeze covers the agent: its own, of its environment, or of the organization.'),
    new_key_unused_since: timestamp
      .nullable()
      .describe(
        'When the key of the agent was rotated, while the edges that ran with the key before have not reported with the new key. Their requests are refused. Null otherwise.',
      ),
    created_at: createdAt,
    updated_at: updatedAt,
    ...mayFields,
    activity: z
      .object({
        from: timestamp.describe('Start of the first hour.'),
        hours: z
          .array(z.array(z.int()).length(3))
          .length(24)
          .describe('For each hour the number of allowed calls, denied calls, and calls that waited for a person.'),
      })
      .optional()
      .describe(
        'Decisions about the calls of the last 24 hours. The last hour is the current one. Only with `include=activity`.',
      ),
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

const includeOfAgents = include(
  ['may', 'names', 'activity'],
  `${includeTexts.may} ${includeTexts.names} ${includeTexts.activity}`,
)

/** Filters of the agent list. */
export const AgentConditions = z.object({
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
  environment_id: uuid.optional().describe('Only agents of this environment.'),
  policy_id: uuid.optional().describe('Only agents to which this policy is assigned.'),
  owner_user_id: z
    .union([z.literal('none'), uuid], { error: 'must be a UUID or none' })
    .optional()
    .describe('Only agents for which this user answers. `none`: only agents without an owner.'),
  drift: oneOf(driftStates)
    .optional()
    .describe('Only agents with this value of `drift`. `unknown`: only agents whose `drift` is null.'),
  framework: text({ max: 200 })
    .optional()
    .describe('Only agents with exactly this framework. An empty value: only agents without a framework.'),
  heartbeat: oneOf(heartbeatStates)
    .optional()
    .describe(
      'Only agents whose last heartbeat is `recent` (at most three intervals ago) or `late`, or that `never` had one.',
    ),
})
export type AgentConditions = z.output<typeof AgentConditions>

export const AgentFilters = AgentConditions.extend({
  sort: sortParam(agentSorts, 'newest').describe(
    'Order of the list. `newest`: newest agent first. `attention`: agents with open findings first, by their highest severity and then by the newest finding of that severity; the others by name. `name`: by name, upper and lower case are the same. `last_heartbeat`: latest heartbeat first, then agents without one; if more than 5,000 agents match each filter, heartbeats of the same ten minutes count as equally late.',
  ),
  page_size: limit({ fallback: 50, max: maxAgentsPage }),
  page_token: text({ max: 4000 })
    .describe(
      'The `next_page_token` of the page before. Leave it out for the first page. A token of another list or of another `sort` is 400.',
    )
    .optional(),
  include: includeOfAgents,
})
export type AgentFilters = z.output<typeof AgentFilters>

const FacetCount = z
  .object({
    key: z.string().describe('Value of the filter, such as an id or a word. `none` for agents without an owner.'),
    name: z.string().describe('Name of the environment, policy or user. The key itself for other filters.'),
    count: z
      .int()
      .max(10_000)
      .describe('Number of agents that the list has with this value. 10,000 means 10,000 or more.'),
    at_least: z
      .literal(true)
      .optional()
      .describe('Present if only the newest agents were counted, so the list may have more agents with this value.'),
  })
  .meta({ id: 'AgentFacetCount', description: 'A value of a filter of agents, and how many agents have it.' })
export type FacetCount = z.output<typeof FacetCount>

const facet = (of: string) => z.array(FacetCount).describe(`${of} Most frequent first, at most 50 values.`)

export const AgentFacets = z
  .object({
    status: facet('Agents by status.'),
    source: facet('Agents by source.'),
    governance_state: facet('Agents by governance state.'),
    lifecycle_status: facet('Agents by lifecycle status.'),
    execution_coverage_state: facet('Agents by execution coverage.'),
    environment_id: facet('Agents by environment. Agents without an environment are left out.'),
    policy_id: facet('Agents by assigned policy. Agents without a policy are left out.'),
    owner_user_id: facet('Agents by owner.'),
    drift: facet('Agents by drift.'),
    framework: facet('Agents by framework.'),
    heartbeat: facet('Agents by last heartbeat.'),
  })
  .meta({ id: 'AgentFacets', description: 'How many agents of a list have each value of each filter.' })
export type AgentFacets = z.output<typeof AgentFacets>

export const TimelineEvent = z
  .object({
    at: timestamp.describe('When it happened.'),
    type: oneOf(timelineTypes).describe(
      '`lifecycle`: the agent was created, discovered, changed, suppressed or archived, or its lifecycle status changed. `suspension`: suspended or resumed. `freeze`: a freeze of the agent, of its environment or of the organization started or was lifted, or a drill ran. `policy`: a policy was assigned. `version`: a version of the assigned or of the approved policy was saved. `approval`: a review set the approval of record. `review`: another event of a review. `drift`: drift began or ended. `finding`: another finding opened or closed. `key`: the agent key was replaced.',
    ),
    actor: z
      .object({
        type: z.string().describe('`person`, `api_key`, `edge`, `agent`, `operator` or `system`.'),
        id: uuid.nullable().describe('Id of the user. Null for an actor that is no user.'),
        name: z.string().describe('Name of the actor at that time; of a person without a name, the e-mail address.'),
      })
      .describe('Who did it.'),
    resource: z
      .object({
        type: z.string().describe('`agent`, `policy`, `review`, `finding` or `freeze`.'),
        id: uuid.nullable().describe('Id of the resource.'),
        name: z.string().describe('Name of the resource at that time.'),
      })
      .describe('The object that changed.'),
    details: z
      .record(z.string(), z.unknown())
      .describe('The details of the audit entry, with the name of the event as `event_type`.'),
  })
  .meta({ id: 'AgentTimelineEvent', description: 'One event in the history of an agent.' })

const TimelineQuery = z.object({
  type: include(
    timelineTypes,
    'Only events of these types. May be repeated, and may list several types, separated by commas.',
  ),
  from: timestamp.optional().meta({ description: 'Events at this time or later.' }),
  to: timestamp.optional().meta({ description: 'Events before this time. 400 if it is before `from`.' }),
  limit: limit({ fallback: 50, max: 200 }),
  cursor: text({ max: 200 })
    .optional()
    .describe(
      'The `next_cursor` of the page before. Leave it out for the first page. A cursor of another agent is 400.',
    ),
})
export type TimelineQuery = z.output<typeof TimelineQuery>

const agentIds = z
  .array(uuid)
  .min(1)
  .max(200)
  .describe('Ids of 1 to 200 agents. If an id is in the list twice, its agent is changed once and gets one result.')

export const AgentsChange = z
  .discriminatedUnion(
    'action',
    [
      z.object({
        action: z.literal('assign_policy').describe('Assigns `policy_id` to each agent.'),
        agent_ids: agentIds,
        policy_id: uuid.describe('Policy to assign.'),
      }),
      z.object({
        action: z.literal('suppress').describe('Takes each agent out of the discovery queue.'),
        agent_ids: agentIds,
      }),
    ],
    { error: 'action must be one of assign_policy, suppress' },
  )
  .meta({ id: 'AgentsChange', description: 'A change of several agents.' })
export type AgentsChange = z.output<typeof AgentsChange>

const withKey = z.object({
  agent: Agent.describe('The agent as it is after the request.'),
  agent_key: z
    .string()
    .describe('The agent key: `ak_` and 64 hexadecimal characters. It is shown once and cannot be read again.'),
})
const params = z.object({ agent_id: agentId })
const tag = 'Agents'

const Why = z.object({
  reason: text({ min: 1, max: 2000 }).optional().describe('Why, 1 to 2,000 characters. The audit entry records it.'),
})

export const agentEndpoints = {
  listAgents: endpoint({
    method: 'GET',
    path: '/agents',
    tag,
    summary: 'List agents',
    description:
      'Governed agents, newest first, unless `governance_state` and `sort` say otherwise. A request tests a limited number of agents, so a page may have fewer agents than asked, or none, although there is a next page. The parameters `PageSize` and `PageToken` are accepted too.',
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
  getAgentFacets: endpoint({
    method: 'GET',
    path: '/agents/facets',
    tag,
    summary: 'Count agents by the values of each filter',
    description:
      'Takes the filters of the list. The counts of a filter leave out the filter itself, so they say what another value of it would find. Counts are exact up to 10,000 if at most 2,500 agents match one of the other filters, and without other filters. Otherwise, and for execution coverage and heartbeat of more than 2,500 agents, only the newest agents are counted, and `at_least` is true.',
    access: viewer,
    query: AgentConditions,
    answers: { 200: AgentFacets },
    errors: [400],
  }),
  getAgentTimeline: endpoint({
    method: 'GET',
    path: '/agents/{agent_id}/timeline',
    tag,
    summary: 'Read the history of an agent',
    description:
      'Newest first, from the audit trail: what happened to the agent, and the saved versions of its assigned and its approved policy. Calls of tools and approvals of calls are not part of it. A request reads a limited number of entries, so a page may have fewer events than asked, or none, although there is a next page.',
    access: viewer,
    params,
    query: TimelineQuery,
    answers: {
      200: z.object({
        data: z.array(TimelineEvent).describe('Events of this page.'),
        next_cursor: z
          .string()
          .optional()
          .describe('Send it as `cursor` to read the next page. Absent on the last page.'),
      }),
    },
    errors: [400, 404],
  }),
  changeAgents: endpoint({
    method: 'POST',
    path: '/agents/bulk',
    tag,
    summary: 'Change several agents',
    description:
      'Changes each agent as its own request would: with the same rules, errors and audit entries. Each agent is changed on its own, so an error of one agent does not undo the others.',
    access: member,
    body: AgentsChange,
    answers: {
      200: z.object({
        data: z
          .array(
            z.object({
              agent_id: agentId,
              error: z
                .string()
                .optional()
                .describe('Why this agent was not changed, as its own request would say. Absent on success.'),
            }),
          )
          .describe('One answer for each agent, in the order of the request.'),
      }),
    },
    errors: [400, 403],
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
    query: z.object({ include: includeOfAgents }),
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
    body: Why,
    bodyOptional: true,
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
    body: Why,
    bodyOptional: true,
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
    query: z.object({ include: includeNames }),
    answers: { 200: ExecutionCoverage },
    errors: [400, 404],
  }),
}
