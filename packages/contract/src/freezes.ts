import { z } from 'zod'
import { manager, viewer } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { includeMayNames, includeNames } from './endpoint/names.ts'
import { booleanParam, limit, name, offset, oneOf, page, timestamp, uuid } from './fields/fields.ts'
import { createdAt, environmentReference, mayFields, nextPageToken, pageToken } from './fields/shared-fields.ts'

export const freezeScopes = ['agent', 'environment', 'organization'] as const
export type FreezeScope = (typeof freezeScopes)[number]
/** `waiting`: the instance runs and has not confirmed. `unreachable`: it has not confirmed and is silent. */
export const freezeEdgeStates = ['confirmed', 'waiting', 'unreachable'] as const

const count = z.int().meta({ maximum: 10_000 })

const target = {
  scope: oneOf(freezeScopes).describe(
    'What the freeze stops: one agent, every agent of an environment, or every agent of the organization.',
  ),
  agent_id: uuid.optional().describe('The agent. Required with the scope `agent`, and only then allowed.'),
  environment_id: uuid
    .optional()
    .describe('The environment. Required with the scope `environment`, and only then allowed.'),
}

export interface FreezeTarget {
  scope: FreezeScope
  agent_id?: string | undefined
  environment_id?: string | undefined
}

/** Returns the field that the scope needs or that it does not allow; null if the fields match the scope. */
export function faultOfTarget({ scope, agent_id, environment_id }: FreezeTarget): string | null {
  if (scope === 'agent' && agent_id === undefined) return 'agent_id is required with the scope agent'
  if (scope !== 'agent' && agent_id !== undefined) return 'agent_id is only allowed with the scope agent'
  if (scope === 'environment' && environment_id === undefined)
    return 'environment_id is required with the scope environment'
  if (scope !== 'environment' && environment_id !== undefined)
    return 'environment_id is only allowed with the scope environment'
  return null
}

export const FreezePreview = z
  .object({
    agents: count.describe('Number of agents that the freeze would stop, without archived agents.'),
    edges: count.describe('Number of edge instances that would have to stop, silent instances included.'),
    silent: count.describe('Number of these instances that have missed three heartbeats.'),
    approvals: count.describe('Number of pending approvals that would expire.'),
  })
  .meta({
    id: 'FreezePreview',
    description:
      'What a freeze would reach, as far as the caller sees it. A count of 10,000 means 10,000 or more. Reading it changes nothing.',
  })
export type FreezePreview = z.output<typeof FreezePreview>

export const NewFreeze = z.object({
  ...target,
  reason: name({ max: 2000 }).describe('Why, trimmed, 1 to 2,000 characters.'),
  drill: z
    .boolean()
    .optional()
    .describe('True for a drill: it measures how fast edges confirm, and stops nothing. False if it is left out.'),
})
export type NewFreeze = z.output<typeof NewFreeze>

export const Freeze = z
  .object({
    id: uuid.describe('Id of the freeze.'),
    scope: oneOf(freezeScopes).describe('What the freeze stops: one agent, an environment, or the organization.'),
    agent_id: uuid.nullable().describe('The agent. Null unless the scope is `agent`.'),
    environment_id: uuid.nullable().describe('The environment. Null unless the scope is `environment`.'),
    name: z.string().describe('Name of the agent, environment or organization when the freeze started.'),
    reason: z.string().describe('Why the freeze was started.'),
    drill: z.boolean().describe('True for a drill. A drill stops nothing, is never active and cannot be lifted.'),
    active: z.boolean().describe('True while the freeze stops agents.'),
    agents: count
      .nullable()
      .describe(
        'Number of agents that it covered when it started, without archived agents. 10,000 means 10,000 or more. Null if it covers agents that the caller does not see.',
      ),
    approvals_ended: z
      .int()
      .nullable()
      .describe(
        'Number of approvals that the freeze ended. It may still grow shortly after the start. Null if the freeze covers agents that the caller does not see.',
      ),
    created_by: uuid
      .nullable()
      .describe('Id of the user who started it. It stays after that user was removed. Null if it is not known.'),
    created_at: createdAt,
    lifted_by: uuid.nullable().describe('Id of the user who lifted it. Null while it is not lifted.'),
    lifted_at: timestamp.nullable().describe('When it was lifted. Null while it is not lifted.'),
    lift_reason: z.string().nullable().describe('Why it was lifted. Null while it is not lifted.'),
    edges: z
      .object({
        total: count.describe('Number of edge instances that have to confirm.'),
        confirmed: count.describe('Number of these instances that confirmed that the freeze is in force.'),
        unreachable: count.describe('Number of these instances that have not confirmed and are silent.'),
      })
      .nullable()
      .describe(
        'Running edge instances, also those with the own key of an agent. After the freeze was lifted, the numbers of that moment. A drill is measured for about a day. A count of 10,000 means 10,000 or more. Null if the freeze is over and covers more than the caller sees. Null in a list if the open freezes of the page concern too many instances to count; read the freeze itself then.',
      ),
    confirmed_all_at: timestamp
      .nullable()
      .describe(
        'When the last instance confirmed. Null while an instance has not confirmed, if no instance has to, and if it is not known. Null in a list if `edges` is null.',
      ),
    audit_entry_id: uuid.describe('Audit entry of the start: `freeze.started` or `freeze.drilled`.'),
    ...mayFields,
  })
  .meta({
    id: 'Freeze',
    description:
      'One act that stops agents. Each agent that an active freeze covers gets a mission profile that denies every call. Its status stays as it is.',
  })
export type Freeze = z.output<typeof Freeze>

