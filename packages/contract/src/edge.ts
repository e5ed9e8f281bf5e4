import { z } from 'zod'
import { attestedModes } from './agents.ts'
import { ProfileContent } from './content.ts'
import { CredentialVersion } from './credentials.ts'
import { anyone, edge, member, viewer } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { includeMayNames, includeNames } from './endpoint/names.ts'
import { booleanParam, limit, name, objectAsSent, offset, oneOf, page, text, timestamp, uuid } from './fields/fields.ts'
import { agentId, createdAt, environmentReference, mayFields, tenantId } from './fields/shared-fields.ts'
import { freezeScopes } from './freezes.ts'
import { KeptArguments, mostKeptBytes } from './kept-arguments.ts'
import { PinsVersion } from './tools.ts'
import { contentActions, contentSides } from './words/content-words.ts'
import { denialReasons } from './words/denial-words.ts'
import { edgeFeatures } from './words/edge-features.ts'
import { effects, governanceModes } from './words/policy-words.ts'

export const Edge = z
  .object({
    id: uuid.describe('Id of the edge credential.'),
    tenant_id: tenantId,
    name: z.string().describe('Name of the edge, at most 200 characters.'),
    environment_id: uuid.describe('Environment whose agents the edge serves.'),
    key_prefix: z.string().describe('First 8 characters of the edge key. They are not secret.'),
    created_by: uuid
      .nullable()
      .describe(
        'Id of the user who created the credential. It stays after that user was removed. Null if it is not known.',
      ),
    created_at: createdAt,
    last_heartbeat_at: timestamp
      .nullable()
      .describe(
        'When the newest heartbeat with this key arrived. It may be a second older if several instances use the key. Null before the first heartbeat.',
      ),
    silent: z
      .boolean()
      .nullable()
      .describe(
        'Whether every instance of the edge has missed three heartbeat intervals. Null before the first heartbeat.',
      ),
    version: z
      .string()
      .nullable()
      .describe('Version of the instance with the newest heartbeat. Null before the first heartbeat.'),
    agents_served: z
      .int()
      .nullable()
      .describe(
        'Number of agents in the newest heartbeats. An agent that two running instances serve counts twice. A silent edge keeps the number of its last heartbeats. Null before the first heartbeat, and for a user with scoped access, who may not see every agent of the environment.',
      ),
    closes_at: timestamp
      .nullable()
      .describe(
        'Until when the edge keeps deciding by its policies if the control plane receives no further heartbeat. After this time it denies every call. Null if an instance is set to keep a policy without a time limit, if an instance does not report its setting, and before the first heartbeat.',
      ),
    lacks: z
      .array(oneOf(edgeFeatures))
      .nullable()
      .describe(
        'What at least one instance of the edge is too old for: it did not say in its last heartbeat that it knows this, so it may let calls pass that the policy stops. Update the edge. Null before the first heartbeat.',
      ),
    ...mayFields,
  })
  .meta({
    id: 'Edge',
    description:
      'An edge credential without the key itself. It serves every agent of one environment. An instance is a running process that uses the key. The fields about heartbeats count the instances that were heard in the three intervals before the newest heartbeat.',
  })
export type Edge = z.output<typeof Edge>

/** The kinds of keys with which an instance runs. */
export const instanceCredentials = ['edge', 'agent'] as const

export const EdgeInstance = z
  .object({
    instance_id: z.string().describe('Name of the instance, which it chose.'),
    edge: z
      .object({ id: uuid.describe('Id of the edge.'), name: z.string().describe('Name of the edge.') })
      .nullable()
      .describe('Edge whose key the instance uses. Null if it uses the own key of an agent.'),
    agent: z
      .object({ id: agentId, name: z.string().describe('Name of the agent.') })
      .nullable()
      .describe('Agent whose own key the instance uses. Null if it uses the key of an edge.'),
    environment_id: uuid.nullable().describe('Environment of the edge or of the agent. Null if it is not known.'),
    silent: z.boolean().describe('Whether the instance has missed three heartbeats.'),
    last_heartbeat_at: timestamp.describe('When the last heartbeat of the instance arrived.'),
    version: z.string().describe('Version of the instance. Empty if it did not say.'),
    agents_served: z
      .int()
      .nullable()
      .describe(
        'Number of agents in the last heartbeat. Null for a user with scoped access, unless the instance uses the own key of an agent.',
      ),
    closes_at: timestamp
      .nullable()
      .describe('Until when the instance keeps deciding without a further heartbeat, as `closes_at` of an edge.'),
    lacks: z.array(oneOf(edgeFeatures)).describe('What the instance is too old for, as `lacks` of an edge.'),
  })
  .meta({
    id: 'EdgeInstance',
    description:
      'A running edge process that serves agents. Instances that stopped are left out as soon as a newer instance of the same key reports, and after a day.',
  })
