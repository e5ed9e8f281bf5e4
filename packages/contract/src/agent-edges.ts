import { z } from 'zod'
import { viewer } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { includeNames } from './endpoint/names.ts'
import { limit, oneOf, timestamp } from './fields/fields.ts'
import { agentId, nextPageToken, pageToken } from './fields/shared-fields.ts'
import { FreezeEdge, freezeEdgeStates } from './freezes.ts'

const count = z.int().meta({ maximum: 10_000 })

export const AgentEdge = FreezeEdge.omit({ signature: true })
  .extend({
    state: oneOf(freezeEdgeStates).describe(
      '`confirmed`: the newest mission profile of the agent is in force there. For a suspended agent, a profile since the suspension that denies every call is enough. `waiting`: the instance runs and has not confirmed. `unreachable`: it has not confirmed and has missed three heartbeats.',
    ),
    after_ms: z
      .int()
      .nullable()
      .describe(
        'Time from the suspension of the agent to the arrival of the confirmation, by the clock of the control plane, in milliseconds. Null unless the agent is suspended and the instance confirmed, and for an instance that started after the suspension.',
      ),
    profile_seq: z
      .int()
      .nullable()
      .describe(
        'Number of the newest mission profile of the agent that the instance confirmed. Null if it confirmed none.',
      ),
    confirmed_at: timestamp
      .nullable()
      .describe('When this confirmation arrived. Null if the instance confirmed no profile of the agent.'),
  })
  .meta({
    id: 'AgentEdge',
    description:
      'An edge instance that runs an agent, and whether it has the newest mission profile of the agent in force.',
  })
export type AgentEdge = z.output<typeof AgentEdge>

export const AgentEdges = z
  .object({
    profile_seq: z
      .int()
      .nullable()
      .describe('Number of the newest mission profile of the agent. Null while no edge has fetched this profile.'),
    suspended_at: timestamp
      .nullable()
      .describe('When the agent was suspended. Null if it is not suspended, and if the time is not known.'),
    edges: z
      .object({
        total: count.describe('Number of edge instances that run the agent.'),
        confirmed: count.describe('Number of these instances that have the newest mission profile in force.'),
        waiting: count.describe('Number of these instances that run and have not confirmed.'),
        unreachable: count.describe('Number of these instances that have not confirmed and are silent.'),
      })
      .optional()
      .describe(
        'Counts of all instances that the caller sees, whatever `state` is. Only on the first page. A count of 10,000 means 10,000 or more.',
      ),
    data: z.array(AgentEdge).describe('Instances of this page, ordered by credential and name.'),
    next_page_token: nextPageToken.optional(),
  })
  .meta({ id: 'AgentEdges', description: 'A page of the edge instances that run an agent, and how many there are.' })
export type AgentEdges = z.output<typeof AgentEdges>

export const AgentEdgesQuery = z.object({
  state: oneOf(freezeEdgeStates).optional().describe('Only instances in this state.'),
  page_size: limit(),
  page_token: pageToken.optional(),
  include: includeNames,
})
export type AgentEdgesQuery = z.output<typeof AgentEdgesQuery>

export const agentEdgeEndpoints = {
  listAgentEdges: endpoint({
    method: 'GET',
    path: '/agents/{agent_id}/edges',
    tag: 'Agents',
    summary: 'List the edge instances that run an agent',
    description:
      'The running instances whose newest heartbeat carried the agent, and whether each confirmed the newest mission profile of the agent. A suspension counts the same instances. A scoped user sees instances of the environments that they have access to, and instances with the own key of an agent that they see. One request reads a bounded number of instances, so a page may have fewer rows than `page_size`, even none, and still a `next_page_token`.',
    access: viewer,
    params: z.object({ agent_id: agentId }),
    query: AgentEdgesQuery,
    answers: { 200: AgentEdges },
    errors: [400, 404],
  }),
}