export const FreezeEdge = z
  .object({
    edge: z
      .object({ id: uuid.describe('Id of the edge credential.'), name: z.string().describe('Name of the edge.') })
      .nullable()
      .describe('The edge. Null for an instance with the own key of an agent.'),
    agent: z
      .object({ id: uuid.describe('Id of the agent.'), name: z.string().describe('Name of the agent.') })
      .nullable()
      .describe('The agent whose own key the instance uses. Null for an edge.'),
    environment: environmentReference
      .nullable()
      .describe('Environment of the edge or of the agent. Null if it was deleted, or if the agent has none.'),
    instance_id: z.string().describe('Name of the running process, as it calls itself.'),
    state: oneOf(freezeEdgeStates).describe(
      '`confirmed`: the freeze is in force there. `waiting`: the instance runs and has not confirmed. `unreachable`: it has not confirmed and has missed three heartbeats.',
    ),
    after_ms: z
      .int()
      .nullable()
      .describe(
        'Time from the start of the freeze to the arrival of the confirmation, by the clock of the control plane, in milliseconds. Null unless it confirmed.',
      ),
    last_heartbeat_at: timestamp
      .nullable()
      .describe('When the newest heartbeat of the instance arrived. Null if the instance stopped more than a day ago.'),
    closes_at: timestamp
      .nullable()
      .describe(
        'Until when the instance keeps deciding by its policies if the control plane receives no further heartbeat. Null if it keeps them without a time limit, or if it does not say.',
      ),
    agents: z
      .int()
      .nullable()
      .describe(
        'Number of agents in the newest heartbeat of the instance. Null for a user with scoped access, who may not see every agent, and if the instance stopped more than a day ago.',
      ),
    kid: z.string().nullable().describe('Key that signed the confirmation. Null if it is unsigned or missing.'),
    signature: z
      .string()
      .nullable()
      .describe('Signature of the batch of confirmations, as the edge sent it. Null if it is unsigned or missing.'),
  })
  .meta({ id: 'FreezeEdge', description: 'An edge instance that a freeze concerns, and whether it confirmed.' })
export type FreezeEdge = z.output<typeof FreezeEdge>

const params = z.object({ freeze_id: uuid.describe('Id of the freeze.') })
const tag = 'Freezes'

export const freezeEndpoints = {
  previewFreeze: endpoint({
    method: 'GET',
    path: '/freezes/preview',
    tag,
    summary: 'Preview the reach of a freeze',
    description: 'Counts what a freeze would stop, as far as the caller sees it. Changes nothing.',
    access: viewer,
    query: z.object({ ...target, scope: target.scope.meta({ examples: ['organization'] }) }),
    answers: { 200: FreezePreview },
    errors: [400, 404],
  }),
  createFreeze: endpoint({
    method: 'POST',
    path: '/freezes',
    tag,
    summary: 'Freeze an agent, an environment or the organization',
    description:
      'From the commit on, no approval of a frozen agent can be granted or used. Edges deny every call of the agents: at once over their stream, and without a stream with the next heartbeat answer. The open approvals of the agents expire. The scope `organization` is reserved for owners. 409 if an active freeze has the same target, and for an archived agent. With `drill`, nothing is stopped.',
    access: manager,
    body: NewFreeze,
    answers: { 201: Freeze },
    errors: [400, 403, 404, 409],
  }),
  listFreezes: endpoint({
    method: 'GET',
    path: '/freezes',
    tag,
    summary: 'List freezes and drills, active freezes first, then the newest',
    description:
      'A scoped user sees the freezes of agents and environments that they see. A key bound to an environment sees those of its environment. Everybody sees freezes of the organization.',
    access: viewer,
    query: z.object({
      active: booleanParam.describe(
        'Only freezes that stop agents now (`true`), or only lifted freezes and drills (`false`).',
      ),
      limit: limit(),
      offset,
      include: includeMayNames,
    }),
    answers: { 200: page(Freeze) },
    errors: [400],
  }),
  getFreeze: endpoint({
    method: 'GET',
    path: '/freezes/{freeze_id}',
    tag,
    summary: 'Read a freeze',
    description: 'A freeze or drill, and how many edge instances confirmed it.',
    access: viewer,
    params,
    query: z.object({ include: includeMayNames }),
    answers: { 200: Freeze },
    errors: [400, 404],
  }),
  listFreezeEdges: endpoint({
    method: 'GET',
    path: '/freezes/{freeze_id}/edges',
    tag,
    summary: 'List the edge instances that a freeze concerns',
    description:
      'Instances that have not confirmed are listed while the freeze is active, and for a drill for about a day. One request reads a bounded number of instances, so a page may have fewer rows than `page_size`, even none, and still a `next_page_token`.',
    access: viewer,
    params,
    query: z.object({
      state: oneOf(freezeEdgeStates).optional().describe('Only instances in this state.'),
      page_size: limit(),
      page_token: pageToken.optional(),
      include: includeNames,
    }),
    answers: {
      200: z.object({
        data: z.array(FreezeEdge).describe('Instances of this page, ordered by credential and name.'),
        next_page_token: nextPageToken.optional(),
      }),
    },
    errors: [400, 404],
  }),
  liftFreeze: endpoint({
    method: 'POST',
    path: '/freezes/{freeze_id}/lift',
    tag,
    summary: 'Lift a freeze',
    description:
      'Ends this freeze for every agent that it covers. Other freezes and suspensions remain. Approvals that ended stay expired. The same role as for the start is needed. 409 if the freeze was lifted already, and for a drill.',
    access: manager,
    params,
    body: z.object({ reason: name({ max: 2000 }).describe('Why, trimmed, 1 to 2,000 characters.') }),
    answers: { 200: Freeze },
    errors: [400, 403, 404, 409],
  }),
}