export type EdgeInstance = z.output<typeof EdgeInstance>

export const NewEdge = z.object({
  name: name({ max: 200 }).describe('Name of the edge, trimmed, 1 to 200 characters.'),
  environment_id: uuid.describe('Environment whose agents the edge serves.'),
})
export type NewEdge = z.output<typeof NewEdge>

const version = z.int().min(1).max(2_147_483_647)
const hash = text({ max: 64 }).refine((value) => /^[0-9a-f]{64}$/.test(value), {
  error: 'must be 64 lower-case hexadecimal characters',
  abort: true,
})
const edgeVersion = text({ max: 100 })
const count = z.int().min(0)

export const Heartbeat = z.object({
  instance_id: text({ min: 1, max: 200 }).describe(
    'Name of the running edge, stable until it stops. At most 200 characters.',
  ),
  seq: z.int().min(0).describe('Number of the heartbeat, which grows with each heartbeat of the instance.'),
  edge_version: edgeVersion.describe('Version of the edge, at most 100 characters.'),
  agents: z
    .array(
      z.object({
        agent_id: agentId,
        policy_id: uuid.optional().describe('Policy that the edge enforces for the agent. Left out if it has none.'),
        policy_version: version.optional().describe('Version of that policy.'),
        policy_hash: hash.optional().describe('Content hash of that version, as 64 lower-case hexadecimal characters.'),
      }),
    )
    .max(5000)
    .describe('Agents that the edge runs, at most 5,000.'),
  closes_after_beats: z
    .int()
    .min(1)
    .max(1000)
    .nullable()
    .optional()
    .describe(
      'After how many missed heartbeats the edge denies every call. Null if it keeps the policy of an agent without a time limit while the control plane cannot be reached.',
    ),
  features: z
    .array(text({ min: 1, max: 40 }))
    .max(50)
    .optional()
    .describe(
      `What the edge knows, of ${edgeFeatures.map((feature) => `\`${feature}\``).join(', ')}. Other words are ignored. Left out by earlier edges.`,
    ),
})
export type Heartbeat = z.output<typeof Heartbeat>

const FreezeNotice = z.object({
  id: uuid.describe('Id of the freeze.'),
  scope: oneOf(freezeScopes).describe('What the freeze stops.'),
  agent_id: uuid.nullable().describe('The agent. Null unless the scope is `agent`.'),
  environment_id: uuid.nullable().describe('The environment. Null unless the scope is `environment`.'),
  drill: z.boolean().describe('True for a drill, which stops nothing.'),
})
export type FreezeNotice = z.output<typeof FreezeNotice>

export const DelegationsVersion = z.object({
  version: z.int().describe('Version of the list of ended delegations of the environment.'),
})
export type DelegationsVersion = z.output<typeof DelegationsVersion>

const HeartbeatResponse = z.object({
  interval_s: z.int().describe('Seconds until the next heartbeat.'),
  dashboard_url: z
    .string()
    .optional()
    .describe(
      'Address of the dashboard, without a slash at its end. When the edge stops a call, it names the page `{dashboard_url}/decisions/{decision_id}`. Absent if `PUBLIC_URL` is not set, and in answers of earlier versions.',
    ),
  agents: z
    .array(
      z.object({
        agent_id: agentId,
        profile_hash: z
          .string()
          .describe(
            'Hash of the mission profile that the agent should have. Fetch the profile if the edge has another one.',
          ),
        policy_id: uuid.nullable().describe('Policy of that profile. Null if the profile denies every call.'),
        policy_version: z.int().nullable().describe('Version of that policy. Null if the profile denies every call.'),
        profile_seq: z
          .int()
          .optional()
          .describe(
            'Number that this profile has or gets when it is read. Fetch the profile if the number of the edge is lower. A drill raises it and keeps `profile_hash`. Absent in answers of earlier versions.',
          ),
      }),
    )
    .describe('Agents of the heartbeat that the credential serves.'),
  freezes: z
    .array(FreezeNotice)
    .optional()
    .describe(
      'Active freezes and current drills that this instance has not confirmed, at most 200. Absent if nothing is left to confirm.',
    ),
  credentials: z
    .array(CredentialVersion)
    .optional()
    .describe(
      'Credentials of the environment of the edge, at most 200. Fetch those of which the edge has another version, and forget those that are not listed. Absent for an agent key, if the environment never had a credential, and in answers of earlier versions.',
    ),
  pins: PinsVersion.optional().describe(
    'Version of the pins, blocks and labels of the tools in the environment. Read `GET /edge/pins` if the edge has another version. Absent if the environment never had a tool or a change of `tool_pinning`, and in answers of earlier versions.',
  ),
  delegations: DelegationsVersion.extend({
    at: timestamp.describe(
      'When the control plane answered, by its clock. The edge expires delegations by this clock.',
    ),
  })
    .optional()
    .describe(
      'Version of the list of ended delegations. Read `GET /edge/delegations/ended` if the edge has another version. Absent if the environment never had a delegation, and in answers of earlier versions.',
    ),
})
export type HeartbeatResponse = z.output<typeof HeartbeatResponse>

export const MissionProfile = z
  .object({
    tenant_id: tenantId
      .optional()
      .describe(
        'Id of the tenant of the agent. It is not part of `profile_hash`. Absent in profiles of earlier versions.',
      ),
    agent_id: agentId,
    agent_name: z.string().describe('Name of the agent.'),
    status: z.string().describe('Status of the agent, such as `active`.'),
    environment: environmentReference.nullable().describe('Environment of the agent. Null if it has none.'),
    governance_mode: oneOf(governanceModes).describe(
      'Whether the edge enforces the policy or only records decisions. `enforce` if the profile denies every call.',
    ),
    policy_id: uuid.nullable().describe('Assigned policy. Null if the profile denies every call.'),
    policy_version: z.int().nullable().describe('Version of the policy. Null if the profile denies every call.'),
    policy: z
      .looseObject({
        default_effect: oneOf(effects).describe('What is decided when no rule matches.'),
        rules: z.array(z.looseObject({})).describe('Rules of the policy, by priority.'),
      })
      .describe(
        'Snapshot of that version, without the rules in `limited_rules`. A profile that denies every call has no rules and the default effect `deny`.',
      ),
    limited_rules: z
      .array(z.looseObject({}))
      .optional()
      .describe(
        'Rules of the version that have a limit, by priority. They are not in `policy.rules`, so that an edge which does not know limits never lets a call pass by them. Absent if no rule has a limit.',
      ),
    content: ProfileContent.optional().describe(
      'Content rules of the policy. Absent while the policy does not have `dlp_enabled`, and if the profile denies every call.',
    ),
    keep_arguments_for_replay: z
      .literal(true)
      .optional()
      .describe(
        'True if the environment keeps arguments: the edge then sends the values that conditions of the policy read, with its decisions. Absent otherwise.',
      ),
    pins: PinsVersion.optional().describe(
      'Version of the pins, blocks and labels of the tools in the environment: `GET /edge/pins`. It is not part of `profile_hash`. Absent if the environment never had a tool or a change of `tool_pinning`, and in profiles of earlier versions.',
    ),
    denied_because: z
      .string()
      .optional()
      .describe('Why the profile denies every call. Absent if it carries the policy of the agent.'),
    profile_hash: z.string().describe('SHA-256 of the parts that decide calls, as 64 hexadecimal characters.'),
    profile_seq: z.int().describe('Number of the profile. It never goes back.'),
    issued_at: timestamp.describe('When the profile was signed.'),
    signature: z
      .string()
      .describe('Ed25519 signature, base64, over the RFC 8785 canonical JSON of the profile without this field.'),
  })
  .meta({
    id: 'MissionProfile',
    description:
      'The signed document from which an edge decides for one agent. `policy` is the snapshot of a policy version. With the rules of `limited_rules`, sorted by priority, its SHA-256 over RFC 8785 canonical JSON is the `content_hash` of the version, which heartbeats report as `policy_hash`. `profile_hash` is the same digest of {agent_id, agent_name, status, environment, governance_mode, policy_id, policy_version, policy_hash}, and of `denied_because`, `keep_arguments_for_replay` and a digest of `content` if the profile has them. A profile with `denied_because` denies every call: `archived`, `suspended`, `blocked`, `retired`, `not_approved`, `not_approved_in_production`, `frozen` or `no_policy`; later versions may add values. Conditions on `agent.` and `environment.` read {id, name, status} and {id, name, slug} of the profile.',
  })
export type MissionProfile = z.output<typeof MissionProfile>

export const EdgeSession = z
  .object({
    credential: oneOf(['agent', 'edge']).describe('`agent` for an agent key, `edge` for an edge key.'),
    agent: z
      .object({ id: agentId, name: z.string().describe('Name of the agent.') })
      .nullable()
      .describe('The agent of an agent key. Null for an edge key.'),
    environment: environmentReference
      .nullable()
      .describe('Environment of the agent or of the edge. Null if the agent has none.'),
  })
  .meta({
    id: 'EdgeSession',
    description:
      'Which agents the credential serves. An agent key serves `agent`. An edge key serves every agent of `environment`.',
  })
export type EdgeSession = z.output<typeof EdgeSession>

export const SigningKeys = z
  .object({
    keys: z
      .array(
        z.object({
          kid: z.string().describe('Id of the key, as signatures name it.'),
          public_key_pem: z.string().describe('Ed25519 public key in PEM.'),
          successor: z
            .object({
              kid: z.string().describe('Id of the next key.'),
              signature: z.string().describe('Ed25519 signature of this key, base64.'),
            })
            .optional()
            .describe(
              "The key that replaced this one, with this key's signature over it. Absent for the key that signs.",
            ),
        }),
      )
      .describe('Public keys, the one that signs first, then earlier ones from new to old.'),
  })
  .meta({
    id: 'SigningKeys',
    description:
      'The public keys of the control plane. The signature in `successor` is over the RFC 8785 canonical JSON of {next_public_key_pem, previous_public_key_pem, purpose: "mandate signing key succession"}.',
  })
export type SigningKeys = z.output<typeof SigningKeys>

export const Attestation = z.object({
  agent_id: agentId,
  mode: oneOf(attestedModes).describe('How much the runtime claims to mediate: `full`, `partial` or `none`.'),
  tools: z
    .array(text({ min: 1, max: 200 }))
    .max(1000)
    .describe('Tools that the agent can reach, at most 1,000.'),
  mediation_points: z
    .array(text({ min: 1, max: 200 }))
    .max(200)
    .describe('Where calls pass the edge, such as `mcp`. At most 200.'),
  edge_version: edgeVersion.describe('Version of the edge, at most 100 characters.'),
})
export type Attestation = z.output<typeof Attestation>

export const ExecutionStats = z
  .object({
    agent_id: agentId,
    window_start: timestamp.describe('Start of the reporting window.'),
    window_end: timestamp.describe(
      'End of the reporting window. It must be after `window_start` and not in the future.',
    ),
    actions_seen: count.describe('Number of actions of the agent that the edge saw in the window.'),
    actions_mediated: count.describe('Number of the seen actions that passed the edge. At most `actions_seen`.'),
    unmediated_seen: count.describe('Number of actions that the edge knows of and that did not pass it.'),
    by_effect: z
      .object({
        allow: count.optional().describe('Number of calls that were allowed.'),
        deny: count.optional().describe('Number of calls that were denied.'),
        require_approval: count.optional().describe('Number of calls that needed an approval.'),
      })
      .optional()
      .describe('Number of decisions by effect in the window.'),
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

const matched = {
  pattern_id: uuid.describe('Pattern that matched.'),
  on: oneOf(contentSides).describe('Where it matched.'),
  count: z.int().min(1).max(1_000_000).describe('How often it matched.'),
  action: oneOf(contentActions).describe('What the policy does about it.'),
}

export const ContentMatch = z.object(matched).meta({
  id: 'ContentMatch',
  description: 'A content pattern that matched in a call. The matched text is never sent.',
})

/** Most content matches of a decision, together with those of its results. */
export const maxContentMatches = 100

const callerText = (max: number) => text({ min: 1, max })

export const ChainLink = z
  .object({
    type: callerText(50).describe('Kind of the one who delegated, such as `user` or `agent`.'),
    id: callerText(200).describe('Id of the one who delegated.'),
    name: callerText(200).describe('Name of the one who delegated.'),
  })
  .meta({ id: 'ChainLink', description: 'One step of a delegation, from the person to the agent that acts.' })

export const ThreatSeen = z
  .object({
    indicator_id: uuid.describe('Indicator that matched.'),
    type: callerText(50).describe('Type of the indicator, such as `domain`.'),
    where: callerText(50).describe('Where it matched, such as `arguments`.'),
    action: oneOf(['alert', 'block']).describe('What the edge did: recorded the match, or stopped the call.'),
  })
  .meta({ id: 'ThreatSeen', description: 'A known threat that the edge found in a call.' })

const denialReason = text({ min: 1, max: 40 }).refine((value) => /^[a-z][a-z_]*$/.test(value), {
  error: 'must be 1 to 40 lower-case letters and underscores',
  abort: true,
})

const profileInForce = z.object({
  hash: hash.describe('`profile_hash` of the mission profile that decided.'),
  seq: z.int().min(0).describe('`profile_seq` of that profile.'),
})

/** What an edge knows about the session of a call. A decision and an approval have these fields. */
export const sessionOfCall = {
  session_id: callerText(128).optional().describe('Session of the agent, as its caller named it. 1 to 128 characters.'),
  labels: z
    .array(callerText(64))
    .max(50)
    .optional()
    .describe('Labels of the session when the call was decided, at most 50.'),
  content: z
    .array(ContentMatch)
    .max(maxContentMatches)
    .optional()
    .describe('Content patterns that matched, at most 100.'),
  on_behalf_of: callerText(200)
    .optional()
    .describe('For whom the agent acts, as its caller says. 1 to 200 characters. Nobody has verified it.'),
  chain: z.array(ChainLink).max(6).optional().describe('Delegation under which the agent acts, at most 6 steps.'),
}

/** The part of a record that is a field of `Decision` under the same name. */
const decided = {
  tool: text({ min: 1, max: 300 }).describe('Tool of the call, 1 to 300 characters.'),
  effect: oneOf(effects).describe('What was decided.'),
  mode: oneOf(governanceModes).describe(
    '`enforce`: the effect was enforced. `monitor`: the call passed and the effect was recorded.',
  ),
  args_digest: text({ max: 200 }).describe('Digest of the arguments.'),
  at: timestamp.describe('When the edge decided. More than 24 hours ahead of the server is refused.'),
}

export const DecisionRecord = z
  .object({
    decision_id: uuid.describe(
      'Id of the decision, chosen by the edge: a UUIDv7 of the time of the decision. A second record with the same id is a duplicate.',
    ),
    agent_id: agentId,
    ...decided,
    rule_id: uuid.optional().describe('Rule that decided. Left out if it was the default effect.'),
    denied_because: denialReason
      .optional()
      .describe(
        `Why the call was denied: ${denialReasons.map((reason) => `\`${reason}\``).join(', ')}. Later versions may add values. Left out unless \`effect\` is \`deny\`, and by earlier edges.`,
      ),
    policy_version: version.nullable().describe('Policy version that decided. Null if the edge had no policy.'),
    policy_id: uuid.optional().describe('Policy that decided.'),
    policy_hash: hash
      .optional()
      .describe('Content hash of the policy version, as 64 lower-case hexadecimal characters.'),
    content_version: version.optional().describe('Version of the content bindings that were applied.'),
    session_id: sessionOfCall.session_id,
    approval_id: uuid.optional().describe('Approval that the call used or asked for.'),
    duration_us: z
      .int()
      .min(0)
      .max(86_400_000_000)
      .optional()
      .describe('How long the edge took to decide, in microseconds.'),
    kept_digest: hash
      .optional()
      .describe(
        'SHA-256 of the RFC 8785 form of the item of `kept_arguments` about this decision, as 64 lower-case hexadecimal characters. Left out if nothing is kept.',
      ),
    labels: sessionOfCall.labels,
    content: sessionOfCall.content,
    on_behalf_of: sessionOfCall.on_behalf_of,
    chain: sessionOfCall.chain,
    threat: ThreatSeen.optional().describe('Known threat that the edge found in the call.'),
    profile: profileInForce.optional().describe('Mission profile that decided.'),
    of: uuid
      .optional()
      .describe(
        'Decision whose result this record describes. Such a record is not counted. It adds `content`, `threat` and `labels` to a decision of the same agent that the same credential sent, and signed with the same key if it is signed. A decision has at most 100 content matches in total.',
      ),
    seq: z
      .int()
      .min(1)
      .optional()
      .describe("Number of the record in the chain of the edge's key: 1, 2, 3 …. Only in signed batches."),
    prev: hash
      .optional()
      .describe(
        'Hash of the record before, as 64 hexadecimal characters; 64 zeros for the first. Only in signed batches.',
      ),
  })
  .meta({ id: 'DecisionRecord', description: 'A decision as an edge records it.' })
