import { z } from 'zod'
import { anyone, edge, member, viewer } from './access.ts'
import { attestedModes } from './agents.ts'
import { endpoint } from './endpoint.ts'
import { limit, name, offset, oneOf, page, text, timestamp, uuid } from './fields.ts'
import { effects, governanceModes } from './policies.ts'

export const Edge = z
  .object({
    id: uuid,
    tenant_id: uuid,
    name: z.string(),
    environment_id: uuid,
    key_prefix: z.string(),
    created_by: uuid.nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'Edge' })
export type Edge = z.output<typeof Edge>

export const NewEdge = z.object({ name: name({ max: 200 }), environment_id: uuid })
export type NewEdge = z.output<typeof NewEdge>

const version = z.int().min(1).max(2_147_483_647)
const hash = text({ max: 64 }).refine((value) => /^[0-9a-f]{64}$/.test(value), {
  error: 'must be 64 lower-case hexadecimal characters',
  abort: true,
})
const edgeVersion = text({ max: 100 })
const count = z.int().min(0)

export const Heartbeat = z.object({
  instance_id: text({ min: 1, max: 200 }),
  seq: z.int().min(0),
  edge_version: edgeVersion,
  agents: z
    .array(
      z.object({
        agent_id: uuid,
        policy_id: uuid.optional(),
        policy_version: version.optional(),
        policy_hash: hash.optional(),
      }),
    )
    .max(5000),
})
export type Heartbeat = z.output<typeof Heartbeat>

const BeatAnswer = z.object({
  interval_s: z.int(),
  agents: z.array(
    z.object({
      agent_id: uuid,
      profile_hash: z.string(),
      policy_id: uuid.nullable(),
      policy_version: z.int().nullable(),
    }),
  ),
})
export type BeatAnswer = z.output<typeof BeatAnswer>

export const MissionProfile = z
  .object({
    agent_id: uuid,
    agent_name: z.string(),
    status: z.string(),
    environment: z.object({ id: uuid, name: z.string(), slug: z.string() }).nullable(),
    governance_mode: oneOf(governanceModes),
    policy_id: uuid.nullable(),
    policy_version: z.int().nullable(),
    policy: z.looseObject({ default_effect: oneOf(effects), rules: z.array(z.looseObject({})) }),
    denied_because: z.string().optional(),
    profile_hash: z.string(),
    profile_seq: z.int(),
    issued_at: timestamp,
    signature: z.string(),
  })
  .meta({
    id: 'MissionProfile',
    description:
      'What an edge holds an agent to. `policy` is a policy version’s snapshot; its SHA-256 over RFC 8785 canonical JSON is ' +
      'the version’s `content_hash` and what a heartbeat reports as `policy_hash`. `profile_hash` is the same digest of ' +
      '{agent_id, agent_name, status, environment, governance_mode, policy_id, policy_version, policy_hash}, and of ' +
      '`denied_because` where the profile has it. A profile has it when it denies every call whatever the agent’s policy says: ' +
      '`archived`, `suspended`, `blocked`, `retired`, `not_approved`, `not_approved_in_production` or `no_policy`; later versions ' +
      'may add more. Conditions that ' +
      'begin with `agent.` and `environment.` are asked about {id, name, status} and {id, name, slug} as it has them. `profile_seq` never goes back. ' +
      '`signature` is Ed25519 over the canonical JSON of the profile without it, in base64.',
  })
export type MissionProfile = z.output<typeof MissionProfile>

export const EdgeSession = z
  .object({
    credential: oneOf(['agent', 'edge']),
    agent: z.object({ id: uuid, name: z.string() }).nullable(),
    environment: z.object({ id: uuid, name: z.string(), slug: z.string() }).nullable(),
  })
  .meta({
    id: 'EdgeSession',
    description:
      'Whom the credential serves. An agent’s key: `agent` is that agent and `environment` its environment, if it has one. ' +
      'An edge’s key: `agent` is null, and every agent of `environment` is served.',
  })
export type EdgeSession = z.output<typeof EdgeSession>

export const SigningKeys = z
  .object({
    keys: z.array(
      z.object({
        kid: z.string(),
        public_key_pem: z.string(),
        successor: z.object({ kid: z.string(), signature: z.string() }).optional(),
      }),
    ),
  })
  .meta({
    id: 'SigningKeys',
    description:
      'The key that signs comes first; those that signed before follow, the latest first, each with its `successor`: ' +
      '`signature` is its own Ed25519 signature, in base64, over the canonical JSON of {next_public_key_pem, ' +
      'previous_public_key_pem, purpose: "mandate signing key succession"}.',
  })
export type SigningKeys = z.output<typeof SigningKeys>

