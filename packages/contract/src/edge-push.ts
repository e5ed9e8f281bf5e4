import { z } from 'zod'
import { approvalStatuses } from './approvals.ts'
import { DelegationsVersion, MissionProfile } from './edge.ts'
import { edge } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { oneOf, text, timestamp, uuid } from './fields/fields.ts'
import { agentId, tenantId } from './fields/shared-fields.ts'
import { PinsVersion } from './tools.ts'

/** Maximum number of agents of one request for profiles. */
export const mostProfiles = 500
/** Maximum number of open streams per edge key or agent key, on one instance. */
export const mostStreamsOfKey = 100
/** Maximum number of open streams of the edges of one tenant, on one instance. */
export const mostEdgeStreamsOfTenant = 10_000

const instanceId = text({ min: 1, max: 200 })
const hash = text({ max: 64 }).refine((value) => /^[0-9a-f]{64}$/.test(value), {
  error: 'must be 64 lower-case hexadecimal characters',
  abort: true,
})

export const ProfilesRequest = z.object({
  agent_ids: z
    .array(agentId)
    .min(1)
    .max(mostProfiles)
    .describe(
      `Agents whose profiles are read, at most ${mostProfiles}. Agents for which the key is not valid are left out of the answer.`,
    ),
  known_hashes: z
    .array(hash)
    .max(mostProfiles)
    .optional()
    .describe(
      '`profile_hash` of profiles that the edge has. Such a profile is not sent again: its agent is listed in `unchanged`.',
    ),
  instance_id: instanceId
    .optional()
    .describe(
      'The open streams of this instance, as in `GET /edge/stream`, tell changes of these agents from now on. Send it with the first requests after the stream has opened.',
    ),
})
export type ProfilesRequest = z.output<typeof ProfilesRequest>

export const Profiles = z.object({
  data: z.array(MissionProfile).describe('Signed profiles of agents.'),
  unchanged: z.array(agentId).describe('Agents whose current profile is one of `known_hashes`.'),
  remaining: z.array(agentId).describe('Agents whose profiles did not fit in this answer. Request them again.'),
})
export type Profiles = z.output<typeof Profiles>

// What the stream sends. Edges check it with these schemas. A new type of event is one line in `edgeEvents`, and one source of events in
// `features/edge-push/edge-events.ts` of the server.

export const ProfileEvent = z.object({
  agent_id: agentId,
  profile_hash: z.string().describe('Hash of the current mission profile.'),
  profile_seq: z.int().describe('Number of the current mission profile.'),
})
export type ProfileEvent = z.output<typeof ProfileEvent>

export const ApprovalEvent = z.object({
  approval_id: uuid.describe('Id of the approval.'),
  status: oneOf(approvalStatuses).describe('Status of the approval.'),
})
export type ApprovalEvent = z.output<typeof ApprovalEvent>

export const FreezeEvent = z.object({
  id: uuid.describe('Id of the freeze.'),
  tenant_id: tenantId
    .optional()
    .describe(
      'Id of the tenant. An edge refuses a freeze of the organization if its profiles name another tenant. Absent in events of earlier versions.',
    ),
  scope: oneOf(['agent', 'environment', 'organization']).describe('What the freeze stops.'),
  agent_id: agentId.optional().describe('The agent, if the scope is `agent`.'),
  environment_id: uuid.optional().describe('The environment, if the scope is `environment`.'),
  drill: z.boolean().describe('True for a drill, which stops nothing.'),
  lifted: z.boolean().describe('True if the freeze has ended. Fetch the profiles: other freezes may remain.'),
  at: timestamp.describe('When the freeze started, or when it was lifted.'),
  signature: z
    .string()
    .describe('Ed25519 signature, base64, over the RFC 8785 form of the other fields, as for mission profiles.'),
})
export type FreezeEvent = z.output<typeof FreezeEvent>

export const CredentialEvent = z.object({
  name: z.string().describe('Name of the credential.'),
  version: z
    .int()
    .nullable()
    .describe('Current version of the credential. Null if no credential has this name any more.'),
})
export type CredentialEvent = z.output<typeof CredentialEvent>

export const PinsEvent = PinsVersion
export type PinsEvent = z.output<typeof PinsEvent>

export const DelegationsEvent = DelegationsVersion
export type DelegationsEvent = z.output<typeof DelegationsEvent>

/** The events of `GET /edge/stream`. */
export const edgeEvents = {
  profile: ProfileEvent,
  approval: ApprovalEvent,
  freeze: FreezeEvent,
  credential: CredentialEvent,
  pins: PinsEvent,
  delegations: DelegationsEvent,
} as const
export type EdgeEventType = keyof typeof edgeEvents

const tag = 'Edge'

export const edgePushEndpoints = {
  streamToEdge: endpoint({
    method: 'GET',
    path: '/edge/stream',
    tag,
    summary: 'Receive changes that an edge must know at once',
    description:
      'A stream of server-sent events that stays open. `profile {agent_id, profile_hash, profile_seq}`: an agent has another mission profile; fetch it with `POST /edge/profiles`. `approval {approval_id, status}`: an approval was resolved, used, or has expired. `freeze {id, tenant_id, scope, agent_id?, environment_id?, drill, lifted, at, signature}`: a freeze has started or ended. The signature is made like that of a mission profile, over the event without `signature`. `credential {name, version}`, for edge keys: a credential of the environment was changed, or deleted if `version` is null; fetch it with `GET /edge/credentials/{name}`. `pins {version}`: pins, blocks or labels of tools in the environment have changed; read `GET /edge/pins`. `delegations {version}`: a delegation in the environment has ended; read `GET /edge/delegations/ended`. Later versions may add types, and fields. A stream of an agent key is about its agent. A stream of an edge key is about the agents that requests with the same `instance_id` name: heartbeats to the same server, and `POST /edge/profiles` to any server. Freezes are told to each edge of the environment. Events are not repeated after an interruption, so a client opens the stream first and then sends `POST /edge/profiles`. A comment comes every 15 seconds. The stream ends when the key is revoked, and when it is no longer valid for an agent of the stream.',
    access: edge,
    query: z.object({
      instance_id: instanceId
        .optional()
        .describe(
          'Name of the running edge, as in its heartbeats. Without it, the stream is about the agents of all instances of the key.',
        ),
    }),
    answers: { 200: z.string() },
    errors: [400, 429, 503],
    produces: 'text/event-stream',
    staysOpen: true,
  }),
  getMissionProfiles: endpoint({
    method: 'POST',
    path: '/edge/profiles',
    tag,
    summary: 'Read signed mission profiles of many agents',
    description:
      'Answers the same profiles as `GET /edge/agents/{agent_id}/mission-profile`. The answer has at most about 4 MiB of policies. The agents of the others are in `remaining`.',
    access: edge,
    body: ProfilesRequest,
    answers: { 200: Profiles },
    errors: [400],
  }),
}