export type DecisionRecord = z.output<typeof DecisionRecord>

/**
 * A record that stays exactly as it was sent. The server validates it as a `DecisionRecord` later, for two reasons: a signature covers the
 * record as it was sent, and one bad record of a signed batch does not refuse the others.
 */
const recordAsSent = objectAsSent.meta({ $ref: '#/components/schemas/DecisionRecord' })

/** Arguments that stay exactly as they were sent, because the record of the decision has their digest. */
const keptAsSent = objectAsSent.meta(shapeOf(KeptArguments))

/** The fields of a schema whose objects stay exactly as they were sent. */
function shapeOf(schema: z.ZodType) {
  const { properties, required, description } = z.toJSONSchema(schema, { io: 'input' })
  const text = JSON.stringify(properties).replaceAll('#/$defs/', '#/components/schemas/')
  return { properties: JSON.parse(text), required, description }
}

const kid = text({ max: 64 }).refine((value) => /^[0-9a-f]{16,64}$/.test(value), {
  error: 'must be the id of a key: 16 to 64 lower-case hexadecimal characters',
  abort: true,
})

/** What an edge put in force: a mission profile of an agent, or a freeze. */
export const Confirmation = z
  .object({
    agent_id: agentId.optional().describe('The agent, if the confirmation is about its mission profile.'),
    freeze_id: uuid.optional().describe('The freeze or drill, if the confirmation is about one.'),
    profile_hash: hash.optional().describe('`profile_hash` of the profile. Required with `agent_id`.'),
    profile_seq: z.int().min(0).optional().describe('`profile_seq` of the profile. Required with `agent_id`.'),
    at: timestamp.describe("When it was put in force, by the clock of the edge. The control plane's clock counts."),
  })
  .refine(({ agent_id, freeze_id }) => (agent_id === undefined) !== (freeze_id === undefined), {
    error: 'must have either agent_id or freeze_id',
  })
  .refine(
    ({ agent_id, profile_hash, profile_seq }) =>
      agent_id === undefined || (profile_hash !== undefined && profile_seq !== undefined),
    { error: 'must have profile_hash and profile_seq with agent_id' },
  )