export const Attestation = z.object({
  agent_id: uuid,
  mode: oneOf(attestedModes),
  tools: z.array(text({ min: 1, max: 200 })).max(1000),
  mediation_points: z.array(text({ min: 1, max: 200 })).max(200),
  edge_version: edgeVersion,
})
export type Attestation = z.output<typeof Attestation>

export const ExecutionStats = z
  .object({
    agent_id: uuid,
    window_start: timestamp,
    window_end: timestamp,
    actions_seen: count,
    actions_mediated: count,
    unmediated_seen: count,
    by_effect: z
      .object({ allow: count.optional(), deny: count.optional(), require_approval: count.optional() })
      .optional(),
  })
  .refine((stats) => stats.window_end > stats.window_start, {
    path: ['window_end'],
    error: 'must be after window_start',
  })
  .refine((stats) => stats.actions_mediated <= stats.actions_seen, {
    path: ['actions_mediated'],
    error: 'must be at most actions_seen',
  })
export type ExecutionStats = z.output<typeof ExecutionStats>

export const Decision = z.object({
  decision_id: uuid,
  agent_id: uuid,
  tool: text({ min: 1, max: 300 }),
  effect: oneOf(effects),
  mode: oneOf(governanceModes),
  rule_id: uuid.optional(),
  policy_version: version.nullable(),
  args_digest: text({ max: 200 }),
  at: timestamp,
})
export type Decision = z.output<typeof Decision>

const tag = 'Edge'

export const edgeEndpoints = {
  createEdge: endpoint({
    method: 'POST',
    path: '/edges',
    tag,
    summary: 'Create an edge credential, which serves every agent of its environment',
    description: 'The key is in this answer and never again.',
    access: member,
    liveSession: true,
    body: NewEdge,
    answers: { 201: z.object({ edge: Edge, edge_key: z.string() }) },
    errors: [400, 403, 404],
  }),
  listEdges: endpoint({
    method: 'GET',
    path: '/edges',
    tag,
    summary: 'List edge credentials that work',
    access: viewer,
    query: z.object({ limit: limit(), offset }),
    answers: { 200: page(Edge) },
    errors: [400],
  }),
  revokeEdge: endpoint({
    method: 'DELETE',
    path: '/edges/{edge_id}',
    tag,
    summary: 'Revoke an edge credential',
    access: member,
    params: z.object({ edge_id: uuid }),
    answers: { 204: null },
    errors: [400, 403, 404],
  }),
  getEdgeSession: endpoint({
    method: 'GET',
    path: '/edge/session',
    tag,
    summary: 'Say whom the credential serves',
    access: edge,
    answers: { 200: EdgeSession },
    errors: [],
  }),
  beat: endpoint({
    method: 'POST',
    path: '/edge/heartbeat',
    tag,
    summary: 'Say which agents run under which policy, and learn which profile each should hold',
    description:
      'Agents that the credential does not serve are left out of the answer. An older `seq` changes nothing.',
    access: edge,
    body: Heartbeat,
    answers: { 200: BeatAnswer },
    errors: [400],
  }),
  getMissionProfile: endpoint({
    method: 'GET',
    path: '/edge/agents/{agent_id}/mission-profile',
    tag,
    summary: "Read an agent's signed mission profile",
    description: 'Carries `ETag`; `If-None-Match` with the current one is answered 304.',
    access: edge,
    params: z.object({ agent_id: uuid }),
    notModified: true,
    answers: { 200: MissionProfile },
    errors: [400, 404],
  }),
  getSigningKey: endpoint({
    method: 'GET',
    path: '/edge/signing-key',
    tag,
    summary: 'Read the public keys that profiles and audit checkpoints are signed with',
    access: anyone,
    answers: { 200: SigningKeys },
    errors: [],
  }),
  attest: endpoint({
    method: 'POST',
    path: '/edge/attestations',
    tag,
    summary: "State the runtime's own claim of what it mediates",
    access: edge,
    body: Attestation,
    answers: { 201: Attestation.extend({ attested_at: timestamp }) },
    errors: [400, 404],
  }),
  reportExecutionStats: endpoint({
    method: 'POST',
    path: '/edge/execution-stats',
    tag,
    summary: 'Report what actually reached the edge in a window of time',
    description: 'The same agent and window again replaces the earlier report.',
    access: edge,
    body: ExecutionStats,
    answers: { 202: null },
    errors: [400, 404],
  }),
  recordDecisions: endpoint({
    method: 'POST',
    path: '/edge/decisions',
    tag,
    summary: 'Record decisions the edge took, up to 1,000',
    description: 'Idempotent by `decision_id`.',
    access: edge,
    body: z.object({ decisions: z.array(Decision).max(1000) }),
    answers: { 202: z.object({ accepted: z.int(), duplicates: z.int() }) },
    errors: [400, 404],
  }),
}