export type Confirmation = z.output<typeof Confirmation>

/** A confirmation that stays exactly as it was sent, for the same reasons as `recordAsSent`. */
const confirmationAsSent = objectAsSent.meta({
  ...shapeOf(Confirmation),
  description: 'A profile of an agent (`agent_id`) or a freeze (`freeze_id`) that the edge put in force.',
})

/** Maximum number of confirmations of a request. */
export const maxConfirmations = 500

export const Confirmations = z.object({
  instance_id: text({ min: 1, max: 200 }).describe('Name of the running edge, as in its heartbeats.'),
  kid: kid.optional().describe('Key that signs, from `POST /edge/keys` with the same credential.'),
  confirmations: z
    .array(confirmationAsSent)
    .min(1)
    .max(maxConfirmations)
    .describe('What the edge put in force, at most 500.'),
  signature: text({ min: 1, max: 100 })
    .optional()
    .describe(
      'Ed25519 signature, base64, over the SHA-256 of the RFC 8785 form of {confirmations, kid, purpose: "edge_confirmations"}. Required with `kid`.',
    ),
})
export type Confirmations = z.output<typeof Confirmations>

const tag = 'Edge'

export const edgeEndpoints = {
  createEdge: endpoint({
    method: 'POST',
    path: '/edges',
    tag,
    summary: 'Create an edge credential',
    description: 'The edge key serves every agent of the environment. It is in this answer and cannot be read again.',
    access: member,
    liveSession: true,
    body: NewEdge,
    answers: {
      201: z.object({
        edge: Edge.describe('The new edge credential.'),
        edge_key: z
          .string()
          .describe('The edge key: `ek_` and 64 hexadecimal characters. It is shown once; only its hash is stored.'),
      }),
    },
    errors: [400, 403, 404],
  }),
  listEdges: endpoint({
    method: 'GET',
    path: '/edges',
    tag,
    summary: 'List edge credentials',
    description:
      'Revoked credentials are not in the list. Silent edges come first, then the newest. A scoped user sees the edges of the environments that they have access to. A key that is bound to an environment sees the edges of that environment.',
    access: viewer,
    query: z.object({
      silent: booleanParam.describe(
        'Only edges that are silent (`true`), or only edges that are not silent (`false`). An edge without a heartbeat is neither.',
      ),
      environment_id: uuid.optional().describe('Only edges of this environment.'),
      limit: limit(),
      offset,
      include: includeMayNames,
    }),
    answers: { 200: page(Edge) },
    errors: [400],
  }),
  listEdgeInstances: endpoint({
    method: 'GET',
    path: '/edges/instances',
    tag,
    summary: 'List running edge instances',
    description:
      'Running processes, also those that use the own key of an agent. Silent instances come first, then those of the newest keys. A freeze counts the same instances. A scoped user sees the instances of edges in the environments that they have access to, and those with the keys of agents that are granted to them. A `total` of 10,000 means 10,000 or more.',
    access: viewer,
    query: z.object({
      credential: oneOf(instanceCredentials)
        .optional()
        .describe('Only instances with the key of an edge, or only instances with the own key of an agent.'),
      silent: booleanParam.describe('Only silent instances (`true`), or only those that report (`false`).'),
      environment_id: uuid.optional().describe('Only instances of this environment.'),
      limit: limit(),
      offset,
      include: includeNames,
    }),
    answers: { 200: page(EdgeInstance) },
    errors: [400],
  }),
  getEdge: endpoint({
    method: 'GET',
    path: '/edges/{edge_id}',
    tag,
    summary: 'Read an edge credential',
    description: 'A revoked credential is 404.',
    access: viewer,
    params: z.object({ edge_id: uuid.describe('Id of the edge credential.') }),
    query: z.object({ include: includeMayNames }),
    answers: { 200: Edge },
    errors: [400, 404],
  }),
  revokeEdge: endpoint({
    method: 'DELETE',
    path: '/edges/{edge_id}',
    tag,
    summary: 'Revoke an edge credential',
    description: 'The edge key stops at once. The edge then denies every call.',
    access: member,
    params: z.object({ edge_id: uuid.describe('Id of the edge credential.') }),
    answers: { 204: null },
    errors: [400, 403, 404],
  }),
  getEdgeSession: endpoint({
    method: 'GET',
    path: '/edge/session',
    tag,
    summary: 'Read whom the credential serves',
    description: 'An edge with an agent key learns here which agent the key belongs to.',
    access: edge,
    answers: { 200: EdgeSession },
    errors: [],
  }),
  sendHeartbeat: endpoint({
    method: 'POST',
    path: '/edge/heartbeat',
    tag,
    summary: 'Send a heartbeat',
    description:
      'The edge says which agents run under which policy, and learns which mission profile each one should have. Agents that the credential does not serve are left out of the answer. A `seq` below the last one of the instance changes nothing.',
    access: edge,
    body: Heartbeat,
    answers: { 200: HeartbeatResponse },
    errors: [400],
  }),
  getMissionProfile: endpoint({
    method: 'GET',
    path: '/edge/agents/{agent_id}/mission-profile',
    tag,
    summary: "Read an agent's signed mission profile",
    description:
      'The answer has an `ETag`. A request with that value in `If-None-Match` gets 304 while the profile is the same.',
    access: edge,
    params: z.object({ agent_id: agentId }),
    notModified: true,
    answers: { 200: MissionProfile },
    errors: [400, 404],
  }),
  getSigningKey: endpoint({
    method: 'GET',
    path: '/edge/signing-key',
    tag,
    summary: 'Read the public signing keys',
    description: 'Mission profiles and audit checkpoints are signed with these keys.',
    access: anyone,
    answers: { 200: SigningKeys },
    errors: [],
  }),
  attest: endpoint({
    method: 'POST',
    path: '/edge/attestations',
    tag,
    summary: 'Send an attestation',
    description: "The runtime's own claim of what it mediates. The latest one counts for execution coverage.",
    access: edge,
    body: Attestation,
    answers: { 201: Attestation.extend({ attested_at: timestamp.describe('When the attestation arrived.') }) },
    errors: [400, 404],
  }),
  reportExecutionStats: endpoint({
    method: 'POST',
    path: '/edge/execution-stats',
    tag,
    summary: 'Send execution stats',
    description:
      'What reached the edge in a window of time. A second report for the same agent and window replaces the first.',
    access: edge,
    body: ExecutionStats,
    answers: { 202: null },
    errors: [400, 404],
  }),
  confirm: endpoint({
    method: 'POST',
    path: '/edge/confirmations',
    tag,
    summary: 'Confirm profiles and freezes that are in force',
    description:
      'The edge sends this when a profile or a freeze is in force, never earlier. A confirmation counts for the credential and the instance that send it. The instance must have sent a heartbeat. A confirmed profile must be the current profile of an agent that the credential serves. A confirmed freeze must be active, or be the current drill, and must concern the instance. The response lists every other confirmation in `refused`. A refused confirmation does not affect the others. Confirmations without `kid` count, and are shown as unsigned. The response is 400 if the signature is wrong, or if this credential did not register the key.',
    access: edge,
    body: Confirmations,
    answers: {
      202: z.object({
        accepted: z.int().describe('Number of confirmations that count, also if they were counted before.'),
        refused: z
          .array(
            z.object({
              index: z.int().describe('Place in the request, from 0.'),
              reason: z.string().describe('Why the confirmation does not count.'),
            }),
          )
          .describe('Confirmations that do not count.'),
      }),
    },
    errors: [400],
  }),
  createEdgeKey: endpoint({
    method: 'POST',
    path: '/edge/keys',
    tag,
    summary: 'Register a key that signs decisions',
    description:
      'Each state folder of an edge has an Ed25519 key of its own. The answer attests that the key belongs to this edge: an Ed25519 signature, base64, over the RFC 8785 form of {edge_id, kid, public_key_pem, purpose: "edge_key", tenant_id}. `edge_id` is null for an agent key. The same key again gets the same answer, signed with the current signing key. A credential can register at most 200 new keys within 24 hours (409). A key that is not used for longer than decisions are kept is deleted.',
    access: edge,
    body: z.object({
      public_key_pem: text({ min: 1, max: 1000 }).describe('Ed25519 public key in PEM.'),
    }),
    answers: {
      201: z.object({
        kid: z.string().describe('Id of the key: the first 16 hexadecimal characters of its SHA-256.'),
        tenant_id: tenantId,
        edge_id: uuid.nullable().describe('Id of the edge credential that registered the key. Null for an agent key.'),
        attestation: z
          .string()
          .describe("The control plane's Ed25519 signature, base64, made with the key of `GET /edge/signing-key`."),
      }),
    },
    errors: [400, 409],
  }),
  recordDecisions: endpoint({
    method: 'POST',
    path: '/edge/decisions',
    tag,
    summary: 'Record decisions of the edge',
    description:
      'At most 1,000 decisions. Idempotent by `decision_id`. Without `kid`, one bad decision refuses the batch: 400 if it is malformed, 404 if the credential does not serve its agent, and nothing is stored. A batch with `kid` is signed, has records of one key in the order of `seq`, and is not refused for one record. A decision that is older than the retention of the tenant is not stored.',
    access: edge,
    body: z.object({
      decisions: z.array(recordAsSent).max(1000).describe('Decisions to record, at most 1,000.'),
      kept_arguments: z
        .array(keptAsSent)
        .max(1000)
        .optional()
        .describe(
          `Arguments of these decisions, one item for each decision that has \`kept_digest\`. Edges send them if the profile has \`keep_arguments_for_replay\`. An item has at most ${mostKeptBytes} bytes. The server drops an item that is malformed or too large, that does not match \`kept_digest\`, or whose environment does not keep arguments. It also drops paths that the policy version of the decision does not read. It stores the decision in every case.`,
        ),
      kid: kid.optional().describe('Key of the chain, from `POST /edge/keys`.'),
      signature: text({ min: 1, max: 100 })
        .optional()
        .describe("Ed25519 signature over the 32 bytes of the last record's hash, base64. Required with `kid`."),
    }),
    answers: {
      202: z.object({
        accepted: z.int().describe('Number of decisions that were stored.'),
        duplicates: z.int().describe('Number of decisions that were stored before.'),
        expired: z
          .int()
          .optional()
          .describe('Number of decisions that are older than the retention. Only in the answer to a signed batch.'),
        refused: z
          .array(
            z.object({
              decision_id: z.string().nullable().describe('Id of the record, as it was sent. Null if it has no id.'),
              reason: z.string().describe('Why the record is not stored.'),
            }),
          )
          .optional()
          .describe('Records that will never be stored. Only in the answer to a signed batch.'),
      }),
    },
    errors: [400, 404],
  }),
}
